#pragma once
// The mapper's door: the best mapping of every layer of a network on a machine.
#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/cost_model.h"
#include "engine/search/objective.h"
#include "engine/search/progress.h"
#include "engine/search/rules.h"
#include "engine/search/search_end.h"
#include "workloads/network.h"

namespace heliolite {

struct SearchOptions {
  Objective objective = Objective::Edp;
  std::string strategy = "exact";  // strategy_names()
  RuleSet rules;
  int threads = 0;                          // 0 = every core
  bool free = false;                        // lift the machine's dataflow constraints (keep rules stay)
  bool imperfect = false;                   // also tiles that do not divide the bounds
  bool look_at_imperfect = false;           // with perfect factors: look also at others where those are of little use
  std::optional<double> budget_seconds;     // of one layer
  std::optional<u64> budget_evaluations;    // of one layer
  u64 memory_bytes = u64{2} << 30;          // that the exact search of one layer holds at most
  u64 seed = 1;                             // random only
  u64 victory = 500;                        // random only: legal mappings in a row without an improvement
  const std::atomic<bool>* stop = nullptr;  // set from outside: return the best so far
  ProgressHook progress;                    // when a part of a layer, or a layer, is done
};

std::vector<std::string> strategy_names();

// What is known of the answer, among the mappings of the mapspace asked for. Optimal: value == lower_bound. Bounded:
// both, with a gap. Infeasible: no mapping fits.
enum class Status : u8 { Optimal, Bounded, Feasible, Infeasible };

std::string_view name(Status status);

struct SearchStatistics {
  u64 evaluated = 0;                    // mappings whose cost was computed, partial ones included
  std::array<u64, kMaxLevels> tiles{};  // of each level, looked at
  RuleCounts rules;

  SearchStatistics& operator+=(const SearchStatistics& other);
  bool operator==(const SearchStatistics&) const = default;
};

// What a short search found with factors that do not divide the sizes, where those that do leave the units mostly idle.
struct ImperfectLook {
  std::vector<std::string> dimensions;  // that can be unrolled
  double perfect_utilization = 0;       // at most, with perfect factors
  u64 evaluated = 0;
  Mapping mapping;
  Cost cost;
  double utilization = 0;
  double value = 0;  // objective_number of the cost
};

struct MappingResult {
  Status status = Status::Infeasible;
  Mapping mapping;
  Cost cost;
  double utilization = 0;  // of the compute units
  double value = 0;        // objective_number of the cost
  double lower_bound = 0;  // no mapping is below
  double gap = 0;          // value / lower_bound - 1
  SearchStatistics statistics;
  double seconds = 0;
  std::string strategy;               // that gave the answer
  SearchEnd end = SearchEnd::Done;    // why it is not proven, if a limit is the reason
  std::string why_not_proven;         // the same in words
  std::optional<ImperfectLook> look;  // if asked for, and worth a word
  Diagnostics why_infeasible;         // level, tensor and smallest footprint, or the constraint
};

struct LayerResult {
  std::string name;
  u64 count = 1;
  MappingResult result;
};

struct NetworkResult {
  std::vector<LayerResult> layers;  // as in the network
  Cost total;                       // of the feasible layers, weighted by counts
  double seconds = 0;               // wall time
  bool all_feasible() const;
};

// Maps every layer; layers of equal shape are searched once, different ones in parallel; the number of threads changes
// no answer. A layer that cannot obey the constraints is infeasible. Errors: no layer can, or no such strategy.
Result<NetworkResult> map_network(const Network& network, const Architecture& architecture,
                                  const SearchOptions& options);

// One layer, on the calling thread.
Result<MappingResult> map_workload(const Workload& workload, const Architecture& architecture,
                                   const SearchOptions& options);

}  // namespace heliolite
