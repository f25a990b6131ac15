#include "engine/search/any/keep_spaces.h"

#include <algorithm>
#include <span>

#include "engine/search/core/compulsory.h"
#include "engine/search/imperfect/imperfect_bound.h"

namespace heliolite {
namespace {

constexpr u64 kMostKeepSpaces = 64;  // keep choices with tables of their own
constexpr u64 kMostTwinSpaces = 16;  // if there are no more of them, with twins, whose tables double theirs
// Tables have as many points as let them look at so many tiles, of which those of sliding tensors take ten times as
// long; but not fewer than these.
constexpr u64 kMostTiles = 1'500'000, kMostSlidingTiles = 150'000;
constexpr std::size_t kFewPoints = 10'000;

TileRanges ranges_for(const LayerProblem& problem, std::span<const KeepMasks> keeps, std::size_t most_points) {
  const Compiled& c = problem.model.compiled();
  if (most_points <= kFewPoints || keeps.empty()) return TileRanges(c, most_points);
  const TileRanges few(c, kFewPoints);
  const KeptFlows costs(c, keeps.front(), Unrollable::of(problem.space), Twins::No);
  const u64 looked = std::max<u64>(1, keeps.size() * tiles_looked_at(costs, few, most_tiles_outside(problem.space)));
  const bool slides = std::ranges::any_of(costs.flows(), &Flow::sliding);
  const u64 most_tiles = slides ? kMostSlidingTiles : kMostTiles;
  return TileRanges(c, std::clamp<std::size_t>(most_tiles * few.points() / looked, kFewPoints, most_points));
}

}  // namespace

KeepSpaces::KeepSpaces(const LayerProblem& problem, std::size_t most_points)
    : KeepSpaces(problem, problem.keep_choices(kMostKeepSpaces), most_points) {}

KeepSpaces::KeepSpaces(const LayerProblem& problem, const std::vector<KeepMasks>& keeps, std::size_t most_points)
    : ranges_(ranges_for(problem, keeps, most_points)) {
  const Twins twins = keeps.size() <= kMostTwinSpaces ? Twins::Yes : Twins::No;
  const u64 least_steps = least_imperfect_steps(problem.model.compiled(), problem.space);
  for (const KeepMasks& keep : keeps) {
    const u64 compulsory = compulsory_cost(problem.model, {keep, keep}).whole.cycles;
    space_.push_back(std::make_unique<KeepSpace>(problem.model.compiled(), keep, problem.space, ranges_,
                                                 std::max(least_steps, compulsory), twins));
  }
}

u64 KeepSpaces::bytes() const {
  u64 sum = 0;
  for (const auto& space : space_) sum += space->rest.bytes();
  return sum;
}

void KeepSpaces::settle(KeepSpace& space, const Trail& trail, const Reach& reach) {
  unsettle();
  settled_ = &space.partial;
  settled_->settle(trail, reach);
}

void KeepSpaces::unsettle() {
  if (settled_ != nullptr) settled_->unsettle();
  settled_ = nullptr;
}

}  // namespace heliolite
