#include "engine/search/exact_model.h"

#include <algorithm>
#include <bit>

#include "engine/model/multicast.h"
#include "engine/model/nest.h"
#include "engine/space/footprint.h"

namespace heliolite {
namespace {

class Builder {
 public:
  Builder(const LayerProblem& problem, const std::array<TensorMask, kMaxLevels>& keep, const Lattice& lattice)
      : m_{&problem, &problem.model.compiled(), keep, lattice, {}, {}, {}, {}, 0, false, true, {}, 0, 1},
        c_(*m_.compiled) {}

  ExactModel run() {
    m_.timed = m_.problem->options.objective != Objective::Energy;
    m_.macs = static_cast<double>(c_.macs);
    m_.constant = static_cast<double>(c_.op_units) * m_.macs;
    for (int v = 0; v < c_.tensor_count; ++v)
      if (c_.tensor[v].is_output) m_.output = v;
    const CompiledTensor& output = c_.tensor[m_.output];
    // Then the share of the output that an instance owns is a quotient of boxes, and truncated.
    if (output.term_count != 0 || output.entangled) m_.exact = false;
    m_.level.resize(static_cast<std::size_t>(c_.level_count));
    for (int i = 0; i < c_.level_count; ++i)
      m_.level[static_cast<std::size_t>(i)].keep = m_.keep[static_cast<std::size_t>(i)];
    for (int i = 0; i < c_.level_count; ++i) m_.fanout.push_back(make_fanout(i));
    list_channels();
    for (int i = 0; i < c_.level_count; ++i) price_level(i);
    for (int v = 0; v < c_.tensor_count; ++v) m_.mac_price[static_cast<std::size_t>(v)] = price(-1, v);
    for (int i = 0; i < c_.level_count; ++i)
      m_.rounding[static_cast<std::size_t>(i)] =
          (i == 0 ? rounding_of_flows(-1) : m_.rounding[static_cast<std::size_t>(i - 1)]) + rounding_of_flows(i);
    return std::move(m_);
  }

 private:
  u64 fanout_product(int first, int last) const {  // of the fan-outs below levels first .. last
    u64 out = 1;
    for (int i = first; i <= last; ++i) out *= c_.level[i].fanout_x * c_.level[i].fanout_y;
    return out;
  }

  // Channel 0 is energy; then clustered levels; then bandwidths that some mapping may exceed.
  void list_channels() {
    m_.channels.push_back({Channel::Kind::Energy, -1});
    energy_channel_.fill(0);
    for (int i = 0; i < c_.level_count; ++i) {
      const CompiledLevel& level = c_.level[i];
      const u64 used = fanout_product(i + 1, c_.level_count - 1);
      if (level.clusters < used) {
        m_.level[static_cast<std::size_t>(i)].least_sharing =
            static_cast<double>(level.clusters) / static_cast<double>(used);
        energy_channel_[i] = add_channel(Channel::Kind::Shared, i);
        if (energy_channel_[i] == 0) m_.level[static_cast<std::size_t>(i)].least_sharing = 1;
      }
      if (level.router_units != 0 || level.ingress_units != 0 || (level.network_costs && level.is_dram))
        m_.exact = false;
    }
    read_channel_.fill(-1), write_channel_.fill(-1), shared_channel_.fill(-1);
    if (!m_.timed) return;
    for (int i = 0; i < c_.level_count; ++i) {
      const CompiledLevel& level = c_.level[i];
      if (!level.limited) continue;
      const double reads = most_reads(i), writes = most_writes(i);
      if (reads > level.read_bandwidth) read_channel_[i] = add_limit(i);
      if (writes > level.write_bandwidth) write_channel_[i] = add_limit(i);
      if (reads + writes > level.shared_bandwidth) shared_channel_[i] = add_limit(i);
    }
  }

