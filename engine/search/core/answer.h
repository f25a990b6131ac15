#pragma once
// The answer of a search, for one layer and for a network.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/named.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/model/cost.h"
#include "engine/model/mapping.h"
#include "engine/model/running_units.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/rules.h"
#include "engine/search/core/strategy.h"

namespace heliolite {

// What the solver of strategy cosa says of its own program; its values are not costs of mappings.

struct MipReport {
  CosaVariant variant = CosaVariant::Published;
  bool found = false;    // an answer of the program; `objective` is then its value
  bool proven = false;   // that no answer of the program is better, or that there is none
  double objective = 0;  // logarithms to base 2, as docs/cosa.md weighs them; convex: of the best cost found
  double bound = 0;      // no answer of the program is below
  u64 columns = 0, integers = 0, rows = 0;
  u64 nodes = 0;  // nodes of the solver's search trees
  // The objective of the mapping that the solver began with; none: none was asked for, or it is not an answer
  // of the program.
  std::optional<double> start{};
  u64 solves = 0;  // programs solved: 1, and one more for each answer that did not fit the machine
};

// What became of a known mapping, the witness, in a search that proves its answer: which rules removed it, where, and
// by which numbers.

// Something that removed the witness, or the mapping that stood for it by then. Values are in units of
// objective_number().
struct WitnessEvent {
  int level = 0;             // the level whose loops were being placed; -1: before any, its choice of kept tensors
  std::optional<Rule> rule;  // none: a limit of the search, `what` says which
  std::string what;          // the question that the rule asked, or the limit
  // For a rule that compares bounds: nothing that begins like this mapping is below `bound`, and a mapping that costs
  // `limit` was known.
  std::optional<double> bound, limit;
  // For a rule that keeps another mapping in its place: the value of that one, which is followed from here on.
  std::optional<double> stand_in;
};

// The whole way of the witness.
struct WitnessReport {
  Cost cost;
  double value = 0;                  // of its cost, in units of objective_number()
  std::vector<WitnessEvent> events;  // in the order of the search's last pass
  bool kept = false;                 // it, or what stands for it, came to the end and is as good as the answer
  std::vector<std::string> errors;   // what must not be: errors of the program
};

// What is proven of the mapping returned, among all mappings of the mapspace asked for. Optimal: none is better, value
// == lower_bound. Bounded: a mapping was found, a better one may exist, but none below lower_bound. Infeasible: none
// was found, because none is legal or because a limit ended the search before; `why_infeasible` says which. Measured:
// the value is an evaluator's (SearchOptions::evaluator), of which nothing is proven.
enum class Status : u8 { Optimal, Bounded, Infeasible, Measured };

constexpr ValueNames<4> value_names(Status) { return {"optimal", "bounded", "infeasible", "measured"}; }

// A step that a search has run (engine/search/schedule.h).
struct StepReport {
  std::string_view name;  // "sunstone", "exact", ..; a text of the program
  u64 evaluated = 0;      // mappings whose cost was computed
  double seconds = 0;     // wall time

  // Whether the same was done, in whatever time.
  bool operator==(const StepReport& other) const { return name == other.name && evaluated == other.evaluated; }
};

// The work of a search.
struct SearchStatistics {
  u64 evaluated = 0;                    // mappings whose cost was computed, partial ones included
  std::array<u64, kMaxLevels> tiles{};  // [level]: tiles of the level that were looked at
  RuleCounts rules{};                   // how often each rule was asked and how often it cut
  std::vector<StepReport> steps{};  // in the order in which they first ran; one that ran again is in the first's sum

