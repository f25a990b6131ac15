#include "engine/search/exact.h"

#include <algorithm>

#include "engine/search/exact_search.h"

namespace heliolite {
namespace {

using KeepChoice = std::array<TensorMask, kMaxLevels>;

// Every way to decide what the machine leaves open.
std::vector<KeepChoice> keep_choices(const Mapspace& space) {
  KeepChoice base{};
  std::vector<std::pair<std::size_t, TensorMask>> open;
  for (std::size_t i = 0; i < space.levels.size(); ++i) {
    base.at(i) = static_cast<TensorMask>(space.levels[i].keep | space.levels[i].open);
    for (int v = 0; v < space.tensor_count; ++v)
      if (space.levels[i].open >> v & 1) open.emplace_back(i, static_cast<TensorMask>(1u << v));
  }
  std::vector<KeepChoice> out;
  for (u64 bypass = 0; bypass < u64{1} << open.size(); ++bypass) {
    KeepChoice keep = base;
    for (std::size_t k = 0; k < open.size(); ++k)
      if (bypass >> k & 1) keep[open[k].first] &= static_cast<TensorMask>(~open[k].second);
    out.push_back(keep);
  }
  return out;
}

}  // namespace

LayerAnswer exact_search(const LayerProblem& problem, const LayerAnswer& start) {
  ExactIncumbent incumbent;
  incumbent.objective = problem.options.objective;
  if (start.found) incumbent.offer(start.mapping, start.cost);
  incumbent.answer.statistics = start.statistics;
  const Compiled& c = problem.model.compiled();
  const Lattice lattice(c.size, c.dimension_count);
  if (lattice.points() > Lattice::kMaxPoints) return incumbent.answer;
  for (const KeepChoice& keep : keep_choices(problem.space)) {
    ExactSearch search(problem, keep, lattice);
    if (incumbent.cuts(incumbent.key_of(search.root_bound()))) continue;
    for (std::size_t width = 64;; width *= 64) {
      const ExactPass pass = search.run(width, incumbent);
      if (pass.complete || incumbent.cuts(pass.least_dropped)) break;
    }
    incumbent.answer.statistics.evaluated += search.statistics().evaluated;
  }
  incumbent.answer.complete = true;
  return incumbent.answer;
}

}  // namespace heliolite