  // A block too many of each kind of access, at every end of the flows that start at a level (-1: the MACs).
  double rounding_of_flows(int i) const {
    const auto block = [&](int at, u64 units) {
      const CompiledLevel& level = c_.level[at];
      const u64 used = std::min(fanout_product(at + 1, c_.level_count - 1), level.clusters);
      return level.block_words > 1 ? static_cast<double>(units) * static_cast<double>(used) : 0;
    };
    double sum = 0;
    if (i + 1 == c_.level_count) return sum;
    for (int v = 0; v < c_.tensor_count; ++v) {
      if (i >= 0 && !(m_.keep[static_cast<std::size_t>(i)] >> v & 1)) continue;
      const FlowPrice& price = i < 0 ? m_.mac_price[static_cast<std::size_t>(v)]
                                     : m_.level[static_cast<std::size_t>(i)].price[static_cast<std::size_t>(v)];
      const CompiledLevel& server = c_.level[price.serving_level];
      if (i >= 0) sum += block(i, c_.level[i].fill_units + (v == m_.output ? c_.level[i].read_units : 0));
      sum += block(price.serving_level, server.read_units + (v == m_.output ? server.update_units : 0));
    }
    return sum;
  }

  int add_channel(Channel::Kind kind, int level) {
    if (m_.channels.size() == kMaxChannels) {
      m_.exact = false;  // what has no channel is left out of the sums
      return 0;
    }
    m_.channels.push_back({kind, level});
    return static_cast<int>(m_.channels.size()) - 1;
  }
  int add_limit(int level) {
    const int k = add_channel(Channel::Kind::Cycles, level);
    return k == 0 ? -1 : k;
  }

  // Words per compute step that one instance of a level can be asked for at most: each distinct receiver below takes at
  // most one word a step, and a tile holds at most a word per MAC inside it and unit of stride.
  double most_reads(int i) const {
    double sum = 0;
    for (int v = 0; v < c_.tensor_count; ++v)
      if (m_.keep[static_cast<std::size_t>(i)] >> v & 1) sum += most_receivers(i, v);
    return sum;
  }
  double most_writes(int i) const {
    double sum = 0;
    for (int v = 0; v < c_.tensor_count; ++v) {
      if (!(m_.keep[static_cast<std::size_t>(i)] >> v & 1)) continue;
      if (c_.tensor[v].is_output) sum += most_receivers(i, v);
      if (i + 1 < c_.level_count) sum += most_receivers(i, v);
    }
    return sum;
  }
  double most_receivers(int i, int v) const {
    double receivers = 1;
    for (int f = 0; f <= i; ++f)
      receivers *= m_.fanout[static_cast<std::size_t>(f)].most_receivers[static_cast<std::size_t>(v)];
    const CompiledTensor& t = c_.tensor[v];
    if (t.entangled) return receivers * static_cast<double>(c_.macs);
    for (int r = 0; r < t.rank_count; ++r) {
      u32 coefficient = 1;
      for (int k = 0; k < t.first_of[kMaxDimensions]; ++k)
        if (t.by_dimension[k].rank == r) coefficient = std::max(coefficient, t.by_dimension[k].coefficient);
      receivers *= coefficient;
    }
    return receivers;
  }

  bool has_fanout(int i) const { return c_.level[i].fanout_x * c_.level[i].fanout_y > 1; }

  // Of the flow of tensor v that starts at `from` (-1: the MACs).
  FlowPrice price(int from, int v) {
    FlowPrice out;
    const bool is_output = c_.tensor[v].is_output;
    if (from >= 0) {
      const CompiledLevel& level = c_.level[from];
      out.fill[energy_channel_[from]] += per_word(level, level.fill_units) + static_cast<double>(level.address_units);
      if (write_channel_[from] > 0) out.fill[write_channel_[from]] += 1 / level.write_bandwidth;
      if (shared_channel_[from] > 0) out.fill[shared_channel_[from]] += 1 / level.shared_bandwidth;
    }
    int to = from + 1;
    while (!(m_.keep[static_cast<std::size_t>(to)] >> v & 1)) ++to;
    const CompiledLevel& level = c_.level[to];
    out.serving_level = to;
    for (int f = from + 1; f <= to; ++f)
      if (has_fanout(f)) out.last_fanout = f;
    out.serve[energy_channel_[to]] += per_word(level, level.read_units) + static_cast<double>(level.address_units) +
                                      (is_output ? per_word(level, level.update_units) : 0);
    if (read_channel_[to] > 0) out.serve[read_channel_[to]] += 1 / level.read_bandwidth;
    if (write_channel_[to] > 0 && is_output) out.serve[write_channel_[to]] += 1 / level.write_bandwidth;
    if (shared_channel_[to] > 0) out.serve[shared_channel_[to]] += (is_output ? 2 : 1) / level.shared_bandwidth;
    return out;
  }

