#pragma once
// Random small problems for property tests: well-formed workloads, machines and mappings, the same for the same seed.
// A failing case is reproduced by its seed alone.
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite::testing {

using Rng = std::mt19937_64;

struct RandomOptions {
  int max_dimensions = 4;
  int max_tensors = 4;  // output included
  u64 max_size = 24;    // of a dimension
  int max_levels = 4;
  u64 max_fanout = 4;          // along one axis
  int max_temporal_loops = 6;  // the oracle's time doubles or worse with each
  bool imperfect = false;      // factors need not divide
  bool sliding = true;         // ranks over two or three dimensions, strides and dilations
  bool plain_output = false;   // each rank of the output is a dimension
  bool links = false;          // neighbours pass words on
  bool interconnects = false;  // between levels
  bool capacities = false;     // finite buffers: the mapping may then not fit
  bool reductions = false;     // levels say whether they reduce
  bool word_bits = false;      // tensors state the sizes of their words, and levels have several
};

// In [low, high]. Not std::uniform_int_distribution: its values differ between standard libraries.
inline u64 pick(Rng& rng, u64 low, u64 high) { return low + rng() % (high - low + 1); }
inline bool chance(Rng& rng, u64 percent) { return pick(rng, 0, 99) < percent; }

namespace detail {

// A rank over some of the dimensions that `unused` still holds (a dimension indexes a tensor once).
inline Rank random_rank(Rng& rng, std::vector<int>& unused, bool sliding) {
  Rank rank;
  const u64 terms = !sliding || chance(rng, 60) ? 1 : pick(rng, 2, 3);
  for (u64 k = 0; k < terms && !unused.empty(); ++k) {
    rank.terms.push_back({unused.back(), sliding && chance(rng, 30) ? pick(rng, 2, 3) : 1});
    unused.pop_back();
  }
  return rank;
}

// Grows one dimension's loops from the inside out: n iterations are left, the next loop covers `end` of them.
struct Splitter {
  u64 left = 1;
  bool imperfect = false;

  u64 largest(u64 limit) const { return std::min(limit, left); }

  // A factor of at most `limit`; perfect ones divide what is left.
  u64 choose(Rng& rng, u64 limit) const {
    if (imperfect && chance(rng, 50)) return pick(rng, 1, largest(limit));
    std::vector<u64> divisors;
    for (u64 f = 1; f <= largest(limit); ++f)
      if (left % f == 0) divisors.push_back(f);
    return divisors[pick(rng, 0, divisors.size() - 1)];
  }

  // Takes `end` of what is left; returns the residual.
  u64 take(u64 end) {
    const u64 residual = (left - 1) % end + 1;
    left = (left - 1) / end + 1;
    return residual;
  }
};

template <class T>
void shuffle(Rng& rng, std::vector<T>& items) {
  for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[pick(rng, 0, k - 1)]);
}

}  // namespace detail

// One Einsum: every dimension indexes some tensor, exactly one output.
inline Workload random_workload(Rng& rng, const RandomOptions& options = {}) {
  Workload w;
  w.name = "random";
  const int dimensions = static_cast<int>(pick(rng, 1, static_cast<u64>(options.max_dimensions)));
  for (int d = 0; d < dimensions; ++d)
    w.dimensions.push_back({std::string(1, static_cast<char>('A' + d)), pick(rng, 1, options.max_size)});
  const int tensors = static_cast<int>(pick(rng, 2, static_cast<u64>(options.max_tensors)));
  DimensionMask indexed = 0;
  for (int v = 0; v < tensors; ++v) {
    const bool output = v + 1 == tensors;
    std::vector<int> unused;
    for (int d = 0; d < dimensions; ++d)
      if (chance(rng, 65) || (output && !(indexed >> d & 1))) unused.push_back(d);
    if (unused.empty()) unused.push_back(static_cast<int>(pick(rng, 0, static_cast<u64>(dimensions - 1))));
    for (int d : unused) indexed |= static_cast<DimensionMask>(1u << d);
    detail::shuffle(rng, unused);
    const Role role = output ? Role::Output : v == 0 ? Role::Weight : Role::Input;
    Tensor t{output ? "Out" : "In" + std::to_string(v), {}, role};
    while (!unused.empty())
      t.ranks.push_back(detail::random_rank(rng, unused, options.sliding && !(output && options.plain_output)));
    w.tensors.push_back(std::move(t));
  }
  return w;
}

