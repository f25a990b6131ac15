#pragma once
// What is known of the costs that one layer of a network can have, as convex chains in the plane of cycles and energy:
// the chain of known mappings, which is above the true lower hull, and the chain of lines that no mapping is below,
// which is under it (docs/rules/network.md).
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstddef>
#include <optional>
#include <vector>

#include "engine/model/cost.h"
#include "engine/search/core/objective.h"

namespace heliolite {

// Chains are crossings of lines that may be nearly parallel: 113 bits of mantissa.
using Wide = boost::multiprecision::cpp_bin_float_quad;

// Energy in units of 2^-32 pJ.
struct CostPoint {
  Wide energy, cycles;
};

// Corners of a convex chain, from the fewest cycles to the least energy: cycles rise, energy falls, more and more
// slowly. Corner k + 1 follows corner k on a line energy + lambda x cycles = const, lambda = slope[k], which falls.
struct CostChain {
  std::vector<CostPoint> corner;
  std::vector<double> slope;         // one less than corners
  std::vector<std::size_t> mapping;  // [corner] of known mappings: which; of chains of lines: empty
};

class LayerHull {
 public:
  // `least`: energy and cycles that every mapping has at least. `runs`: how often the network has the layer, times its
  // weight.
  LayerHull(const Cost& least, double runs) : least_(least), runs_(runs) {}

  // A known mapping's cost; returns its number.
  std::size_t add_mapping(const Cost& cost);
  // No mapping has energy + lambda x cycles below `value` units (2^-32 pJ); with lambda 0 that is of energy alone.
  void add_line(double lambda, const Wide& value);

  const std::vector<Cost>& mappings() const { return known_; }
  const Cost& least() const { return least_; }
  double runs() const { return runs_; }
  // The known mapping with the least energy + lambda x cycles, of equal ones the first; there must be one.
  std::size_t best_at(double lambda) const;
  // Its energy + lambda x cycles, in units.
  Wide value_at(std::size_t mapping, double lambda) const;
  // The least energy + lambda x cycles of the known mappings less what no mapping is below: how far the two chains are
  // apart, in units. At least 0.
  Wide open_at(double lambda) const;

  CostChain upper() const;  // of known mappings
  CostChain lower() const;  // of lines

  struct Line {
    double lambda;
    Wide value;
  };
  const std::vector<Line>& lines() const { return lines_; }

 private:
  Cost least_;
  double runs_;
  std::vector<Cost> known_;
  std::vector<Line> lines_;  // lambda falls
};

// Calls visit(point, chosen) for every corner of the sum of the chains, each times its runs, from the fewest cycles to
// the least energy; `chosen`: the corner of each chain that is part of it.
template <class Visit>
void for_each_corner_of_sum(const std::vector<CostChain>& chains, const std::vector<double>& runs, Visit&& visit) {
  std::vector<std::size_t> chosen(chains.size(), 0);
  CostPoint sum{0, 0};
  for (std::size_t l = 0; l < chains.size(); ++l) {
    sum.energy += runs[l] * chains[l].corner.front().energy;
    sum.cycles += runs[l] * chains[l].corner.front().cycles;
  }
  while (true) {
    visit(sum, chosen);
    // The steepest step that is left; of chains with parallel ones the first.
    std::optional<std::size_t> next;
    for (std::size_t l = 0; l < chains.size(); ++l)
      if (chosen[l] < chains[l].slope.size() &&
          (!next || chains[l].slope[chosen[l]] > chains[*next].slope[chosen[*next]]))
        next = l;
    if (!next) return;
    const CostChain& chain = chains[*next];
    const std::size_t k = chosen[*next]++;
    sum.energy += runs[*next] * (chain.corner[k + 1].energy - chain.corner[k].energy);
    sum.cycles += runs[*next] * (chain.corner[k + 1].cycles - chain.corner[k].cycles);
  }
}

// What energy and cycles a network may have, and the least value of an objective within that (docs/rules/network.md,
// "Within limits").

// The most of a network's energy and cycles, and of energy over cycles. What is this close above counts as within:
// sums of doubles are not exact.
struct CostLimits {
  double energy_pj = kNever, cycles = kNever, pj_per_cycle = kNever;

  bool meets(double energy, double took) const {
    return energy <= energy_pj * kSame && took <= cycles * kSame && energy <= pj_per_cycle * took * kSame;
  }
  static constexpr double kSame = 1 + 1e-12;
};

// Energy in pJ, cycles, and the objective's number there.
struct LimitedPoint {
  double energy_pj = 0, cycles = 0, value = 0;

  bool operator==(const LimitedPoint&) const = default;
};

// The corners of the sum of chains, each times its runs, from the fewest cycles to the least energy.
std::vector<LimitedPoint> corners_of_sum(const std::vector<CostChain>& chains, const std::vector<double>& runs,
                                         Objective objective);

// One corner of each layer's chain, by place.
using CornerChoice = std::vector<std::size_t>;

// A choice with a low value among those that keep to the limits; none of those looked at does. `layers`: [layer], the
// corners of its chain, each with the energy and cycles of all its runs. `corners`: the choices that are the corners of
// the sum. From the best of these other corners of one or two layers are taken as long as that lowers the value, so the
// choice is never above the best corner, and no exchange of two layers' corners is below it.
std::optional<CornerChoice> choose_within(const std::vector<std::vector<LimitedPoint>>& layers,
                                          const std::vector<CornerChoice>& corners, Objective objective,
                                          const CostLimits& limits);

// The least value of all points on or above the chain of these corners that keep to the limits. Of several chains with
// corners that are nowhere above those of another its value is at most that of the other. None: no point does.
std::optional<LimitedPoint> least_within(const std::vector<LimitedPoint>& corners, Objective objective,
                                         const CostLimits& limits);

// How far a further line is worth lifting the least corner of a chain of bounds: to the sums of two points, one on each
// edge from there. Along an edge the value rises to a top at most, which it loses only when the edge itself is lifted:
// what brings the corner nearly that high is worth as much, as long as the edge stays.
struct CornerLift {
  LimitedPoint fewer_cycles, less_energy;
  std::vector<double> edges_first{};  // lambdas of the edges whose tops the corner nearly is, the lowest first
  // The greater energy + lambda x cycles of the two points, in pJ; lambda: pJ a cycle.
  double sum_pj(double lambda) const;
};
// `chain`: of bounds of a product whose best answer has the value `best`. None: no corner is below that.
std::optional<CornerLift> lift_of_least(const CostChain& chain, Objective objective, double best);

}  // namespace heliolite