  static double per_word(const CompiledLevel& level, u64 units) {
    return static_cast<double>(units) / static_cast<double>(level.block_words);
  }

  void price_level(int i) {
    ExactLevel& out = m_.level[static_cast<std::size_t>(i)];
    const bool outermost = i + 1 == c_.level_count;
    if (!outermost) {
      out.starts = out.keep;
      for (int v = 0; v < c_.tensor_count; ++v)
        if (out.keep >> v & 1) out.price[static_cast<std::size_t>(v)] = price(i, v);
      if (m_.fanout[static_cast<std::size_t>(i) + 1].hops)
        out.starts = static_cast<TensorMask>((1u << c_.tensor_count) - 1);
    }
    if (!(out.keep >> m_.output & 1)) return;
    // First reads, and the fills of first reads further out.
    const CompiledLevel& level = c_.level[i];
    out.refund[energy_channel_[i]] += per_word(level, level.read_units);
    if (!outermost)
      out.refund[energy_channel_[i]] += per_word(level, level.fill_units) + static_cast<double>(level.address_units);
    if (read_channel_[i] > 0) out.refund[read_channel_[i]] += 1 / level.read_bandwidth;
    if (write_channel_[i] > 0 && !outermost) out.refund[write_channel_[i]] += 1 / level.write_bandwidth;
    if (shared_channel_[i] > 0) out.refund[shared_channel_[i]] += (outermost ? 1 : 2) / level.shared_bandwidth;
  }

  ExactFanout make_fanout(int i) {
    ExactFanout out;
    const SpatialSpace& space = m_.problem->space.levels[static_cast<std::size_t>(i)].spatial;
    out.exists = has_fanout(i);
    out.most_receivers.fill(1);
    if (!out.exists) return out;
    out.hops = c_.level[i].hop_units != 0;
    list_axis(space, space.allowed_x, space.fanout_x);
    const std::vector<LatticePoint> along_x = std::move(axis_);
    axis_.clear();
    list_axis(space, space.allowed_y, space.fanout_y);
    std::vector<bool> known(m_.lattice.points());
    for (const LatticePoint& x : along_x)
      for (const LatticePoint& y : axis_) {
        if (!m_.lattice.divides(y.packed, m_.lattice.full().packed - x.packed)) continue;
        if (!out.hops && known[x.index + y.index]) continue;
        const LatticePoint both = Lattice::product(x, y);
        if (!allowed(space, x, y, both)) continue;
        known[both.index] = true;
        out.choices.push_back(make_choice(i, both, x.extent, y.extent));
      }
    std::stable_sort(out.choices.begin(), out.choices.end(),
                     [](const SpatialChoice& a, const SpatialChoice& b) { return a.instances > b.instances; });
    for (int v = 0; v < c_.tensor_count; ++v)
      out.least_spread[static_cast<std::size_t>(v)].assign(m_.lattice.points(), 1);
    for (SpatialChoice& s : out.choices) {
      std::array<double, kMaxTensors> spread{};
      for (int v = 0; v < c_.tensor_count; ++v) {
        const auto t = static_cast<std::size_t>(v);
        spread[t] = least_receivers(c_.tensor[v], s) / s.instances;
        double& least = out.least_spread[t][s.factor.index];
        least = std::min(least, spread[t]);
        out.most_receivers[t] = std::max(out.most_receivers[t], c_.tensor[v].entangled ? s.instances : s.spread[t]);
      }
      s.spread_class =
          static_cast<u32>(std::find(out.spreads.begin(), out.spreads.end(), spread) - out.spreads.begin());
      if (s.spread_class == out.spreads.size()) out.spreads.push_back(spread);
    }
    for (int v = 0; v < c_.tensor_count; ++v)
      m_.lattice.min_over_divisors(out.least_spread[static_cast<std::size_t>(v)]);
    for (const SpatialChoice& s : out.choices) out.most_reducing = std::max(out.most_reducing, s.reducing);
    if (m_.timed) {
      out.most_instances.assign(m_.lattice.points(), 1);
      for (const SpatialChoice& s : out.choices) out.most_instances[s.factor.index] = static_cast<u32>(s.instances);
      m_.lattice.max_over_divisors(out.most_instances);
    }
    return out;
  }

