#pragma once
// What a search answers: of one layer, and of a network.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/cost_model.h"
#include "engine/search/core/rules.h"
#include "engine/search/core/search_end.h"
#include "engine/search/core/strategy.h"

namespace heliolite {

// What is known of the answer, among the mappings of the mapspace asked for. Optimal: value == lower_bound. Bounded:
// both, with a gap. Infeasible: no mapping fits.
enum class Status : u8 { Optimal, Bounded, Infeasible };

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
  Strategy strategy = Strategy::Exact;  // that gave the answer
  SearchEnd end = SearchEnd::Done;      // why it is not proven, if a limit is the reason
  std::string why_not_proven;           // the same in words
  std::optional<ImperfectLook> look;    // if asked for, and worth a word
  Diagnostics why_infeasible;           // level, tensor and smallest footprint, or the constraint
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

}  // namespace heliolite
