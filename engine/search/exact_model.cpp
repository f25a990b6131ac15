#include "engine/search/exact_model.h"

#include <algorithm>
#include <bit>

namespace heliolite {
namespace {

class Builder {
 public:
  Builder(const LayerProblem& problem, const std::array<TensorMask, kMaxLevels>& keep, const Lattice& lattice,
          std::span<const ExactFanout> fanouts)
      : m_{&problem, &problem.model.compiled(), keep, lattice, {}, {}, fanouts, {}, 0, false, true, {}, 0, 1},
        c_(*m_.compiled) {}

  ExactModel run() {
    m_.timed = m_.problem->options.objective != Objective::Energy;
    for (int i = 0; i < c_.level_count; ++i) m_.timed |= c_.level[i].leak_units != 0;  // energy that depends on cycles
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
      if (m_.fanout[static_cast<std::size_t>(f)].exists) out.last_fanout = f;
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

  ExactModel m_;
  const Compiled& c_;
  std::array<int, kMaxLevels> energy_channel_{}, read_channel_{}, write_channel_{}, shared_channel_{};
};

}  // namespace

bool ExactModel::fits(int i, const Extents& tile) const {
  const CompiledLevel& machine = compiled->level[i];
  if (machine.capacity_words >= compiled->all_words) return true;
  u64 used = 0;
  for (unsigned kept = level[static_cast<std::size_t>(i)].keep; kept != 0; kept &= kept - 1)
    used += box_words(compiled->tensor[std::countr_zero(kept)], tile);
  return used <= machine.capacity_words;
}

ExactModel make_exact_model(const LayerProblem& problem, const std::array<TensorMask, kMaxLevels>& keep,
                            const Lattice& lattice, std::span<const ExactFanout> fanouts) {
  return Builder(problem, keep, lattice, fanouts).run();
}

}  // namespace heliolite