  // Points that fit one axis.
  void list_axis(const SpatialSpace& space, DimensionMask allowed, u64 fanout) {
    axis_.clear();
    extend_axis(space, LatticePoint(), 0, allowed, fanout);
  }
  void extend_axis(const SpatialSpace& space, const LatticePoint& at, std::size_t first, DimensionMask allowed,
                   u64 room) {
    axis_.push_back(at);
    const auto axes = m_.lattice.axes();
    for (std::size_t a = first; a < axes.size(); ++a) {
      const LatticeAxis& axis = axes[a];
      if (!(allowed >> axis.dimension & 1) || axis.prime > room) continue;
      LatticePoint next = at;
      next.index += axis.stride;
      next.packed += axis.step;
      next.extent[axis.dimension] *= axis.prime;
      if (!m_.lattice.divides(next.packed, m_.lattice.full().packed)) continue;
      if (next.extent[axis.dimension] > space.factor[axis.dimension].max) continue;
      extend_axis(space, next, a, allowed, room / axis.prime);
    }
  }

  bool allowed(const SpatialSpace& space, const LatticePoint& x, const LatticePoint& y,
               const LatticePoint& both) const {
    for (int d = 0; d < c_.dimension_count; ++d) {
      if (m_.problem->space.one_axis_per_dimension && x.extent[d] > 1 && y.extent[d] > 1) return false;
      if (!space.factor[static_cast<std::size_t>(d)].allows(both.extent[d])) return false;
    }
    return true;
  }

  SpatialChoice make_choice(int level, const LatticePoint& factor, const Extents& x, const Extents& y) {
    SpatialChoice out;
    out.factor = factor;
    out.x = x;
    out.y = y;
    out.spread.fill(1);
    for (int d = 0; d < c_.dimension_count; ++d) {
      out.instances *= factor.extent[d];
      for (int v = 0; v < c_.tensor_count; ++v)
        if (c_.tensor[v].indexing >> d & 1) out.spread[static_cast<std::size_t>(v)] *= factor.extent[d];
    }
    for (int v = 0; v < c_.tensor_count; ++v)
      if (slides(c_.tensor[v], factor.extent)) out.slides |= static_cast<TensorMask>(1u << v);
    const CompiledTensor& output = c_.tensor[m_.output];
    out.reducing = m_.exact || !(output.term_count != 0 || output.entangled)
                       ? out.instances / out.spread[static_cast<std::size_t>(m_.output)]
                       : out.instances;
    if (c_.level[level].hop_units != 0) add_hops(level, out);
    return out;
  }

  static bool slides(const CompiledTensor& t, const Extents& factor) {
    if (!t.sliding && !t.entangled) return false;
    if (t.entangled) return true;
    for (int r = 0; r < t.rank_count; ++r) {
      int unrolled = 0;
      for (unsigned left = t.sharing[r]; left != 0; left &= left - 1)
        if (factor[std::countr_zero(left)] > 1) ++unrolled;
      if (unrolled > 1) return true;
    }
    return false;
  }

  // Receivers with different tiles at least, whatever the tile: along one dimension of each rank they all differ.
  double least_receivers(const CompiledTensor& t, const SpatialChoice& s) const {
    if (t.entangled) {
      double most = 1;
      for (int d = 0; d < c_.dimension_count; ++d)
        if (t.indexing >> d & 1) most = std::max<double>(most, s.factor.extent[d]);
      return most;
    }
    double out = 1;
    for (int r = 0; r < t.rank_count; ++r) {
      double most = 1;
      for (int k = 0; k < t.first_of[kMaxDimensions]; ++k)
        if (t.by_dimension[k].rank == r) most = std::max<double>(most, s.factor.extent[t.by_dimension[k].dimension]);
      out *= most;
    }
    return out;
  }

  // Of the tensors whose hops do not depend on the tile.
  void add_hops(int level, SpatialChoice& s) {
    const Extents unit = unit_extents();
    for (int v = 0; v < c_.tensor_count; ++v)
      if (!(s.slides >> v & 1)) s.hop_units[static_cast<std::size_t>(v)] = hop_units(m_, level, s, v, unit);
  }

