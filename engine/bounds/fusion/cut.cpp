#include "engine/bounds/fusion/cut.h"

#include <algorithm>
#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dag_shortest_paths.hpp>
#include <limits>
#include <set>

#include "engine/base/integers.h"
#include "engine/model/fingerprint.h"

namespace heliolite {
namespace {

constexpr double kLeastFall = 1.0 / 512;  // between two points of a curve

std::vector<u64> shape_of(std::span<const ChainLink> links) {
  std::vector<u64> shape;
  for (const ChainLink& f : links)
    shape.insert(shape.end(), {f.rows, f.input_rows, f.groups, f.input_words, f.weight_words, f.output_words,
                               f.input_columns, f.output_columns, f.input_size, f.weight_size, f.output_size,
                               u64{f.slides}, f.pictures, f.stride, f.overlap, static_cast<u64>(f.before)});
  return shape;
}

std::shared_ptr<const FusedCurve> tiled_curve(std::span<const ChainLink> links, const FusionOptions& options,
                                              SegmentCurves& known) {
  const auto [same, unknown] = known.segments.try_emplace(shape_of(links));
  if (!unknown) return same->second;
  if (auto curve = tiled_fusion(links, options)) same->second = std::make_shared<const FusedCurve>(std::move(*curve));
  return same->second;
}

// An error where accesses may need more than 64 bits.
Diagnostics too_many_units(const Network& network, const WordUnit& unit) {
  u128 most = 0;
  for (const Layer& layer : network.layers)
    most += layer.count * most_accesses(layer.workload, unit.sizes(layer.workload));
  return beyond_64_bits(network.name, network.macs(), most, unit);
}

// Segments that cover all links at the fewest accesses. Vertices are the cut points, edges the candidates.
std::vector<Segment> shortest_path(std::size_t links, const std::vector<Segment>& candidates) {
  using Weighted = boost::property<boost::edge_weight_t, u64>;
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property, Weighted>;
  Graph graph(links + 1);
  for (const Segment& s : candidates) boost::add_edge(s.first, s.last, Weighted(s.accesses), graph);
  constexpr u64 kFar = std::numeric_limits<u64>::max();
  std::vector<u64> distance(links + 1, kFar);
  std::vector<std::size_t> before(links + 1, 0);
  const auto add = [](u64 a, u64 b) { return a == kFar || b == kFar ? kFar : a + b; };
  boost::dag_shortest_paths(
      graph, 0,
      boost::distance_map(boost::make_iterator_property_map(distance.begin(), boost::get(boost::vertex_index, graph)))
          .predecessor_map(boost::make_iterator_property_map(before.begin(), boost::get(boost::vertex_index, graph)))
          .distance_inf(kFar)
          .distance_combine(add));
  std::vector<Segment> path;
  for (std::size_t at = links; at > 0; at = before[at]) {
    const auto ends_here = [&](const Segment& s) { return s.first == before[at] && s.last == at; };
    const Segment* best = nullptr;
    for (const Segment& s : candidates)
      if (ends_here(s) && (best == nullptr || s.accesses < best->accesses)) best = &s;
    path.push_back(*best);
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace

Result<SegmentedChain> SegmentedChain::create(const Network& network, const Chain& chain, const SegmentOptions& options,
                                              SegmentCurves& known) {
  SegmentedChain out;
  out.untiled_ = options.untiled;
  const std::size_t count = chain.links.size();
  for (std::size_t e = 0; e < count; ++e) {
    const ChainLink& link = chain.links[e];
    const Workload& workload = network.layers[link.layer].workload;
    const auto operand = static_cast<TensorMask>(e > 0 ? 1u << link.input : 0);
    const auto output = static_cast<TensorMask>(e + 1 < count ? 1u << workload.output() : 0);
    if (Diagnostics errors = out.add_link(workload, operand, output, chain.unit, options, known); !errors.empty())
      return errors;
  }
  for (std::size_t first = 0; options.tiled && first < count; ++first)
    for (std::size_t last = first + 2; last <= std::min(count, first + kMaxFused); ++last) {
      if (options.stop != nullptr && *options.stop)
        return stopped_curve(network.layers[chain.links[first].layer].workload);
      auto curve = tiled_curve(std::span(chain.links).subspan(first, last - first), options.fusion, known);
      if (curve) out.tiled_.push_back({first, last, std::move(curve)});
    }
  return out;
}

Diagnostics SegmentedChain::add_link(const Workload& workload, TensorMask operand, TensorMask output,
                                     const WordUnit& unit, const SegmentOptions& options, SegmentCurves& known) {
  LinkCurves& curves = links_.emplace_back();
  for (const auto& [curve, resident] : {std::pair{&curves.free, TensorMask{0}},
                                        {&curves.operand, operand},
                                        {&curves.output, output},
                                        {&curves.both, static_cast<TensorMask>(operand | output)}}) {
    if (curve != &curves.free && (!options.untiled || resident == 0)) continue;
    auto& same = known.layers[{fingerprint(workload), resident}];
    if (same == nullptr) {
      OrojenesisOptions one;
      one.words = WordCount::Timeloop;  // of mappings as the model counts them: a schedule moves no more
      one.imperfect = options.imperfect;
      one.word_size = unit.sizes(workload);
      one.resident = resident;
      one.stop = options.stop;
      Result<Curve> found = one_buffer_curve(workload, one);
      if (!found) return found.errors();
      same = std::make_shared<const Curve>(std::move(*found));
    }
    *curve = same;
  }
  return {};
}

std::vector<Segment> SegmentedChain::candidates(u64 capacity) const {
  std::vector<Segment> all;
  for (std::size_t first = 0; first < links_.size(); ++first) {
    const auto* alone = links_[first].free->at(capacity);
    all.push_back({first, first + 1, SegmentKind::Alone, alone->buffer, alone->accesses, {}});
    Segment untiled{first, first + 1, SegmentKind::Untiled, 0, 0, {}};
    for (std::size_t e = first; untiled_ && e + 1 < links_.size(); ++e) {
      // Links first .. e leave their outputs inside; link e + 1 may be the last one.
      const auto* point = links_[e].with(e > first, true).at(capacity);
      const auto* last = links_[e + 1].with(true, false).at(capacity);
      if (point == nullptr) break;
      untiled.accesses += point->accesses;
      untiled.buffer = std::max(untiled.buffer, point->buffer);
      if (last == nullptr) continue;
      all.push_back({first,
                     e + 2,
                     SegmentKind::Untiled,
                     std::max(untiled.buffer, last->buffer),
                     untiled.accesses + last->accesses,
                     {}});
    }
  }
  for (const TiledSegment& segment : tiled_)
    if (const auto point = segment.curve->at(capacity))
      all.push_back({segment.first, segment.last, SegmentKind::Tiled, point->buffer, point->accesses, point->how});
  return all;
}

u64 SegmentedChain::unfused(u64 capacity) const {
  u64 accesses = 0;
  for (const LinkCurves& link : links_) accesses += link.free->at(capacity)->accesses;
  return accesses;
}

Segmentation SegmentedChain::best(u64 capacity) const {
  Segmentation out;
  out.segments = shortest_path(links_.size(), candidates(capacity));
  for (const Segment& s : out.segments) out.accesses += s.accesses;
  return out;
}

std::vector<u64> SegmentedChain::capacities() const {
  std::vector<u64> all{0};
  std::set<const void*> seen;  // curves of equal layers are one
  for (const LinkCurves& link : links_)
    for (const auto& curve : {link.free, link.operand, link.output, link.both})
      if (curve != nullptr && seen.insert(curve.get()).second)
        for (const auto& point : curve->points()) all.push_back(point.buffer);
  for (const TiledSegment& segment : tiled_) {
    if (!seen.insert(segment.curve.get()).second) continue;
    const std::vector<u64> here = segment.curve->capacities();
    all.insert(all.end(), here.begin(), here.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Result<SegmentedNetwork> SegmentedNetwork::create(const Network& network, const SegmentOptions& options) {
  const Result<WordUnit> unit = word_unit(network);
  if (!unit) return unit.errors();
  if (Diagnostics errors = too_many_units(network, *unit); !errors.empty()) return errors;
  SegmentedNetwork out;
  out.unit_ = *unit;
  out.chains_ = find_chains(network, *unit);
  SegmentCurves known;
  out.joined_ = joined_words(network, out.chains_, *unit);
  for (const Chain& chain : out.chains_) {
    Result<SegmentedChain> segmented = SegmentedChain::create(network, chain, options, known);
    if (!segmented) return segmented.errors();
    out.segmented_.push_back(std::move(*segmented));
  }
  return out;
}

u64 SegmentedNetwork::unfused(u64 capacity) const {
  u64 accesses = joined_;
  for (std::size_t c = 0; c < chains_.size(); ++c) accesses += chains_[c].count * segmented_[c].unfused(capacity);
  return accesses;
}

u64 SegmentedNetwork::fused(u64 capacity) const {
  u64 accesses = joined_;
  for (std::size_t c = 0; c < chains_.size(); ++c) accesses += chains_[c].count * segmented_[c].best(capacity).accesses;
  return accesses;
}

std::vector<u64> SegmentedNetwork::capacities() const {
  std::vector<u64> all;
  for (const SegmentedChain& chain : segmented_) {
    const std::vector<u64> here = chain.capacities();
    all.insert(all.end(), here.begin(), here.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<FusedPoint> SegmentedNetwork::points(std::span<const u64> capacities, const std::atomic<bool>* stop) const {
  std::vector<FusedPoint> points;
  points.reserve(capacities.size());
  for (const u64 capacity : capacities) {
    if (stop != nullptr && *stop) break;
    points.push_back({capacity, unfused(capacity), fused(capacity)});
  }
  return points;
}

std::vector<FusedPoint> SegmentedNetwork::points(const std::atomic<bool>* stop) const {
  std::vector<FusedPoint> points;
  FusedPoint lowest;  // the first of the last accesses
  for (const FusedPoint& p : this->points(capacities(), stop)) {
    const bool falls = points.empty() || p.unfused < points.back().unfused ||
                       p.fused + static_cast<u64>(kLeastFall * static_cast<double>(p.fused)) < points.back().fused;
    if (falls) points.push_back(p);
    if (falls || p.fused < lowest.fused) lowest = p;
  }
  if (!points.empty() && lowest.fused < points.back().fused) points.push_back(lowest);
  return points;
}

}  // namespace heliolite
