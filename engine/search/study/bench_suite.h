#pragma once
// Mappers side by side: every strategy on every layer, or network, of every machine, and what other tools found there.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/named.h"
#include "engine/base/types.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/options.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace heliolite {

// What papers state about mappers, to compare with what the rows of a suite say.

struct BenchRow;
struct BenchSuite;

// What two mappers are compared by, layer by layer, and how the ratios of the layers become one number.
enum class ClaimQuantity : u8 { Value, Seconds, Evaluated };
enum class ClaimStatistic : u8 { Mean, Most };  // geometric mean; the largest

// A published ratio of one mapper to another; both are labels of the suite, or mappers of its external tables.
struct PublishedClaim {
  std::string says, source;  // in words; the paper
  std::string of, over;
  ClaimQuantity quantity = ClaimQuantity::Value;
  ClaimStatistic statistic = ClaimStatistic::Mean;
  std::optional<double> from, to;  // the published range, at least one end of it
};

enum class ClaimVerdict : u8 { Within, Below, Above, NotMeasured };
constexpr ValueNames<4> value_names(ClaimVerdict) {
  return {"same", "ours is lower", "ours is higher", "not measured"};
}

struct PublishedVerdict {
  PublishedClaim claim;
  std::optional<double> ours;  // none: no layer that both mapped
  ClaimVerdict verdict = ClaimVerdict::NotMeasured;
};

// All claims of the suite against its rows.
std::vector<PublishedVerdict> judge_published(const BenchSuite& suite, const std::vector<BenchRow>& rows);

// "1.5 to 2.5", "up to 10", "from 2".
std::string range_text(const PublishedClaim& claim);

// Mappers of somebody else among our own strategies: their answer is a mapping, which our cost model rates.

// The mapping of one layer on one machine, or the reasons why there is none. `options`: the time limit, what of the
// machine's rules may be lifted, which factors and tiles are allowed, the stop flag.
using ForeignMapper =
    std::function<Result<Mapping>(const Workload& workload, const Architecture& machine, const SearchOptions& options)>;

// The fields of Diagnostics of a mapper that gave no answer: its program crashed (a signal ended it), or failed
// otherwise.
inline constexpr const char* kMapperCrashed = "crashed";
inline constexpr const char* kMapperFailed = "command";

// What the answer is worth: Bounded, with a lower bound of 0 and one mapping priced, or Infeasible with the reasons,
// also where the mapping is not of the mapspace that the options ask for.
MappingResult rated(const Result<Mapping>& answer, const Workload& workload, const Architecture& machine,
                    const SearchOptions& options);

// A strategy with its options, or a mapper of somebody else, as a mapper of the suite.
struct BenchStrategy {
  std::string label;
  SearchOptions options;   // objective, threads and stop are the suite's
  bool trained = false;    // bayes: it begins with what it has learned of the layer on the machines of the training
  ForeignMapper mapper{};  // answers in place of options.strategy; empty: that one does
  std::string command{};   // what `mapper` runs, for the answer
  bool fuse = false;       // of networks: layers may be fused
};

struct BenchMachine {
  std::string name;
  Architecture architecture;
};

// One layer; or a whole network, where the objective is a network's.
struct BenchLayer {
  std::string name;
  Network network;

  const Workload& workload() const { return network.layers.front().workload; }
};

// What another tool found.
struct ExternalResult {
  std::string machine, layer, mapper;
  double value = 0;               // of the suite's objective, in units of objective_number()
  std::optional<double> seconds;  // its search took
  std::optional<u64> evaluated;   // mappings it priced
};

// Where trained mappers learn before they are measured: each layer on each of these machines, from nothing.
struct BenchTraining {
  std::vector<BenchMachine> machines;
  u64 evaluations = 25;  // mappings priced on each
};

