#pragma once
// What the search knows of each keep choice.
#include <memory>
#include <vector>

#include "engine/search/any/rest_table.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Mappings with one keep choice: what their words cost, and what follows outside. `costs` may be told an unrolling; the
// table is that of all.
struct KeepSpace {
  KeptFlows costs;
  PartialCost partial;
  RestTable rest;

  KeepSpace(const Compiled& c, const KeepMasks& keep, const Mapspace& space, const TileRanges& ranges, u64 least_cycles,
            Twins twins)
      : costs(c, keep, Unrollable::of(space), twins),
        partial(costs, least_cycles),
        rest(partial, costs, ranges, most_tiles_outside(space)) {}
};

class KeepSpaces {
 public:
  // All keep choices of the problem, with tables of so many points at most; none if there are too many choices.
  KeepSpaces(const LayerProblem& problem, std::size_t most_points);

  u32 choices() const { return static_cast<u32>(space_.size()); }
  KeepSpace& operator[](u32 choice) { return *space_[choice]; }
  u64 bytes() const;

  // PartialCost::settle() of one of them, until the next call.
  void settle(KeepSpace& space, const Trail& trail, const Reach& reach);
  void unsettle();

 private:
  KeepSpaces(const LayerProblem& problem, const std::vector<KeepMasks>& keeps, std::size_t most_points);

  TileRanges ranges_;
  std::vector<std::unique_ptr<KeepSpace>> space_;
  PartialCost* settled_ = nullptr;
};

}  // namespace heliolite
