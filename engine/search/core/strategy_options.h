#pragma once
// What only some strategies are asked, a struct for each kind of strategy.
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// When random sampling ends (random, random-pruned, hybrid).
struct SamplingOptions {
  u64 victory = 500;           // legal mappings in a row without an improvement
  std::optional<u64> timeout;  // illegal mappings in a row; none: the strategy's own
};

// What tilings must use for a directed search (dmazerunner, interstellar) to look at them, as shares; none: what the
// search's own paper says.
struct LeastUseOptions {
  std::optional<double> units, inner, outer;  // compute units; innermost memory; each other memory with a capacity
};

// What only strategy bayes is asked (engine/search/bayes).

// How loop orders are encoded: a score for each loop, or one choice of the level's orders that can matter (rules
// order-prefix to order-dominance); Auto takes choices where the levels together have few.
enum class OrderEncoding : u8 { Auto, Scores, Categorical };
std::string_view name(OrderEncoding encoding);
std::optional<OrderEncoding> parse_order_encoding(std::string_view name);
std::vector<std::string> order_encoding_names();

// How points of other machines and layers are learned from: by the logarithms of sizes and capacities as further
// coordinates, or as tasks of one process whose covariance is learned, without looking at what they are.
enum class Transfer : u8 { Features, Tasks };
std::string_view name(Transfer transfer);
std::optional<Transfer> parse_transfer(std::string_view name);
std::vector<std::string> transfer_names();

// Mappings of one layer on one machine that were priced.
struct LearnedTask {
  std::string machine, workload, objective;
  std::map<std::string, double> coordinate;  // logarithms to base 2: "size K", "words GlobalBuffer", ..
  std::vector<std::string> feature;          // names (engine/search/bayes/decoder.h), in the order of the points
  std::vector<u32> choices;                  // [feature]: its categories, 0 if it is a number
  std::vector<std::vector<double>> point;    // each in the unit cube of the features
  std::vector<double> value;                 // [point]: log of the objective over what every mapping of the layer costs
};

// What searches found out, by task. Layers that are searched side by side add their tasks in any order.
class LearnedTasks {
 public:
  void add(LearnedTask task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  // Sorted by machine, workload and objective; not while searches run.
  std::vector<LearnedTask> take();

 private:
  std::mutex mutex_;
  std::vector<LearnedTask> tasks_;
};

// What strategy bayes is asked.
struct BayesOptions {
  u64 start = 10;  // mappings priced before it learns from them
  u64 batch = 1;   // mappings chosen at a time, priced side by side
  OrderEncoding encoding = OrderEncoding::Auto;
  Transfer transfer = Transfer::Features;                // with `from`
  std::shared_ptr<const std::vector<LearnedTask>> from;  // what earlier searches learned; null: nothing
  std::shared_ptr<LearnedTasks> learn;                   // takes what this search learns; null: nobody does
};

// What the strategy cosa minimises.

enum class CosaVariant : u8 {
  Published,  // the objective that was printed: loop order counts at one level only
  Ordered,    // also counts the order of the outermost level's loops
  Convex,     // the cost model's own energy and cycles; also a lower bound
};

// "published", "ordered", "convex".
std::string_view name(CosaVariant variant);
std::optional<CosaVariant> parse_cosa_variant(std::string_view name);
std::vector<std::string> cosa_variant_names();

// How a tile that slides along a rank is counted in the programs of variants published and ordered.
enum class CosaHalo : u8 {
  Exact,    // as it is
  Doubled,  // each prime of the window as 2 at most, which can be too small
};

// "exact", "doubled".
std::string_view name(CosaHalo halo);
std::optional<CosaHalo> parse_cosa_halo(std::string_view name);
std::vector<std::string> cosa_halo_names();

// Weights of the three parts of the published objective: logarithms of cycles, of words moved, of words held.
struct CosaWeights {
  double cycles = 10, traffic = 1, room = -0.1;
  bool operator==(const CosaWeights&) const = default;
};
// "10,1,-0.1"; none if these are no three numbers of at most 1e6 in size.
std::optional<CosaWeights> parse_cosa_weights(std::string_view text);
std::string to_text(const CosaWeights& weights);

// What strategy cosa is asked. The weights and the halo are those of variants published and ordered.
struct CosaOptions {
  CosaVariant variant = CosaVariant::Published;
  CosaWeights weights;
  CosaHalo halo = CosaHalo::Exact;
  bool warm_start = false;  // the solver begins with what sunstone finds
  bool pad = false;         // solve for the next sizes without primes above 7; with factors that need not divide
};

}  // namespace heliolite
