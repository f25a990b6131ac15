#pragma once
// The schedule of a network, its layers fused or not, with which the objective of the network's energy and cycles is
// least, and the proof (docs/rules/fused.md). The objective becomes a few questions for the least energy + lambda x
// cycles (engine/search/network/least_product.h); each of them is a shortest path over the places where the network is
// cut into groups, whose costs are asked of tree_search.h where a bound does not already say that they are too dear.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/network/fused_cost.h"
#include "engine/network/residence.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/options.h"

namespace heliolite {

// An answer on the way to the last one: what was known after so much time.
struct FusedAnswer {
  double seconds = 0;
  double value = 0, lower_bound = 0;  // as below
  bool fused = false;                 // whether the schedule has groups
};

// What is known of a network's schedules.
struct FusedOptimum {
  FusedSchedule schedule;
  Cost cost;
  double value = 0;        // of the objective, of the whole network
  double lower_bound = 0;  // no schedule is below
  double gap = 0;          // value / lower bound - 1
  Status status = Status::Bounded;
  std::string why_not_proven{};  // if it is not optimal
  double lambda = 0;             // pJ a cycle: the schedule has the least energy + lambda x cycles
  FusedSchedule unfused;         // the best schedule without groups that was found; no groups: there is none
  Cost unfused_cost{};
  std::optional<double> unfused_value{};
  u64 lambdas = 0, links = 0, trees = 0, evaluated = 0;  // questions asked; searches of links, subtrees, mappings
  std::vector<FusedAnswer> answers{};                    // each better than the one before
  RuleCounts rules{};
  double seconds = 0;
};

// Errors: options that fused schedules do not have, by name; and that no schedule is legal.
Result<FusedOptimum> search_fused(const LinkGraph& graph, const Architecture& architecture,
                                  const SearchOptions& options, const FusionRules& rules = {});

}  // namespace heliolite
