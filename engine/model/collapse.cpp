#include "engine/model/collapse.h"

#include <algorithm>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/model/partition.h"

namespace heliolite {
namespace {

u64 minus(u64 a, u64 b) { return a > b ? a - b : 0; }

std::vector<CollapsedTensor> collapse_perfect(const Compiled& c, const Mapping& m, const Nest& nest, int v) {
  const CompiledTensor& t = c.tensor[v];
  const int levels = c.level_count;
  const LoopMask moving = nest.moving(t);
  const auto part = partitions(c, t, nest, moving);
  std::vector<CollapsedTensor> out(at(levels));
  std::vector<ReceiverGroups> groups;
  u64 in = nest.steps, raw = in;  // words per receiver below, after and before bypass scaling
  for (int i = 0; i < levels; ++i) {
    CollapsedTensor& row = out[at(i)];
    const u64 accesses = in * distinct_offsets(t, nest, i, c.level[i]);
    receiver_groups(t, nest, i, c.level[i], groups);
    row.kept = m.keeps(i, v);
    const u64 own_part = row.kept ? part[i] : 0;
    for (const ReceiverGroups& g : groups)
      row.records.push_back(
          {g.multicast, g.groups,
           crossing_words(static_cast<double>(in * g.groups), t.is_output, c.level[i].is_dram, own_part),
           0.5 * static_cast<double>(raw) * static_cast<double>(g.half_hops)});
    row.instances = nest.instances[i];
    row.fanout = nest.product_x[i] * nest.product_y[i];
    Box tile;
    const LoopMask inside = nest.inside(i, m.outside[at(i)][at(v)]);
    tile.measure(t, nest.tile(inside));
    raw = i + 1 < levels ? temporal_traffic(t, moving, nest, inside, tile) : 0;
    if (row.kept) {
      row.tile_words = tile.words;
      row.reads = t.is_output ? minus(accesses, part[i]) : accesses;
      row.fills = i + 1 == levels ? 0 : t.is_output ? minus(raw, part[i]) : raw;
      row.updates = t.is_output ? accesses : 0;
    }
    in = row.kept ? raw : accesses;
  }
  return out;
}

// Rule 14: the share of the tensor that belongs to one instance of each level.
std::vector<u64> imperfect_partitions(const std::vector<LevelNest>& nest) {
  std::vector<u64> part(nest.size());
  part.back() = nest.back().tile_words;
  for (std::size_t i = nest.size() - 1; i > 0; --i)
    part[i - 1] = part[i] * nest[i - 1].tile_words / nest[i].tile_below_master;
  return part;
}

std::vector<CollapsedTensor> collapse_imperfect(const Compiled& c, const Mapping& m, const std::vector<LevelNest>& nest,
                                                int v) {
  const bool is_output = c.tensor[v].is_output;
  const std::vector<u64> part = imperfect_partitions(nest);
  std::vector<CollapsedTensor> out(nest.size());
  double scale = 1;  // rule 16, of the records at this level
  for (std::size_t i = 0; i < nest.size(); ++i) {
    CollapsedTensor& row = out[i];
    row.kept = m.keeps(static_cast<int>(i), v);
    row.instances = nest[i].used;
    row.fanout = nest[i].fanout;
    double accesses = 0;
    const u64 own_part = row.kept ? part[i] : 0;
    for (const NestRecord& r : nest[i].records) {
      accesses += r.words * scale;
      row.records.push_back({r.multicast, r.groups,
                             crossing_words(r.words * scale, is_output, c.level[i].is_dram, own_part), r.hop_words});
    }
    const bool outermost = i + 1 == nest.size();
    double received = 0;  // words times receivers at the next level out, before bypass
    if (!outermost)
      for (const NestRecord& r : nest[i + 1].records) received += r.words * static_cast<double>(r.multicast);
    if (row.kept) {
      const double share = outermost ? 0 : nest[i + 1].share;
      row.tile_words = nest[i].tile_words;
      row.reads = rounded(is_output ? accesses - static_cast<double>(part[i]) : accesses);
      row.updates = is_output ? rounded(accesses) : 0;
      row.fills = is_output ? rounded(share - (outermost ? 0 : static_cast<double>(part[i])))
                            : static_cast<u64>(std::max(0.0, share));
      scale = 1;
    } else if (!outermost) {
      scale = accesses * static_cast<double>(nest[i + 1].fanout) / received;
    }
  }
  return out;
}

}  // namespace

CollapsedTraffic collapse(const Compiled& c, const Mapping& mapping, const Nest& nest) {
  CollapsedTraffic out;
  for (int v = 0; v < c.tensor_count; ++v) out.push_back(collapse_perfect(c, mapping, nest, v));
  return out;
}

CollapsedTraffic collapse(const Compiled& c, const Mapping& mapping, const NestTraffic& traffic) {
  CollapsedTraffic out;
  for (int v = 0; v < c.tensor_count; ++v) out.push_back(collapse_imperfect(c, mapping, traffic.at[at(v)], v));
  return out;
}

}  // namespace heliolite
