// Lower bounds, and curves of the least accesses, as users of the library see them (heliolite/bound.h,
// heliolite/curve.h).
#include <fmt/format.h>
#include <heliolite/bound.h>
#include <heliolite/curve.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/api/inside.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/fusion/cut.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/network/network_bound.h"
#include "workloads/word_bits.h"

namespace heliolite::api {

// Lower bounds as users of the library see them (heliolite/bound.h).

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

// Curves of the least accesses as users of the library see them (heliolite/curve.h).

namespace {

// The curve of mappings, called `kind`, raised to what every execution moves.
template <class How>
Result<AccessCurve> public_curve(const Result<Staircase<How>>& curve, const char* kind,
                                 const heliolite::Workload& workload, const OrojenesisOptions& options) {
  if (!curve) return curve.errors();
  AccessCurve out{.unit = {},
                  .points = {},
                  .minimum = algorithmic_minimum(workload, options),
                  .operands = operand_words(workload, options)};
  for (const RaisedStep& step : raised(curve->steps(), schedule_bounds(workload, options), out.operands))
    out.points.push_back(
        {step.step.buffer, step.step.accesses, step.by ? std::string(heliolite::name(*step.by)) : kind});
  return out;
}

}  // namespace

Result<AccessCurve> access_curve(const Workload& workload, const CurveOptions& options) {
  const heliolite::Workload& of = Inside::of(workload);
  const Result<WordUnit> unit = word_unit(of);
  if (!unit) return unit.errors();
  OrojenesisOptions asked;
  asked.imperfect = options.imperfect;
  asked.word_size = unit->sizes(of);
  asked.stop = options.stop;
  Result<AccessCurve> out = options.one_buffer ? public_curve(one_buffer_curve(of, asked), "orojenesis", of, asked)
                                               : public_curve(nested_curve(of, asked), "nested", of, asked);
  if (out) out->unit = unit->name();
  return out;
}

Result<FusedNetwork> FusedNetwork::create(const Network& network, const std::atomic<bool>* stop) {
  SegmentOptions options;
  options.stop = stop;
  return handled(SegmentedNetwork::create(Inside::of(network), options));
}

std::string FusedNetwork::unit() const { return std::string(state_->network.unit().name()); }

std::vector<FusedPoint> FusedNetwork::points(const std::vector<std::uint64_t>& buffers) const {
  std::vector<FusedPoint> out;
  for (const heliolite::FusedPoint& point :
       buffers.empty() ? state_->network.points() : state_->network.points(buffers))
    out.push_back({point.buffer, point.unfused, point.fused});
  return out;
}

std::vector<FusedSegment> FusedNetwork::segments(std::uint64_t buffer) const {
  std::vector<FusedSegment> out;
  const SegmentedNetwork& network = state_->network;
  for (std::size_t c = 0; c < network.chains().size(); ++c)
    for (const Segment& segment : network.segmented(c).best(buffer).segments) {
      FusedSegment& to = out.emplace_back();
      for (std::size_t e = segment.first; e < segment.last; ++e) to.layers.push_back(network.chains()[c].links[e].name);
      to.kind = heliolite::name(segment.kind);
      to.buffer = segment.buffer;
      to.accesses = segment.accesses;
    }
  return out;
}

}  // namespace heliolite::api
