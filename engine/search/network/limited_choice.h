#pragma once
// The best mappings of a network's layers within limits, with their proof (docs/rules/network.md, "Between the
// corners"): a choice of one item of each list under constraints on the sums, a multiple-choice knapsack.
//
// The trade-off curve leaves a gap between the best choice of its layers' corners and what no choice is below. A better
// choice lies in it, so no layer of that is further above the curve's line there than the gap is wide. These mappings
// are few: they are listed, first those close to the line, and the best choice among them is found by adding up layer
// after layer. What that gains makes the gap narrower, until it is listed as far as it is wide.
#include <functional>
#include <vector>

#include "engine/search/core/rules.h"
#include "engine/search/network/layer_hull.h"
#include "engine/search/network/least_product.h"

namespace heliolite {

// The mappings of a shape that are asked for: energy + lambda x cycles below a value, at most this energy and these
// cycles, all of one run; without those that another one is nowhere above.
struct ListQuestion {
  std::size_t shape = 0;
  double lambda = 0;  // units of energy (2^-32 pJ) a cycle
  double below_pj = 0;
  double most_pj = 0, most_cycles = 0;
};

struct ListAnswer {
  std::vector<KnownMapping> mappings;
  bool complete = false;  // there are no others
};

// Called for different shapes by several threads at a time.
using ListMappings = std::function<ListAnswer(const ListQuestion&)>;

struct LimitedLayer {
  std::size_t shape = 0;
  double runs = 1;
};

struct LimitedQuestion {
  Objective objective;
  CostLimits limits;
  std::vector<LimitedLayer> layers;
  std::vector<std::vector<KnownMapping>> corners;  // [shape]: of its trade-off curve, of one run, from the fastest on
  std::vector<CornerChoice> choices;               // of corners, from which the search for the best choice begins
  std::vector<LimitedPoint> curve;                 // corners of a chain that no choice is below
  // Whether mappings may be listed: all shapes' curves are certain, and `curve` is their sum.
  bool certain = true;
  RuleSet rules{};                       // reduced-cost
  int threads = 1;                       // 0: every core
  std::function<bool()> stop = nullptr;  // asked between lists; null: never
};

struct LimitedChoice {
  std::vector<KnownMapping> layers;  // empty: no choice that is known keeps to the limits
  double value = kNever;             // objective_number() of the sums
  // No choice of mappings that keeps to the limits is below; none at all does: infinity. At most `value`.
  double lower_bound = 0;
  bool complete = false;  // all of the gap was listed
  u64 lists = 0;          // questions that were asked
  RuleCounts rules{};
};

LimitedChoice find_limited_choice(const LimitedQuestion& question, const ListMappings& list);

}  // namespace heliolite
