// Lower bounds as users of the library see them (heliolite/bound.h).
#include <fmt/format.h>
#include <heliolite/bound.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/api/inside.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/network/network_bound.h"
#include "workloads/word_bits.h"

namespace heliolite::api {
namespace {

Diagnostics complaints_of_capacity(double capacity) {
  if (std::isfinite(capacity) && capacity > 0) return {};
  return {{"", 0, "capacity", fmt::format("capacity = {}, must be above 0", capacity)}};
}

}  // namespace

std::uint64_t LowerBounds::least() const {
  return bounds.empty() ? 0 : std::ranges::max(bounds, {}, &LowerBound::least).least;
}

Result<LowerBounds> lower_bounds(const Workload& workload, double capacity) {
  if (Diagnostics errors = complaints_of_capacity(capacity); !errors.empty()) return errors;
  const heliolite::Workload& of = Inside::of(workload);
  const Result<WordUnit> unit = word_unit(of);
  if (!unit) return unit.errors();
  const WordUnit::Sizes sizes = unit->sizes(of);
  const heliolite::LowerBounds bounds(of, {}, std::vector<double>(sizes.begin(), sizes.end()));
  LowerBounds out{.unit = std::string(unit->name()), .bounds = {}};
  for (heliolite::LowerBound& bound : bounds.at(capacity))
    out.bounds.push_back({std::string(heliolite::name(bound.kind)), bound.words, std::move(bound.why)});
  return out;
}

Result<NetworkBound> network_bound(const Network& network, double capacity) {
  if (Diagnostics errors = complaints_of_capacity(capacity); !errors.empty()) return errors;
  const Result<WordUnit> unit = word_unit(Inside::of(network));
  if (!unit) return unit.errors();
  heliolite::NetworkBound bound = heliolite::network_bound(Inside::of(network), capacity, Unnamed::Apart, *unit);
  return NetworkBound{std::string(unit->name()), bound.words, std::move(bound.layer)};
}

Result<std::vector<BoundaryTraffic>> movement(const Mapping& mapping) {
  MovementBound bound;
  const Result<std::vector<LevelDistance>> distances =
      bound.distances(Inside::of(mapping.workload()), Inside::of(mapping.architecture()), Inside::of(mapping));
  if (!distances) return distances.errors();
  std::vector<BoundaryTraffic> out;
  for (const LevelDistance& level : *distances)
    out.push_back({.level = level.bound.boundary.level,
                   .unit = std::string(level.bound.boundary.unit.name()),
                   .capacity = level.bound.boundary.capacity_words,
                   .least = level.bound.least,
                   .held = level.mapping.words,
                   .moved = level.mapping.accesses,
                   .least_for_held = level.least_for_held});
  return out;
}

}  // namespace heliolite::api
