#pragma once
// The best mapping of a layer, or of every layer of a network, with a proof or a proven gap.
//
//   auto network = heliolite::load_network("resnet18");
//   auto machine = heliolite::load_architecture("eyeriss");
//   auto answer = heliolite::map_network(*network, *machine, {.objective = "energy", .budget_seconds = 60});
//   for (const heliolite::LayerAnswer& layer : answer->layers)
//     std::printf("%s: %g pJ, at most %g above the optimum\n", layer.name.c_str(), layer.value, layer.gap);
//
// map_workload() does one layer on the calling thread. The defaults are those of `heliolite map`.
#include <heliolite/evaluate.h>  // IWYU pragma: export
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heliolite::api {

// What a search reports while it runs. Numbers that are not known are none.
struct MapProgress {
  std::string layer;                          // that the report is about
  std::optional<double> value;                // of its best mapping so far
  std::optional<double> lower_bound;          // no mapping of the layer is below
  std::uint64_t evaluated = 0;                // mappings priced when that was known; 0: not told
  bool layer_done = false;                    // its search has ended
  std::uint64_t layers_done = 0, layers = 0;  // of the network; of equal layers each counts
};

// Options by the names and with the values that the command line has, without the dashes: {"tiles", "uneven"}. A switch
// is "true" or "false"; an option that takes a list may be given several times.
using NamedOptions = std::vector<std::pair<std::string, std::string>>;

// What is asked of a search. Texts that are empty and numbers that are not set mean the defaults, which map_options()
// tells. What is not allowed is an error of the search, in the words of the command line.
struct MapOptions {
  std::string objective{};                 // "edp", "energy", "delay", ..
  std::string strategy{};                  // "exact", "sunstone", ..
  int threads = 0;                         // 0: every core; the answer does not depend on it
  std::optional<double> budget_seconds{};  // wall time for one layer; then the best so far, with what is proven of it
  // All other options. {"evaluator", "./simulate"} minimises what a program of one's own says of mappings
  // (docs/evaluator.md) in place of the cost model.
  NamedOptions others{};
  // Choose the layers' mappings so that the objective of the network's total energy and cycles is least: fill
  // MapAnswer::optimum.
  bool for_network = false;
  bool look_at_other_tiles = false;  // after an answer with factors that divide: fill LayerAnswer::other_tiles
  // Called from threads of the search, by one at a time; it must return soon.
  std::function<void(const MapProgress&)> progress{};
  // When somebody sets it, from any thread or a signal handler, searches end with the best so far. It must outlive the
  // call.
  const std::atomic<bool>* stop = nullptr;
};

// An option of searches, as `heliolite map --help` describes it.
struct OptionInfo {
  std::string name;
  std::string help;
  std::string allowed;                  // what a value must be
  std::string usual;                    // the default; empty: none
  std::vector<std::string> names;       // the values allowed, if they are names
  std::vector<std::string> strategies;  // that have it; empty: all
};
// All of them: what MapOptions::objective, strategy, threads and others may say.
std::vector<OptionInfo> map_options();

// How far a search got in one of its steps.
struct SearchStep {
  std::string name;
  std::uint64_t evaluated = 0;  // mappings priced, partial ones included
  double seconds = 0;
};

// How often a rule that leaves mappings out was asked, and how often it did (docs/rules).
struct RuleUse {
  std::string rule;
  std::uint64_t asked = 0, cut = 0;
};

// What a short search of all tile sizes found after an answer with factors that divide.
struct OtherTiles {
  Mapping mapping;  // the answer's own if nothing better was found
  Cost cost;
  double utilization = 0;
  double value = 0, lower_bound = 0;  // over all tile sizes
  std::uint64_t evaluated = 0;
  double seconds = 0;
};

// What a program that says values (option evaluator) was asked.
struct EvaluatorUse {
  std::uint64_t evaluations = 0;  // mappings that it was asked about
  std::uint64_t failures = 0;     // that got no value
  std::string first_failure;      // what was wrong; empty without failures
};

// What is known of an answer if no words are taken from neighbours (docs/link_transfers.md): of the cost without them.
struct WithoutLinks {
  std::string status;  // as LayerAnswer::status
  double value = 0, lower_bound = 0;
};

// The answer for one layer.
struct LayerAnswer {
  std::string name;
  std::uint64_t count = 1;  // how often the network executes it
  // "optimal": no mapping that the machine's constraints allow is better. "bounded": a better one may exist, but none
  // below lower_bound. "infeasible": none was found, why_infeasible says why. "measured": the value is an evaluator's,
  // of which nothing is proven.
  std::string status;
  std::optional<Mapping> mapping;  // none: infeasible; the numbers down to `gap` then mean nothing
  Cost cost;                       // of one execution
  double utilization = 0;          // of the compute units, 0 to 1
  double value = 0;                // of the objective, in MapAnswer::value_unit
  double lower_bound = 0;          // in the same unit; 0: measured
  double gap = 0;                  // value / lower_bound - 1; 0: measured
  std::string strategy;            // that found the mapping
  std::string ended_by;            // the limit that ended the search: "time", "memory", ..; empty: none
  std::string why_not_proven;      // the same as a phrase with its numbers
  Diagnostics why_infeasible{};
  std::uint64_t evaluated = 0;  // mappings priced, partial ones included
  double seconds = 0;           // wall time
  std::vector<SearchStep> steps{};
  std::vector<RuleUse> rules{};  // that were asked
  std::optional<OtherTiles> other_tiles{};
  std::optional<EvaluatorUse> evaluator{};
  std::optional<WithoutLinks> without_links{};  // only where words from neighbours may change what mappings cost

  bool feasible() const { return mapping.has_value(); }
};

// The least value of the objective of a network's total energy and cycles, over all choices of one mapping for each
// layer (docs/rules/network.md). Values are in MapAnswer::value_unit.
struct NetworkOptimum {
  std::string status;            // "optimal", or "bounded": no choice is below lower_bound
  double value = 0;              // of the chosen mappings
  double lower_bound = 0;        // at most the value
  double gap = 0;                // value / lower_bound - 1
  std::string why_not_proven;    // the limit that ended the search; empty: optimal
  std::optional<double> lambda;  // pJ a cycle: of known mappings the chosen have the least energy + lambda x
                                 // cycles; none: the objective is energy or cycles alone
  std::uint64_t searches = 0;    // of layers for the least energy + lambda x cycles
  double seconds = 0;            // wall time of these
  std::vector<std::string> layers_that_differ;  // whose mapping is another than the best for the layer alone
};

// The answers for all layers of a network.
struct MapAnswer {
  std::vector<LayerAnswer> layers;          // in the network's order
  std::optional<NetworkOptimum> optimum{};  // of MapOptions::for_network, if every layer has a mapping
  Cost total;                               // of all executions of the layers that have a mapping
  double seconds = 0;                       // wall time
  std::string objective;                    // what was minimised: "edp", or "value from ./simulate"
  std::string value_unit;                   // "pJ x cycles"; empty: an evaluator's values
  std::vector<std::string> notes;           // how the machine's constraints were read, and what the totals leave out

  bool all_feasible() const;
};

// Maps every layer: equal ones are searched once, different ones on several threads. A layer without a mapping is
// infeasible in the answer; it is an error if all are, if an option is not allowed, or if the machine's constraints
// name what the layers do not have.
Result<MapAnswer> map_network(const Network& network, const Architecture& architecture, const MapOptions& options = {});
// Maps one layer on the calling thread.
Result<LayerAnswer> map_workload(const Workload& workload, const Architecture& architecture,
                                 const MapOptions& options = {});

}  // namespace heliolite::api
