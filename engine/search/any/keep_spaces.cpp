#include "engine/search/any/keep_spaces.h"

#include <algorithm>

#include "engine/search/core/compulsory.h"
#include "engine/search/imperfect/imperfect_bound.h"

namespace heliolite {
namespace {

constexpr u64 kMostKeepSpaces = 64;  // keep choices with tables of their own
constexpr u64 kMostTwinSpaces = 16;  // if there are no more of them, with twins, whose tables double theirs

}  // namespace

KeepSpaces::KeepSpaces(const LayerProblem& problem, std::size_t most_points)
    : ranges_(problem.model.compiled(), most_points) {
  const std::vector<KeepMasks> keeps = problem.keep_choices(kMostKeepSpaces);
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

}  // namespace heliolite
