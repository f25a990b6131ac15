#pragma once
// The curve on which a network trades energy for cycles: the lower left side of the hull of all sums of one mapping for
// each layer, with its proof (docs/rules/network.md, "The trade-off curve").
//
// The hull of sums is the sum of the layers' hulls, so each layer's is found by itself: its fastest and its cheapest
// mapping first, then for each edge between two neighbours the least energy + lambda x cycles, lambda being the edge's
// slope. Either a mapping below the edge is found, which is a new corner, or nothing is below the edge.
#include <functional>
#include <vector>

#include "engine/search/core/rules.h"
#include "engine/search/network/layer_hull.h"
#include "engine/search/network/least_product.h"

namespace heliolite {

// A corner of the curve of one layer or of the network's.
struct TradeOffPoint {
  Cost cost;                         // of one run
  std::vector<std::size_t> mapping;  // of a layer: its number; of the network: [layer], the point of its curve
};

// What lies between two neighbouring points: energy + lambda x cycles has the same value on the line through both.
struct TradeOffEdge {
  double lambda = 0;          // pJ a cycle
  double value_pj = 0;        // on the line
  double lower_bound_pj = 0;  // no mappings have less
  bool certain = false;       // nothing is below the line
};

struct TradeOff {
  std::vector<TradeOffPoint> points;  // from the fewest cycles to the least energy
  std::vector<TradeOffEdge> edges;    // [k]: from point k to point k + 1
  Cost least;                         // no mappings have fewer cycles, and none less energy
  bool certain = false;               // nothing is below the curve, and it ends where nothing is faster or cheaper
};

struct TradeOffQuestion {
  int threads = 1;                                                // 0: every core
  std::function<bool()> stop = nullptr;                           // asked between searches; null: never
  std::function<void(std::size_t layers_done)> report = nullptr;  // by one thread at a time; null: nobody is told
};

struct NetworkTradeOff {
  std::vector<TradeOff> layers;
  TradeOff network;
  u64 searches = 0;  // of layers
};

// `layers`: each with at least one known mapping; more become known. `compulsory`: [layer], energy and cycles that
// every mapping has at least. Runs are whole numbers.
NetworkTradeOff find_trade_off(std::vector<NetworkLayer>& layers, const std::vector<Cost>& compulsory,
                               const SearchForSum& search, const TradeOffQuestion& question);

// The best mappings of a network's layers within limits, with their proof (docs/rules/network.md, "Between the
// corners"): a choice of one item of each list under constraints on the sums, a multiple-choice knapsack.
//
// The trade-off curve leaves a gap between the best choice of its layers' corners and what no choice is below. A better
// choice lies in it, so no layer of that is further above the curve's line there than the gap is wide. These mappings
// are few: they are listed, first those close to the line, and the best choice among them is found by adding up layer
// after layer. What that gains makes the gap narrower, until it is listed as far as it is wide.

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
