#include "engine/bounds/curve/movement_distance.h"

#include <utility>

#include "engine/model/cost_model.h"
#include "engine/model/fingerprint.h"

namespace heliolite {
namespace {

// Layers of networks need less than a hundredth of it; an Einsum of many dimensions would take seconds.
constexpr u64 kQuickNestings = 2'000'000;

}  // namespace

std::vector<LevelBound> level_bounds(const NestedCurve& curve, const Workload& workload,
                                     const Architecture& architecture, const WordUnit& unit) {
  std::vector<LevelBound> levels;
  for (Boundary& boundary : boundaries(architecture, workload, unit)) {
    // The first point needs no storage, the last one has the fewest accesses.
    const auto& capacity = boundary.capacity_words;
    const auto* point = capacity ? curve.at(*capacity) : &curve.points().back();
    if (point == nullptr) point = &curve.points().front();
    levels.push_back({std::move(boundary), point->accesses});
  }
  return levels;
}

std::vector<LevelDistance> level_distances(const NestedCurve& curve, const Workload& workload,
                                           const Architecture& architecture, const Breakdown& breakdown,
                                           const WordUnit& unit) {
  const std::vector<Crossing> pairs = crossings(breakdown, unit.sizes(workload));
  std::vector<LevelDistance> distances;
  for (LevelBound& bound : level_bounds(curve, workload, architecture, unit)) {
    const Crossing& pair = pairs[distances.size()];
    distances.push_back({std::move(bound), pair, curve.at(pair.words)->accesses});
  }
  return distances;
}

Result<std::vector<LevelDistance>> MovementBound::distances(const Workload& workload, const Architecture& architecture,
                                                            const Mapping& mapping) {
  return distances(workload, architecture, mapping, CostModel(workload, architecture).explain(mapping));
}

Result<std::vector<LevelDistance>> MovementBound::distances(const Workload& workload, const Architecture& architecture,
                                                            const Mapping& mapping, const Breakdown& breakdown) {
  if (!mapping.is_perfect())
    return Diagnostic{workload.name, 0, "",
                      "some of the mapping's tiles do not divide the sizes, and the curve is of those that do"};
  const WordUnit unit = boundary_unit(workload, architecture);
  const Result<NestedCurve>& least = curve(workload, unit);
  if (!least) return least.errors();
  return level_distances(*least, workload, architecture, breakdown, unit);
}

const Result<NestedCurve>& MovementBound::curve(const Workload& workload, const WordUnit& unit) {
  std::unique_lock lock(mutex_);
  Entry& entry = curves_[{fingerprint(workload), unit.unstated}];
  lock.unlock();
  OrojenesisOptions options;
  options.max_nestings = kQuickNestings;
  options.word_size = unit.sizes(workload);
  std::call_once(entry.once, [&] { entry.curve = nested_curve(workload, options); });
  return *entry.curve;
}

}  // namespace heliolite
