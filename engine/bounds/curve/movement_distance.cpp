#include "engine/bounds/curve/movement_distance.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/model/cost_model.h"
#include "engine/model/fingerprint.h"
#include "engine/model/keep.h"

namespace heliolite {
namespace {

// More units than all tensors have: a level that holds them is as good as unbounded.
constexpr u64 kManyUnits = u64{1} << 63;

// Layers of networks need less than a hundredth of it; an Einsum of many dimensions would take seconds.
constexpr u64 kQuickNestings = 2'000'000;

// Units that all instances of the level may hold; absent: unbounded. A tensor without a size has words of each level.
// If those are smaller here than the ones it is counted in, it takes more room in units than here: as much more may
// then be inside as if all tensors were of this kind (docs/rules/orojenesis.md, "Sizes of words").
std::optional<u64> room(const StorageLevel& level, const Workload& workload, const WordUnit& unit) {
  const std::optional<u64> words = level.capacity_words();
  if (!words || unit.counts_words()) return words ? std::optional(*words * level.instances) : std::nullopt;
  WordLength bits = level.word_bits;
  const auto unstated = [](const Tensor& t) { return !t.word_bits; };
  if (std::ranges::any_of(workload.tensors, unstated)) bits = std::max(bits, unit.unstated.value_or(bits));
  if (*words > kManyUnits / (bits.parts() * unit.bits.of_bit()) / level.instances) return std::nullopt;
  return bits.in_units(unit.bits, *words) * level.instances;
}

}  // namespace

WordUnit boundary_unit(const Workload& workload, const Architecture& architecture) {
  return *word_unit(workload, architecture.levels.back().word_bits);
}

std::vector<Boundary> boundaries(const Architecture& architecture, const Workload& workload, const WordUnit& unit) {
  const WordUnit::Sizes sizes = unit.sizes(workload);
  std::vector<Boundary> all;
  std::optional<u64> stored = 0;
  TensorMask must = 0;  // tensors that every mapping stores inside
  const u64 units = architecture.compute.instances;
  for (std::size_t i = 0; i + 1 < architecture.levels.size(); ++i) {
    const StorageLevel& level = architecture.levels[i];
    const std::optional<u64> here = room(level, workload, unit);
    stored = stored && here ? std::optional(*stored + *here) : std::nullopt;
    u64 open = 0;
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
      if (keep_choice(level.keep, workload, static_cast<int>(v)) == KeepChoice::Keep)
        must |= static_cast<TensorMask>(1u << v);
      if (!contains(must, v)) open += sizes[v];
    }
    all.push_back({level.name, stored, unit});
    if (all.back().capacity_words && units > 1) *all.back().capacity_words += open * units;
  }
  return all;
}

std::vector<Crossing> crossings(const Breakdown& breakdown, const WordUnit::Sizes& sizes) {
  const u64 operands = breakdown.compute.utilized > 1 ? breakdown.compute.utilized : 0;
  std::vector<Crossing> all;
  const std::size_t levels = breakdown.level.size(), tensors = breakdown.level.front().tensor.size();
  std::vector<u64> held(tensors, operands);
  for (std::size_t i = 0; i + 1 < levels; ++i) {
    Crossing crossing;
    for (std::size_t v = 0; v < tensors; ++v) {
      const TensorTraffic& here = breakdown.level[i].tensor[v];
      if (here.kept) held[v] = here.tile_words * here.instances;
      crossing.words += held[v] * sizes[v];
      std::size_t outside = i + 1;
      while (!breakdown.level[outside].tensor[v].kept) ++outside;  // the outermost level keeps everything
      const TensorTraffic& store = breakdown.level[outside].tensor[v];
      crossing.accesses += static_cast<u64>(store.reads + store.updates) * store.instances * sizes[v];
    }
    all.push_back(crossing);
  }
  return all;
}

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
