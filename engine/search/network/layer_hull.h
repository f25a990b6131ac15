#pragma once
// What is known of the costs that one layer of a network can have, as convex chains in the plane of cycles and energy:
// the chain of known mappings, which is above the true lower hull, and the chain of lines that no mapping is below,
// which is under it (docs/rules/network.md).
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/cost.h"

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

}  // namespace heliolite