  ExactModel m_;
  const Compiled& c_;
  std::array<int, kMaxLevels> energy_channel_{}, read_channel_{}, write_channel_{}, shared_channel_{};
  std::vector<LatticePoint> axis_;
};

}  // namespace

std::vector<u8> spatial_order(const Mapspace& space, int level) {
  std::vector<u8> out;
  DimensionMask left = space.non_unit;
  const auto add = [&](u8 d) {
    if (left >> d & 1) out.push_back(d);
    left &= static_cast<DimensionMask>(~(1u << d));
  };
  for (u8 d : space.levels[static_cast<std::size_t>(level)].spatial.order.dimensions()) add(d);
  for (u8 d = 0; d < space.dimension_count; ++d) add(d);
  return out;
}

bool ExactModel::fits(int i, const Extents& tile) const {
  const CompiledLevel& machine = compiled->level[i];
  if (machine.capacity_words >= compiled->all_words) return true;
  u64 used = 0;
  for (unsigned kept = level[static_cast<std::size_t>(i)].keep; kept != 0; kept &= kept - 1)
    used += box_words(compiled->tensor[std::countr_zero(kept)], tile);
  return used <= machine.capacity_words;
}

ExactModel make_exact_model(const LayerProblem& problem, const std::array<TensorMask, kMaxLevels>& keep,
                            const Lattice& lattice) {
  return Builder(problem, keep, lattice).run();
}

double hop_units(const ExactModel& m, int level, const SpatialChoice& choice, int v, const Extents& tile) {
  const Compiled& c = *m.compiled;
  Mapping mapping;
  mapping.level_count = static_cast<u8>(c.level_count);
  for (int d = 0; d < c.dimension_count; ++d)
    if (tile[d] > 1) mapping.add(LoopKind::Temporal, 0, d, tile[d]);
  for (LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY})
    for (u8 d : spatial_order(m.problem->space, level))
      mapping.add(axis, level, d, (axis == LoopKind::SpatialX ? choice.x : choice.y)[d]);
  const Nest nest(c, mapping);
  thread_local std::vector<ReceiverGroups> groups;
  receiver_groups(c.tensor[v], nest, level, c.level[level], groups);
  u64 half_hops = 0;
  for (const ReceiverGroups& g : groups) half_hops += g.half_hops;
  return 0.5 * static_cast<double>(half_hops) * static_cast<double>(c.level[level].hop_units);
}

double distinct_receivers(const CompiledTensor& t, const SpatialChoice& choice, const Extents& tile) {
  // The loops over X and Y of a dimension are one loop whose step is the tile.
  if (!t.entangled) {
    double n = 1;
    bool closed = true;
    for (int r = 0; r < t.rank_count && closed; ++r) {
      std::array<u64, 2> step{1, 1}, ends{1, 1};
      int count = 0;
      for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
        const CompiledTerm& term = t.by_dimension[k];
        if (term.rank != r || choice.factor.extent[term.dimension] == 1) continue;
        if (count == 2) {
          closed = false;
          break;
        }
        step[count] = static_cast<u64>(term.coefficient) * tile[term.dimension];
        ends[count++] = choice.factor.extent[term.dimension];
      }
      n *= static_cast<double>(count < 2 ? ends[0] : distinct_sums(step[0], ends[0], step[1], ends[1]));
    }
    if (closed) return n;
  }
  // By listing the offsets.
  std::vector<std::array<i64, kMaxRanks>> offsets{{}};
  for (int d = 0; d < kMaxDimensions; ++d) {
    if (!(t.indexing >> d & 1) || choice.factor.extent[d] == 1) continue;
    const NestLoop loop{choice.factor.extent[d], tile[d], static_cast<u8>(d)};
    detail::Move move;
    move.add(t, loop);
    const std::size_t before = offsets.size();
    for (u64 e = 1; e < loop.end; ++e)
      for (std::size_t k = 0; k < before; ++k) {
        std::array<i64, kMaxRanks> at = offsets[k];
        for (int r = 0; r < t.rank_count; ++r)
          at[static_cast<std::size_t>(r)] += static_cast<i64>(e) * move.by[static_cast<std::size_t>(r)];
        offsets.push_back(at);
      }
  }
  std::sort(offsets.begin(), offsets.end());
  return static_cast<double>(std::unique(offsets.begin(), offsets.end()) - offsets.begin());
}

}  // namespace heliolite
