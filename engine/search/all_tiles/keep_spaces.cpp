#include "engine/search/all_tiles/keep_spaces.h"

#include <algorithm>
#include <span>

#include "engine/search/core/compulsory.h"
#include "engine/search/core/rules.h"
#include "engine/search/imperfect/imperfect_bound.h"

namespace heliolite {
namespace {

constexpr u64 kMostKeepSpaces = 64;  // keep choices with tables of their own
constexpr u64 kMostTwinSpaces = 16;  // if there are no more of them, with twins, whose tables double theirs
// Tables have as many points as let them look at so many tiles, of which those of sliding tensors take ten times as
// long; but not fewer than these.
constexpr u64 kMostTiles = 8'000'000, kMostSlidingTiles = 300'000;
constexpr std::size_t kFewPoints = 10'000;
constexpr std::size_t kPointsBefore = 3'333;  // of the boundaries that say which points need be looked at

TileRanges ranges_for(const LayerProblem& problem, std::span<const KeepMasks> keeps, std::size_t most_points) {
  const Compiled& c = problem.model.compiled();
  if (most_points <= kFewPoints || keeps.empty()) return TileRanges(c, most_points);
  const TileRanges few(c, kFewPoints);
  const KeptFlows costs(c, keeps.front(), Unrollable::of(problem.space), Twins::No);
  const u64 looked = std::max<u64>(1, keeps.size() * tiles_looked_at(costs, few, loop_limits(problem.space)));
  const bool slides = std::ranges::any_of(costs.flows(), &Flow::sliding);
  const u64 most_tiles = slides ? kMostSlidingTiles : kMostTiles;
  return TileRanges(c, std::clamp<std::size_t>(most_tiles * few.points() / looked, kFewPoints, most_points));
}

}  // namespace

KeepSpaces::KeepSpaces(const LayerProblem& problem, const Incumbent& incumbent, RuleCounts& counts,
                       std::size_t most_points, DimensionMask batches, const SearchBudget& budget)
    : KeepSpaces(problem, incumbent, counts, problem.keep_choices(kMostKeepSpaces), most_points, batches, budget) {}

KeepSpaces::KeepSpaces(const LayerProblem& problem, const Incumbent& incumbent, RuleCounts& counts,
                       const std::vector<KeepMasks>& keeps, std::size_t most_points, DimensionMask batches,
                       const SearchBudget& budget)
    : ranges_(ranges_for(problem, keeps, most_points)) {
  const Twins twins = keeps.size() <= kMostTwinSpaces ? Twins::Yes : Twins::No;
  const u64 least_steps = least_imperfect_steps(problem.model.compiled(), problem.space);
  for (const KeepMasks& keep : keeps) {
    if (whole_ = whole_ && !budget.over(); !whole_) return;
    const u64 compulsory = compulsory_cost(problem.model, {keep, keep}).whole.cycles;
    space_.push_back(std::make_unique<KeepSpace>(problem.model.compiled(), keep, problem.space,
                                                 std::max(least_steps, compulsory), batches, twins));
    tabulate(problem, incumbent, counts, *space_.back(), budget);
  }
}

// Tables of few points say which of the many need be looked at.
void KeepSpaces::tabulate(const LayerProblem& problem, const Incumbent& incumbent, RuleCounts& counts, KeepSpace& space,
                          const SearchBudget& budget) {
  const LoopLimits limits = loop_limits(problem.space);
  const TileRanges few(ranges_, kPointsBefore);
  const BoundaryTable boundaries(space.partial, space.costs, few, limits);
  Trail nothing(problem.model.compiled());
  nothing.begin(0);
  const OnceCost once = space.partial.once(nothing);
  const Gate gate(problem.options.rules, counts);
  const auto can_improve = [&](int level, const Rest& outside) {
    return !gate.prunes(Rule::RelaxedBound, [&] { return incumbent.cuts(with_outside(once, level, outside)); });
  };
  const KnownBefore known{boundaries, can_improve, [&] {
                            whole_ = whole_ && !budget.over();
                            return !whole_;
                          }};
  space.rest.emplace(space.partial, space.costs, ranges_, limits, &known, FurtherOut::Yes);
}

u64 KeepSpaces::bytes() const {
  u64 sum = 0;
  for (const auto& space : space_) sum += space->rest->bytes();
  return sum;
}

void KeepSpaces::settle(KeepSpace& space, const Trail& trail, const Reach& reach, bool loops) {
  unsettle();
  settled_ = &space.partial;
  settled_->settle(trail, reach, loops);
}

void KeepSpaces::look_ahead(KeepSpace& space, const Trail& trail, const Reach& reach) {
  if (space.partial.is_ahead()) return;
  if (settled_ != &space.partial) unsettle();
  settled_ = &space.partial;
  settled_->look_ahead(trail, reach);
}

void KeepSpaces::unsettle() {
  if (settled_ != nullptr) settled_->unsettle();
  settled_ = nullptr;
}

}  // namespace heliolite