// An interconnect below level i; the level's fan-out stays where it is, or moves to the interconnect.
inline void insert_interconnect(Rng& rng, Architecture& a, std::size_t i) {
  StorageLevel& outer = a.levels[i];
  StorageLevel link;
  link.name = "Link" + std::to_string(i);
  link.is_interconnect = true;
  link.keep = {{}, {"all"}};
  link.loops_allowed = false;
  if (chance(rng, 50)) {
    std::swap(link.fanout_x, outer.fanout_x);
    std::swap(link.fanout_y, outer.fanout_y);
    std::swap(link.constraints.spatial, outer.constraints.spatial);
  }
  link.instances = outer.instances * outer.fanout_x * outer.fanout_y;
  link.mesh_x = outer.mesh_x * outer.fanout_x;
  link.block_words = pick(rng, 1, 3);
  link.energy = {static_cast<double>(pick(rng, 0, 400)) / 8, static_cast<double>(pick(rng, 0, 400)) / 8,
                 static_cast<double>(pick(rng, 0, 400)) / 8};
  link.leak_pj_per_cycle = chance(rng, 30) ? 0.25 : 0;
  if (chance(rng, 40)) link.bandwidth.read = static_cast<double>(pick(rng, 1, 16)) / 8;
  if (chance(rng, 40)) link.bandwidth.write = static_cast<double>(pick(rng, 1, 16)) / 8;
  if (chance(rng, 30)) link.bandwidth.shared = static_cast<double>(pick(rng, 1, 16)) / 8;
  if (chance(rng, 20)) link.network = {0.5, 0.25, 0.125};
  a.levels.insert(a.levels.begin() + static_cast<std::ptrdiff_t>(i), link);
}

inline void add_interconnects(Rng& rng, Architecture& a) {
  insert_interconnect(rng, a, pick(rng, 0, a.levels.size() - 1));
  for (std::size_t i = a.levels.size(); i-- > 0;)
    if (!a.levels[i].is_interconnect && a.levels.size() < std::size_t{kMaxLevels} && chance(rng, 25))
      insert_interconnect(rng, a, i);
}

// A chain of levels with up to two fan-outs; all costs vary.
inline Architecture random_architecture(Rng& rng, const RandomOptions& options = {}) {
  Architecture a;
  a.name = "random";
  const int levels = static_cast<int>(pick(rng, 1, static_cast<u64>(options.max_levels)));
  a.levels.resize(static_cast<std::size_t>(levels));
  for (u64 fanouts = pick(rng, 0, 2); fanouts > 0; --fanouts) {
    StorageLevel& level = a.levels[pick(rng, 0, static_cast<u64>(levels - 1))];
    level.fanout_x = pick(rng, 1, options.max_fanout);
    level.fanout_y = pick(rng, 1, options.max_fanout);
  }
  u64 x = 1, y = 1;
  for (int i = levels - 1; i >= 0; --i) {
    StorageLevel& level = a.levels[static_cast<std::size_t>(i)];
    level.name = "L" + std::to_string(i);
    level.instances = x * y;
    level.mesh_x = x;
    x *= level.fanout_x;
    y *= level.fanout_y;
    level.is_dram = i == levels - 1 && chance(rng, 50);
    if (options.reductions && chance(rng, 50)) level.reduction = chance(rng, 50);
    if (options.capacities && i < levels - 1 && chance(rng, 70)) level.entries = pick(rng, 4, 400);
    level.multiple_buffering = chance(rng, 20) ? 2 : 1;
    level.block_words = u64{1} << pick(rng, 0, 2);
    level.cluster_size = level.instances % 2 == 0 && chance(rng, 30) ? 2 : 1;
    level.energy = {static_cast<double>(pick(rng, 1, 800)) / 8, static_cast<double>(pick(rng, 1, 800)) / 8,
                    static_cast<double>(pick(rng, 1, 800)) / 8};
    level.address_generation_pj = chance(rng, 30) ? 0.125 : 0;
    level.leak_pj_per_cycle = chance(rng, 30) ? 0.25 : 0;
    if (chance(rng, 40)) level.bandwidth.read = static_cast<double>(pick(rng, 1, 16)) / 4;
    if (chance(rng, 40)) level.bandwidth.write = static_cast<double>(pick(rng, 1, 16)) / 4;
    if (chance(rng, 20)) level.bandwidth.shared = static_cast<double>(pick(rng, 1, 16)) / 2;
    if (chance(rng, 50)) level.network = {0.5, 0.25, 0.125};
  }
  a.compute.instances = x * y;
  a.compute.mesh_x = x;
  a.compute.op_pj = static_cast<double>(pick(rng, 1, 16)) / 4;
  if (options.interconnects) add_interconnects(rng, a);
  a.peer_channel = options.links;
  if (options.links && chance(rng, 20))
    a.levels[pick(rng, 0, static_cast<u64>(levels - 1))].constraints.spatial.no_peers = {"In0"};
  return a;
}

