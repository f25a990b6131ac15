#include "engine/search/exact/flow_costs.h"

#include <algorithm>
#include "engine/base/integers.h"
#include "engine/model/storage_cost.h"
#include "engine/model/tile_box.h"

namespace heliolite {
namespace {

class Builder {
 public:
  Builder(const LayerProblem& problem, const std::array<TensorMask, kMaxLevels>& keep, const Lattice& lattice,
          std::span<const FanoutChoices> fanouts)
      : m_{&problem, &problem.model.compiled(), keep, lattice, {}, {}, fanouts}, c_(*m_.compiled) {
    for (std::size_t k = 0; k < std::max<std::size_t>(1, problem.machines.size()); ++k)
      machines_.push_back(&problem.machine(k).compiled());
  }

  FlowCosts run() {
    for (const Compiled* machine : machines_)
      for (int i = 0; i < c_.level_count; ++i) m_.leaks |= leaks(machine->level[i]);
    m_.timed = m_.leaks || info(m_.problem->options.objective).cycles_power != 0;
    m_.macs = static_cast<double>(c_.macs);
    for (int v = 0; v < c_.tensor_count; ++v)
      if (c_.tensor[v].is_output) m_.output = v;
    const CompiledTensor& output = c_.tensor[m_.output];
    // Then the share of the output that an instance owns is a quotient of boxes, and truncated.
    if (output.term_count != 0 || output.entangled) m_.exact = false;
    m_.level.resize(at(c_.level_count));
    for (int i = 0; i < c_.level_count; ++i) {
      ExactLevel& level = m_.level[at(i)];
      level.keep = m_.keep[at(i)];
      if (i + 1 == c_.level_count) break;
      const bool hops = m_.fanout[at(i) + 1].hops;
      const auto all = static_cast<TensorMask>((1u << c_.tensor_count) - 1);
      level.starts = hops ? all : level.keep;
      level.standalone = standalone_dimensions(c_, m_.fanout[at(i) + 1].exists ? all : level.starts);
    }
    for (int i = c_.level_count - 1; i > 0; --i) {
      if (!m_.problem->shares_inside(i)) continue;
      m_.level[at(i)].shares_inside = m_.level[at(i) - 1].shares_outside = true;
      m_.level[at(i) - 1].kept_outside = m_.level[at(i)].kept_outside | m_.level[at(i)].keep;
    }
    list_channels();
    for (const Compiled* machine : machines_) m_.machine.push_back(prices_of(*machine));
    find_least();
    for (int i = 0; i < c_.level_count; ++i)
      m_.rounding[at(i)] = (i == 0 ? rounding_of_flows(-1) : m_.rounding[at(i - 1)]) + rounding_of_flows(i);
    return std::move(m_);
  }

 private:
  u64 fanout_product(int first, int last) const {  // of the fan-outs below levels first .. last
    u64 out = 1;
    for (int i = first; i <= last; ++i) out *= c_.level[i].fanout_x * c_.level[i].fanout_y;
    return out;
  }

  // Channel 0 is energy; then clustered levels; then bandwidths that some mapping may exceed. Stores of one memory
  // share its channels, which are those of the outermost of them.
  void list_channels() {
    m_.channels.push_back({Channel::Kind::Energy, -1});
    energy_channel_.fill(0);
    for (int i = 0; i < c_.level_count; ++i) {
      const CompiledLevel& level = c_.level[i];
      const u64 used = fanout_product(i + 1, c_.level_count - 1);
      if (level.clusters < used) {
        m_.level[at(i)].least_sharing = static_cast<double>(level.clusters) / static_cast<double>(used);
        energy_channel_[i] = add_channel(Channel::Kind::Shared, i);
        if (energy_channel_[i] == 0) m_.level[at(i)].least_sharing = 1;
      }
      if (level.router_units != 0 || level.ingress_units != 0 || (level.network_costs && level.is_dram))
        m_.exact = false;
    }
    read_channel_.fill(-1), write_channel_.fill(-1), shared_channel_.fill(-1);
    if (!m_.timed) return;
    double reads = 0, writes = 0;  // of the level and those inside that share with it
    for (int i = 0; i < c_.level_count; ++i) {
      const bool shares = m_.level[at(i)].shares_inside;
      reads = (shares ? reads : 0) + most_reads(i);
      writes = (shares ? writes : 0) + most_writes(i);
      if (m_.level[at(i)].shares_outside || !some_machine(i, [](const CompiledLevel& l) { return l.limited; }))
        continue;
      if (some_machine(i, [&](const CompiledLevel& l) { return reads > l.read_bandwidth; }))
        read_channel_[i] = add_limit(i);
      if (some_machine(i, [&](const CompiledLevel& l) { return writes > l.write_bandwidth; }))
        write_channel_[i] = add_limit(i);
      if (some_machine(i, [&](const CompiledLevel& l) { return reads + writes > l.shared_bandwidth; }))
        shared_channel_[i] = add_limit(i);
      for (int inside = i; m_.level[at(inside)].shares_inside; --inside) {
        read_channel_[inside - 1] = read_channel_[i];
        write_channel_[inside - 1] = write_channel_[i];
        shared_channel_[inside - 1] = shared_channel_[i];
      }
    }
  }

