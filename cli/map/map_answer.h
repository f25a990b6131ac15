#pragma once
// The answers of `heliolite map`, as text and as JSON: of layer after layer, and of a network as a whole.
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/map/map_proof.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "cli/ui/units.h"
#include "engine/base/types.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/model/cost.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/options.h"
#include "workloads/network.h"

namespace heliolite::cli {

// Where the energy of a whole network goes: the breakdowns of its layers, added up by level.

// What all instances of a level cost in all runs of all layers.
struct LevelTotal {
  std::string name;
  Energy accesses;  // addresses included
  Energy network;   // the network below
  Energy leakage;
  double read = 0, written = 0;  // words of the level

  Energy energy() const { return accesses + network + leakage; }
};

// What a kind of compute units does.
struct UnitTotal {
  std::string name;
  Energy energy;
  u64 cycles = 0;  // of the layers that it runs
};

struct NetworkBreakdown {
  std::vector<LevelTotal> levels;  // those of each layer outermost first
  std::vector<UnitTotal> units;    // those that run a layer
  u64 cycles = 0;

  Energy compute() const;  // of all units

  // Adds a layer that runs `count` times.
  void add(const Breakdown& layer, u64 count);
};

std::string network_breakdown_table(const NetworkBreakdown& breakdown, const Architecture& architecture);
Json network_breakdown_json(const NetworkBreakdown& breakdown);  // "levels" of docs/json.md

// How far a mapping is from the least data movement, level by level; errors say why it is not known.
using Distances = Result<std::vector<LevelDistance>>;

struct MapAnswer {
  Network network;
  Architecture architecture;
  NetworkResult result;

  // The chain of levels that leads to the unit which runs layer i.
  const Architecture& chain(std::size_t i) const { return architecture.chain(result.layers[i].result.unit); }

  bool any_factors = false;          // the mapspace has all factors, not perfect ones only
  Counts counts = Counts::Timeloop;  // how factors that do not divide are counted
  Tiles tiles = Tiles::Even;
  EvaluatorOptions evaluator;  // whose values the answer has; no command: the cost model's
  Objective objective = Objective::Edp;
  std::vector<Distances> distances;  // [layer]
  // [layer]: cost in true counts of a mapping whose factors do not divide, where it is defined.
  std::vector<std::optional<Cost>> true_cost;
  std::vector<std::optional<Breakdown>> breakdowns;   // [layer]; none: it has no mapping
  NetworkBreakdown by_level;                          // sums over the layers that have one
  LayerProofs proofs{};                               // of map --proof
  std::optional<NetworkProofAnswer> network_proof{};  // of map --network --proof
};

// The answer with the distances of its mappings.
MapAnswer map_answer(Network network, Architecture architecture, NetworkResult result, const SearchOptions& options);

// EDPs of all layers that have a mapping, weighted by counts. A sum of products is not the product of the sums.
struct EdpTotals {
  double of_totals = 0;        // total energy times total cycles
  double sum = 0;              // of the layers' energy times cycles
  double values = 0;           // sum of the layers' objectives
  double value_of_totals = 0;  // the objective of total energy and total cycles; 0 of an evaluator's values
};

EdpTotals edp_totals(const MapAnswer& answer);

// Energy, cycles and MACs of all runs of the layers that have a mapping.
Work work_of(const MapAnswer& answer);

// What a network gets done all of whose layers have a mapping, one run after the other. Rates need a machine with a
// clock, inferences and tokens a network that says what one run of it is.
struct Throughput {
  std::optional<double> runs_per_second{}, inferences_per_second{}, tokens_per_second{};
  std::optional<double> inference_picojoules{}, token_picojoules{};
};

// None of a single layer, or where a layer has no mapping.
std::optional<Throughput> throughput(const MapAnswer& answer);

// MACs over what all units could do in the cycles of layer i's true counts, which must be known.
double true_utilization(const MapAnswer& answer, std::size_t i);

// The answer as text: a table with one row for each layer; for a single layer also its levels.
std::string map_text(const MapAnswer& answer);

// How often rules of searches for whole networks, or all others, were asked and cut.
Json rules_json(const RuleCounts& counts, bool of_networks = false);

// Appends "layers" and "total" of docs/json.md to `json`.
void add_map_answer(Json& json, const MapAnswer& answer, const std::string& objective, bool interrupted);

// The answer of `heliolite map` as comma-separated values.

// A heading and one row for each layer, of one run: its costs, the energy of each level, then the sizes of its
// dimensions and words and energy by level and tensor. Every name says the unit or what is counted, or a column beside
// does: `value_unit` is that of value and lower_bound, "" if it is not known. Numbers that do not exist are empty.
std::string map_csv(const MapAnswer& answer, const std::string& value_unit);

// `map --roofline`: for each layer the MACs that its mapping makes of a byte at each level, what it waits for, and how
// far that is from what any mapping can make of a byte of the outermost level.

// A row for each layer that has a mapping.
std::string roofline_table(const MapAnswer& answer);
// Roofs of all levels, and of each layer a dot for each level; both axes logarithmic.
std::string roofline_svg(const MapAnswer& answer);
// "roofline" of docs/json.md for a layer; null without a mapping.
Json roofline_json(const MapAnswer& answer, std::size_t layer);

// The answers for a network as a whole, `--fuse` and `--front` (map_fused.cpp).

struct FusedArguments {
  std::string architecture, workload;
  bool incremental_softmax = false;
  ReadOptions reading;
};

// The exit code of the command. `--schedule` of the output takes the file that eval and explain read.
int run_fused(const FusedArguments& arguments, SearchOptions options, const Output& output);

// What `--front` takes.
inline constexpr const char* kEnergyAndDelay = "energy,delay";

// The exit code of the command. `--csv` of the output takes the points. `notes`: what was said of the inputs.
int run_front(const Inputs& inputs, SearchOptions options, const ProofArguments& proof, std::vector<std::string> notes,
              const Output& output);

}  // namespace heliolite::cli