// A well-formed mapping: factors give every size, spatial ones within the fan-outs, everything kept at the outermost
// level and at random elsewhere. Capacities are not looked at.
inline Mapping random_mapping(Rng& rng, const Workload& w, const Architecture& a, const RandomOptions& options = {}) {
  Mapping m;
  m.level_count = static_cast<u8>(a.levels.size());
  std::vector<detail::Splitter> split;
  for (const Dimension& d : w.dimensions) split.push_back({d.size, options.imperfect});
  int temporal_left = options.max_temporal_loops - static_cast<int>(w.dimensions.size());  // the outermost need theirs
  std::vector<std::size_t> order(w.dimensions.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  for (int i = 0; i < m.level_count; ++i) {
    const StorageLevel& level = a.levels[static_cast<std::size_t>(i)];
    const bool outermost = i + 1 == m.level_count;
    for (const LoopKind kind : {LoopKind::SpatialX, LoopKind::SpatialY, LoopKind::Temporal}) {
      const bool temporal = kind == LoopKind::Temporal;
      if (temporal && level.is_interconnect) continue;
      u64 room = temporal ? options.max_size : kind == LoopKind::SpatialX ? level.fanout_x : level.fanout_y;
      detail::shuffle(rng, order);
      for (const std::size_t d : order) {
        detail::Splitter& s = split[d];
        u64 end = 1;
        if (temporal && outermost) end = s.left;
        else if (chance(rng, temporal ? 40 : 60) && (!temporal || temporal_left > 0)) end = s.choose(rng, room);
        // Now and then an end that is never reached, even in a loop that has nothing left to do.
        if (temporal && options.imperfect && chance(rng, 5) && (outermost || temporal_left > 0)) end = s.left + 1;
        if (end <= 1) continue;
        const u64 residual = s.take(end);
        if (!temporal) room /= end;
        if (temporal && !outermost) --temporal_left;
        m.add(kind, i, static_cast<int>(d), end, residual);
      }
    }
  }
  const auto all = static_cast<TensorMask>((1u << w.tensors.size()) - 1);
  for (int i = 0; i < m.level_count; ++i)
    if (!a.levels[static_cast<std::size_t>(i)].is_interconnect)
      m.keep[static_cast<std::size_t>(i)] = i + 1 == m.level_count ? all : static_cast<TensorMask>(pick(rng, 0, all));
  return m;
}

// Most tensors state a size; words of levels are as often smaller as they are larger.
inline void add_word_bits(Rng& rng, Workload& w, Architecture& a) {
  constexpr WordLength kMxfp4 = WordLength::of_parts(17, 4), kNvfp4 = WordLength::of_parts(9, 2);
  constexpr std::array<WordLength, 8> kSizes{1, 4, kMxfp4, 8, 12, 16, 24, kNvfp4};
  const auto size = [&] { return kSizes[pick(rng, 0, kSizes.size() - 1)]; };
  for (Tensor& t : w.tensors)
    if (chance(rng, 80)) t.word_bits = size();
  for (StorageLevel& level : a.levels) level.word_bits = size();
}

struct RandomProblem {
  Workload workload;
  Architecture architecture;
  Mapping mapping;
};

inline RandomProblem random_problem(u64 seed, const RandomOptions& options = {}) {
  Rng rng(seed);
  RandomProblem p;
  p.workload = random_workload(rng, options);
  p.architecture = random_architecture(rng, options);
  p.mapping = random_mapping(rng, p.workload, p.architecture, options);
  if (options.word_bits) add_word_bits(rng, p.workload, p.architecture);
  return p;
}

}  // namespace heliolite::testing
