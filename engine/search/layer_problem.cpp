#include "engine/search/layer_problem.h"

namespace heliolite {

KeepRange LayerProblem::keep_range() const {
  KeepRange keep;
  for (std::size_t i = 0; i < space.levels.size(); ++i) {
    keep.must[i] = space.levels[i].keep;
    keep.may[i] = space.levels[i].keep | space.levels[i].open;
  }
  return keep;
}

bool LayerAnswer::offer(Objective objective, const Mapping& candidate, const Cost& its_cost) {
  const Value v = Value::of(objective, its_cost);
  if (found && (value < v || (value == v && mapping <= candidate))) return false;
  found = true;
  mapping = candidate;
  cost = its_cost;
  value = v;
  return true;
}

}  // namespace heliolite
