#include "engine/search/any/keep_spaces.h"

#include <algorithm>

#include "engine/search/core/compulsory.h"
#include "engine/search/imperfect/imperfect_bound.h"

namespace heliolite {
namespace {

constexpr u64 kMostKeepSpaces = 64;  // keep choices with tables of their own
constexpr u64 kMostTwinSpaces = 16;  // if there are no more of them, with twins, whose tables double theirs
constexpr std::size_t kPointsOfUnrolling = 2'000;  // of the tables of each unrolling

}  // namespace

KeepSpaces::KeepSpaces(const LayerProblem& problem, std::size_t most_points)
    : problem_(problem),
      ranges_(problem.model.compiled(), most_points),
      few_ranges_(problem.model.compiled(), std::min(most_points, kPointsOfUnrolling)) {
  const std::vector<KeepMasks> keeps = problem.keep_choices(kMostKeepSpaces);
  if (keeps.size() <= kMostTwinSpaces) twins_ = Twins::Yes;
  const u64 least_steps = least_imperfect_steps(problem.model.compiled(), problem.space);
  for (const KeepMasks& keep : keeps) add(choices_++, keep, ranges_, least_steps, nullptr);
}

u32 KeepSpaces::add(u32 choice, const KeepMasks& keep, const TileRanges& ranges, u64 least_steps,
                    const ClassUnrolling* unrolling) {
  const u64 compulsory = compulsory_cost(problem_.model, {keep, keep}).whole.cycles;
  space_.push_back(std::make_unique<KeepSpace>(problem_.model.compiled(), keep, problem_.space, ranges,
                                               std::max(least_steps, compulsory), twins_, unrolling));
  choice_of_.push_back(choice);
  return static_cast<u32>(space_.size()) - 1;
}

u32 KeepSpaces::with_unrolling(u32 choice, const ClassUnrolling& unrolling) {
  std::vector<u32> key = unrolling.units;
  key.push_back(choice);
  const auto [known, fresh] = known_.try_emplace(std::move(key), 0);
  if (fresh) {
    const KeepMasks keep = space_[choice]->costs.keep();
    known->second = add(choice, keep, few_ranges_, unrolling.least_steps, &unrolling);
  }
  return known->second;
}

u64 KeepSpaces::bytes() const {
  u64 sum = 0;
  for (const auto& space : space_) sum += space->rest.bytes();
  return sum;
}

}  // namespace heliolite