  template <class Property>
  bool some_machine(int level, Property property) const {
    return std::any_of(machines_.begin(), machines_.end(),
                       [&](const Compiled* machine) { return property(machine->level[level]); });
  }

  // A block too many of each kind of access, at every end of the flows that start at a level (-1: the MACs).
  double rounding_of_flows(int i) const {
    double most = 0;
    for (const Compiled* machine : machines_) most = std::max(most, rounding_of_flows(*machine, i));
    return most;
  }
  double rounding_of_flows(const Compiled& machine, int i) const {
    const auto block = [&](int place, double units) {
      const CompiledLevel& level = machine.level[place];
      const u64 used = std::min(fanout_product(place + 1, c_.level_count - 1), level.clusters);
      return level.block_words > 1 ? units * static_cast<double>(used) : 0;
    };
    double sum = 0;
    if (i + 1 == c_.level_count) return sum;
    for (int v = 0; v < c_.tensor_count; ++v) {
      if (i >= 0 && !contains(m_.keep[at(i)], v)) continue;
      const FlowPrice& price = m_.least.flow(i, v);
      const CompiledLevel& server = machine.level[price.serving_level];
      if (i >= 0) sum += block(i, access_units(machine.level[i], Accesses<double>{v == m_.output ? 1.0 : 0.0, 1, 0}));
      sum += block(price.serving_level, access_units(server, serving_one_word<double>(v == m_.output)));
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
      if (contains(m_.keep[at(i)], v)) sum += most_receivers(i, v);
    return sum;
  }
  double most_writes(int i) const {
    double sum = 0;
    for (int v = 0; v < c_.tensor_count; ++v) {
      if (!contains(m_.keep[at(i)], v)) continue;
      if (c_.tensor[v].is_output) sum += most_receivers(i, v);
      if (i + 1 < c_.level_count) sum += most_receivers(i, v);
    }
    return sum;
  }
  double most_receivers(int i, int v) const {
    double receivers = 1;
    for (int f = 0; f <= i; ++f) receivers *= m_.fanout[at(f)].most_receivers[at(v)];
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
  FlowPrice price(const Compiled& machine, int from, int v) const {
    FlowPrice out;
    const bool is_output = c_.tensor[v].is_output;
    if (from >= 0) {
      const CompiledLevel& level = machine.level[from];
      out.fill[energy_channel_[from]] += per_word(level, {0, 1, 0}) + static_cast<double>(level.address_units);
      if (write_channel_[from] > 0) out.fill[write_channel_[from]] += 1 / level.write_bandwidth;
      if (shared_channel_[from] > 0) out.fill[shared_channel_[from]] += 1 / level.shared_bandwidth;
    }
    int to = from + 1;
    while (!contains(m_.keep[at(to)], v)) ++to;
    const CompiledLevel& level = machine.level[to];
    out.serving_level = to;
    for (int f = from + 1; f <= to; ++f)
      if (m_.fanout[at(f)].exists) out.last_fanout = f;
    out.serve[energy_channel_[to]] +=
        per_word(level, serving_one_word<double>(is_output)) + static_cast<double>(level.address_units);
    if (read_channel_[to] > 0) out.serve[read_channel_[to]] += 1 / level.read_bandwidth;
    if (write_channel_[to] > 0 && is_output) out.serve[write_channel_[to]] += 1 / level.write_bandwidth;
    if (shared_channel_[to] > 0) out.serve[shared_channel_[to]] += (is_output ? 2 : 1) / level.shared_bandwidth;
    return out;
  }

  static double per_word(const CompiledLevel& level, const Accesses<double>& of_a_word) {
    return access_units(level, of_a_word) / static_cast<double>(level.block_words);
  }

  FlowPrices prices_of(const Compiled& machine) const {
    FlowPrices out;
    out.constant = static_cast<double>(machine.op_units) * m_.macs;
    for (int v = 0; v < c_.tensor_count; ++v) out.mac[at(v)] = price(machine, -1, v);
    out.level.resize(m_.level.size());
    for (int i = 0; i < c_.level_count; ++i) {
      const TensorMask keep = m_.level[at(i)].keep;
      FlowPrices::Level& level = out.level[at(i)];
      for (int v = 0; v < c_.tensor_count && i + 1 < c_.level_count; ++v)
        if (contains(keep, v)) level.flow[at(v)] = price(machine, i, v);
      if (contains(keep, m_.output)) level.refund = refund(machine, i);
    }
    return out;
  }

  // First reads of the output, and the fills of first reads further out.
  Channels refund(const Compiled& machine, int i) const {
    Channels out{};
    const CompiledLevel& level = machine.level[i];
    const bool outermost = i + 1 == c_.level_count;
    out[energy_channel_[i]] += per_word(level, {1, 0, 0});
    if (!outermost) out[energy_channel_[i]] += per_word(level, {0, 1, 0}) + static_cast<double>(level.address_units);
    if (read_channel_[i] > 0) out[read_channel_[i]] += 1 / level.read_bandwidth;
    if (write_channel_[i] > 0 && !outermost) out[write_channel_[i]] += 1 / level.write_bandwidth;
    if (shared_channel_[i] > 0) out[shared_channel_[i]] += (outermost ? 1 : 2) / level.shared_bandwidth;
    return out;
  }

  void find_least() {
    const auto each = [](Channels& to, const Channels& from, auto choose) {
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = choose(to[k], from[k]);
    };
    const auto least = [](double a, double b) { return std::min(a, b); };
    const auto most = [](double a, double b) { return std::max(a, b); };
    m_.least = m_.machine.front();
    for (const FlowPrices& machine : m_.machine) {
      m_.least.constant = std::min(m_.least.constant, machine.constant);
      for (int v = 0; v < c_.tensor_count; ++v)
        for (int i = -1; i + 1 < c_.level_count; ++i) {
          each(m_.least.flow(i, v).fill, machine.flow(i, v).fill, least);
          each(m_.least.flow(i, v).serve, machine.flow(i, v).serve, least);
        }
      for (std::size_t i = 0; i < m_.level.size(); ++i) each(m_.least.level[i].refund, machine.level[i].refund, most);
    }
  }

  FlowCosts m_;
  const Compiled& c_;
  std::vector<const Compiled*> machines_;
  std::array<int, kMaxLevels> energy_channel_{}, read_channel_{}, write_channel_{}, shared_channel_{};
};

}  // namespace

u64 FlowCosts::used(int i, const Extents& tile) const {
  u64 words = 0;
  for (const int v : bits(level[at(i)].keep)) words += box_words(compiled->tensor[v], tile);
  return words;
}

bool FlowCosts::fits(int i, const Extents& tile) const { return has_room(i, 0, tile); }

bool FlowCosts::has_room(int i, u64 inside, const Extents& tile) const {
  const CompiledLevel& most = compiled->level[i];
  if (most.capacity_words >= compiled->all_words) return true;
  u64 words = inside + used(i, tile);
  for (const int v : bits(level[at(i)].kept_outside)) words += box_words(compiled->tensor[v], tile);
  return words <= most.capacity_words;
}

bool FlowCosts::holds(u32 k, int i, const Extents& tile) const {
  if (!problem->family) return true;
  for (int swept : problem->family->swept())
    if (swept >= i && used(swept, tile) > problem->family->capacity(k, swept)) return false;
  return true;
}

bool FlowCosts::needless(u32 k, int i, const Extents& tile) const {
  for (int swept : problem->family->swept()) {
    if (swept < i) continue;
    for (; i < swept; ++i)
      if (fanout[at(i) + 1].exists || problem->space.levels[at(i) + 1].temporal.allowed != 0) return false;
    const u64 smaller = problem->family->held_by_smaller(k, swept);
    if (smaller != 0 && used(swept, tile) <= smaller) return true;
  }
  return false;
}

FlowCosts make_flow_costs(const LayerProblem& problem, const std::array<TensorMask, kMaxLevels>& keep,
                          const Lattice& lattice, std::span<const FanoutChoices> fanouts) {
  FlowCosts out = Builder(problem, keep, lattice, fanouts).run();
  if (problem.options.rules[Rule::Symmetry]) out.symmetry = find_symmetry(problem.space, *out.compiled);
  return out;
}

}  // namespace heliolite