  SearchStatistics& operator+=(const SearchStatistics& other);
  // Adds the work of steps that ran before these.
  void follow(const SearchStatistics& earlier);
  void add_step(const StepReport& step);
  bool operator==(const SearchStatistics&) const = default;
};

// What a short search of all tile sizes found after an answer with perfect factors; not above that answer.
struct OtherTilesProbe {
  Mapping mapping;  // the best one: the answer's own if nothing lower was found
  Cost cost;
  double utilization = 0;  // of the compute units by that mapping, 0 to 1
  double value = 0;        // objective_number() of its cost
  double lower_bound = 0;  // no mapping of any tile sizes is below, in the same unit
  u64 evaluated = 0;       // mappings priced by this short search, partial ones included
  double seconds = 0;      // wall time
};

// What is known of an answer if no words come from peers (arch/architecture.h).
struct WithoutPeers {
  Status status = Status::Bounded;
  double value = 0, lower_bound = 0;  // as below, of the cost without these words
};

// The answer for one layer. If the status is Infeasible, mapping, cost and the numbers up to `gap` mean nothing.
struct MappingResult {
  Status status = Status::Infeasible;
  std::size_t unit = 0;  // the compute unit that runs it: a number of Architecture::chain()
  Mapping mapping;       // on that chain
  Cost cost;
  double utilization = 0;  // of the compute units, 0 to 1
  double value = 0;        // objective_number() of the cost; Measured: the evaluator's
  double lower_bound = 0;  // no mapping of the mapspace is below, in the same unit; Measured: 0
  double gap = 0;          // value / lower_bound - 1; Measured: 0
  SearchStatistics statistics;
  double seconds = 0;                          // wall time
  Strategy strategy = Strategy::Exact;         // that found the mapping
  SearchEnd end = SearchEnd::Done;             // why it is not proven, if a limit is the reason
  std::string why_not_proven;                  // `end` as a phrase; empty if it is Done
  std::optional<OtherTilesProbe> other_tiles;  // only if asked for, of an answer with perfect factors
  std::optional<WitnessReport> witness;        // of SearchOptions::witness
  std::optional<MipReport> mip;                // of strategy cosa
  std::optional<EvaluatorReport> evaluator;    // of SearchOptions::evaluator
  // Only where words from peers may change what mappings cost, which the numbers above count.
  std::optional<WithoutPeers> without_peers;
  Diagnostics why_infeasible;  // the level that the smallest tile does not fit, the constraint, or the limit
};

struct LayerResult {
  std::string name;
  u64 count = 1;  // how often the network has the layer
  MappingResult result;
};

// No mapping of a layer has energy + lambda x cycles below `value`; lambda in units of energy (2^-32 pJ) a cycle.
struct CostLine {
  double lambda = 0;
  Energy value;                        // rounded down
  std::optional<UnitMapping> touches;  // a mapping that has it, but for the rounding of doubles
};

// What a search has proven of the costs of a layer's mappings, all of them.
struct CostLines {
  Cost least;  // none has less energy, none fewer cycles
  std::vector<CostLine> lines;
};

// The least value of the objective of a network's sums (docs/rules/network.md): the layers' results are the mappings
// that it has.
struct NetworkOptimum {
  Status status = Status::Bounded;
  double value = 0;        // objective_number() of the total, with what machine and operations make of it
  double lower_bound = 0;  // no choice of one mapping for each layer is below, in the same unit
  double gap = 0;          // value / lower_bound - 1
  double lambda = 0;       // pJ a cycle: of known mappings the chosen have the least energy + lambda x cycles
  u64 searches = 0;        // of layers for the least energy + lambda x cycles
  double seconds = 0;      // wall time, after that of the layers' own optima
  RuleCounts rules{};      // of the choice; those of the layers' searches are in their results
  std::string why_not_proven;
  // [layer]: of those whose mapping is not the one that its own objective is least with, the cost of that one.
  std::vector<std::optional<Cost>> own;
  std::vector<CostLines> proven;  // [layer]: what the bound is the sum of
};

struct NetworkResult {
  std::vector<LayerResult> layers;        // in the network's order
  Cost total;                             // sum over the feasible layers of count times cost
  std::optional<NetworkOptimum> optimum;  // of SearchOptions::network, if every layer has a mapping
  double seconds = 0;                     // wall time, without looks
  bool all_feasible() const;
};

}  // namespace heliolite