// Mappers, machines and layers to be compared.
struct BenchSuite {
  std::string name;
  Objective objective = Objective::Edp;
  bool network = false;  // it is of networks' sums: a row is about a whole network
  std::vector<BenchStrategy> strategies;
  std::vector<BenchMachine> machines;
  std::vector<BenchLayer> layers;
  BenchTraining training;
  std::vector<ExternalResult> external;
  std::vector<PublishedClaim> published;
  int repeat = 1;        // how often each row's search is run; its time is the median
  int threads = 1;       // that one search uses; searches run one after the other
  std::string proofs{};  // folder of proofs of rows whose value is proven, which then keep their answers; "": none
};

// Values that differ by less are the same: external tables have six digits. Relative.
inline constexpr double kSameValue = 1e-5;

// A mapping that was better than all before it.
struct TracePoint {
  u64 evaluated = 0;   // mappings priced by then
  double seconds = 0;  // wall time by then
  double value = 0;    // in units of objective_number()
};

// A strategy's or another tool's answer for one layer on one machine.
struct BenchRow {
  std::string strategy, machine, layer;
  bool external = false;                   // another tool's: `strategy` is then its mapper
  std::optional<double> seconds{};         // wall time of the search
  std::optional<u64> evaluated{};          // mappings priced; of a mapper of somebody else 1, its answer
  std::optional<double> value{};           // in units of objective_number(); none: no mapping found
  std::optional<double> lower_bound{};     // proven by the search, in the same unit
  std::optional<double> gap{};             // value / lower_bound - 1
  std::optional<double> unfused{};         // where layers may be fused, the value without
  std::optional<double> ratio_to_best{};   // value / the smallest value of all rows of the same machine and layer
  std::optional<Status> status{};          // none: external
  std::vector<TracePoint> trace{};         // of the last search, value falling; the last one is its answer
  Diagnostics why_infeasible{};            // where it has no value
  std::optional<MappingResult> answer{};   // of a layer, where the suite wants its proof
  std::optional<NetworkResult> network{};  // of a whole network, alike; its layers not fused
  std::optional<EvaluatorReport>
      evaluator{};  // whose value was minimised; `value` is the suite's objective all the same
};

// What a strategy of the suite is asked.
SearchOptions options_of(const BenchSuite& suite, const BenchStrategy& strategy);

// The middle of some values; of an even number of them the mean of both.
double median(std::vector<double> values);

// The rows of a suite that was run.
struct BenchResult {
  std::vector<BenchRow> rows;  // by machine, layer, strategy; external ones after ours, the best of each mapper
  u64 done = 0, planned = 0;   // rows of our own strategies
  u64 left_out = 0;            // external results of machines or layers that the suite does not have
  u64 repeated = 0;            // external results of which another one of the same mapper, machine and layer is better
  bool interrupted = false;
};

// Called after each search; `where` names its machine and layer.
using BenchProgress = std::function<void(u64 done, u64 planned, const std::string& where)>;

// Runs the suite. `stop`: a search that it cuts short gives no row, those before it stay.
// Errors, before any search: a machine's constraints that a layer cannot obey, named by machine and layer.
Result<BenchResult> run_bench(const BenchSuite& suite, const std::atomic<bool>* stop = nullptr,
                              const BenchProgress& progress = {});

// One strategy's rows on one machine, or on all (machine empty).
struct BenchSummary {
  std::string strategy, machine;
  u64 rows = 0, mapped = 0;            // all rows, and those with a mapping
  u64 best = 0;                        // rows with the smallest value known
  u64 proven = 0;                      // rows whose value is proven optimal
  std::optional<double> mean_ratio{};  // geometric mean of ratio_to_best
  std::optional<double> worst_ratio{};
  std::string worst{};  // machine and layer of worst_ratio
  std::optional<double> median_seconds{}, max_seconds{};
};

// One summary for each strategy and machine, and with more than one machine also one for each strategy over all. The
// order is that of first appearance, by strategy, then machine.
std::vector<BenchSummary> summarize(const std::vector<BenchRow>& rows);

}  // namespace heliolite
