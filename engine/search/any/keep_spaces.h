#pragma once
// What the search knows of each keep choice, and of the mappings of one that share an unrolling.
#include <map>
#include <memory>
#include <vector>

#include "engine/search/any/rest_table.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Mappings with one keep choice: what their words cost, and what follows outside.
struct KeepSpace {
  KeptFlows costs;
  PartialCost partial;
  RestTable rest;

  KeepSpace(const Compiled& c, const KeepMasks& keep, const Mapspace& space, const TileRanges& ranges, u64 least_cycles,
            Twins twins, const ClassUnrolling* unrolling = nullptr)
      : costs(c, keep, Unrollable::of(space), twins, unrolling),
        partial(costs, least_cycles),
        rest(partial, costs, ranges, most_tiles_outside(space)) {}
};

class KeepSpaces {
 public:
  // All keep choices of the problem, which must outlive this, with tables of so many points; none if there are too many
  // choices.
  KeepSpaces(const LayerProblem& problem, std::size_t most_points);

  // Numbers below choices() are keep choices.
  u32 choices() const { return choices_; }
  KeepSpace& operator[](u32 index) { return *space_[index]; }
  // The choice that a space belongs to.
  u32 choice_of(u32 index) const { return choice_of_[index]; }
  // The space of a choice and an unrolling, prepared when it is first asked for.
  u32 with_unrolling(u32 choice, const ClassUnrolling& unrolling);
  u64 bytes() const;

 private:
  u32 add(u32 choice, const KeepMasks& keep, const TileRanges& ranges, u64 least_steps,
          const ClassUnrolling* unrolling);

  const LayerProblem& problem_;
  TileRanges ranges_, few_ranges_;
  u32 choices_ = 0;
  Twins twins_ = Twins::No;
  std::vector<std::unique_ptr<KeepSpace>> space_;
  std::vector<u32> choice_of_;
  std::map<std::vector<u32>, u32> known_;  // by choice and units
};

}  // namespace heliolite
