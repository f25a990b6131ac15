#include "engine/search/exact/flow_costs.h"

#include <algorithm>
#include "engine/base/integers.h"
#include "engine/model/storage_cost.h"
#include "engine/model/tile_box.h"

namespace heliolite {
namespace {

class Builder {
 public:
  Builder(const LayerProblem& problem, const KeepRange& keep, const Lattice& lattice,
          std::span<const FanoutChoices> fanouts, bool cycles_only)
      : m_{&problem, &problem.model.compiled(),
           keep,     ServerSets(keep, problem.model.compiled().level_count, problem.model.compiled().tensor_count),
           lattice,  {},
           {},       fanouts},
        c_(*m_.compiled) {
    m_.cycles_only = cycles_only;
    for (std::size_t k = 0; k < std::max<std::size_t>(1, problem.machines.size()); ++k)
      machines_.push_back(&problem.machine(k).compiled());
  }

  FlowCosts run() {
    for (const Compiled* machine : machines_)
      for (int i = 0; i < c_.level_count; ++i) m_.leaks |= !m_.cycles_only && leaks(machine->level[i]);
    m_.timed = m_.leaks || info(m_.problem->options.objective).cycles_power != 0;
    m_.macs = static_cast<double>(c_.macs);
    for (int v = 0; v < c_.tensor_count; ++v)
      if (c_.tensor[v].is_output) m_.output = v;
    const CompiledTensor& output = c_.tensor[m_.output];
    // Then the share of the output that an instance owns is a quotient of boxes, and truncated.
    if (output.term_count != 0 || output.entangled) m_.exact = false;
    m_.level.resize(at(c_.level_count));
    for (int i = 0; i < c_.level_count; ++i)
      if (c_.level[i].is_interconnect) m_.interconnect |= static_cast<u16>(1u << i);
    for (int i = 0; i + 1 < c_.level_count; ++i) m_.level[at(i)].hops = !m_.cycles_only && m_.fanout[at(i) + 1].hops;
    for (int i = c_.level_count - 1; i > 0; --i) {
      if (!m_.problem->shares_inside(i)) continue;
      m_.level[at(i)].shares_inside = m_.level[at(i) - 1].shares_outside = true;
      m_.level[at(i) - 1].kept_outside = m_.level[at(i)].kept_outside | m_.keep.must[at(i)];
    }
    list_channels();
    for (const Compiled* machine : machines_) m_.machine.push_back(prices_of(*machine));
    find_least();
    if (c_.linked != 0) prepare_links();
    for (int i = 0; i < c_.level_count && !m_.cycles_only; ++i) find_rounding(i);
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
    for (int i = 0; i < c_.level_count && !m_.cycles_only; ++i) {
      const CompiledLevel& level = c_.level[i];
      const double used = m_.most_instances(i + 1, m_.lattice.full().index);
      if (static_cast<double>(level.clusters) < used) {
        m_.level[at(i)].least_sharing = static_cast<double>(level.clusters) / used;
        energy_channel_[i] = add_channel(Channel::Kind::Shared, i);
        if (energy_channel_[i] == 0) m_.level[at(i)].least_sharing = 1;
      } else if (level.is_interconnect && m_.last_fanout(i, c_.level_count - 1) >= 0) {
        energy_channel_[i] = add_channel(Channel::Kind::Shared, i);
      }
      // Words on their way past a level that does not keep them enter its network too: they have no price there.
      const bool passed = level.ingress_units != 0 && c_.counted(i, m_.keep.must[at(i)]) != m_.all_tensors();
      if (level.router_units != 0 || passed || (level.network_costs && level.is_dram)) m_.exact = false;
    }
    read_channel_.fill(-1), write_channel_.fill(-1), shared_channel_.fill(-1);
    if (!m_.timed) return;
    // Neighbours may read as many words as the level outside sends.
    const double most = c_.linked != 0 ? 2 : 1;
    double reads = 0, writes = 0;  // of the level and those inside that share with it
    for (int i = 0; i < c_.level_count; ++i) {
      const bool shares = m_.level[at(i)].shares_inside;
      reads = (shares ? reads : 0) + most_reads(i);
      writes = (shares ? writes : 0) + most_writes(i);
      if (m_.level[at(i)].shares_outside || !some_machine(i, [](const CompiledLevel& l) { return l.limited; }))
        continue;
      if (some_machine(i, [&](const CompiledLevel& l) { return most * (reads) > l.read_bandwidth; }))
        read_channel_[i] = add_limit(i);
      if (some_machine(i, [&](const CompiledLevel& l) { return most * (writes) > l.write_bandwidth; }))
        write_channel_[i] = add_limit(i);
      if (some_machine(i, [&](const CompiledLevel& l) { return most * (reads + writes) > l.shared_bandwidth; }))
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

  // A block too many of each kind of access, at either end of a flow.
  void find_rounding(int i) {
    ExactLevel& own = m_.level[at(i)];
    for (const Compiled* machine : machines_) {
      const CompiledLevel& level = machine->level[i];
      if (level.block_words <= 1) continue;
      const u64 used = std::min(fanout_product(i + 1, c_.level_count - 1), level.clusters);
      for (int v = 0; v < c_.tensor_count; ++v) {
        const bool is_output = v == m_.output;
        const double fill = access_units(level, Accesses<double>{is_output ? 1.0 : 0.0, 1, 0});
        const double serve = access_units(level, serving_one_word<double>(is_output));
        own.fill_rounding[at(v)] = std::max(own.fill_rounding[at(v)], fill * static_cast<double>(used));
        own.serve_rounding[at(v)] = std::max(own.serve_rounding[at(v)], serve * static_cast<double>(used));
      }
    }
  }

  int add_channel(Channel::Kind kind, int level) {
    if (m_.channels.size() == kMaxChannels) {
      m_.exact = false;  // what has no channel is left out of the sums
      return 0;
    }
    m_.channels.push_back({kind, level, c_.level[level].is_interconnect});
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
    for (const int v : bits(c_.counted(i, m_.keep.may[at(i)]))) sum += most_receivers(i, v);
    return sum;
  }
  double most_writes(int i) const {
    double sum = 0;
    for (const int v : bits(c_.counted(i, m_.keep.may[at(i)]))) {
      if (c_.tensor[v].is_output) sum += most_receivers(i, v);
      if (fills(i)) sum += most_receivers(i, v);
    }
    return sum;
  }
  bool fills(int i) const { return i + 1 < c_.level_count && !c_.level[i].is_interconnect; }
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

  // Of a word that fills the level's tile.
  Channels fill(const Compiled& machine, int i) const {
    return one_access(machine.level[i], i, {0, 1, 0}, write_channel_[i], machine.level[i].write_bandwidth);
  }

  // Of a word that the level passes to a neighbour: it reads it.
  Channels peer(const Compiled& machine, int i) const {
    return one_access(machine.level[i], i, {1, 0, 0}, read_channel_[i], machine.level[i].read_bandwidth);
  }

  // Of a word that is read or written once, and of its address; `port`: the channel of the bandwidth that it takes.
  Channels one_access(const CompiledLevel& level, int i, const Accesses<double>& access, int port,
                      double bandwidth) const {
    Channels out{};
    out[energy_channel_[i]] += per_word(level, access) + static_cast<double>(level.address_units);
    if (port > 0) out[port] += 1 / bandwidth;
    if (shared_channel_[i] > 0) out[shared_channel_[i]] += 1 / level.shared_bandwidth;
    return out;
  }

  // Of a word of tensor v that the level serves.
  Channels serve(const Compiled& machine, int i, int v) const {
    Channels out{};
    const bool is_output = c_.tensor[v].is_output;
    const CompiledLevel& level = machine.level[i];
    out[energy_channel_[i]] +=
        per_word(level, serving_one_word<double>(is_output)) + static_cast<double>(level.address_units);
    out[level.is_interconnect ? energy_channel_[i] : 0] += static_cast<double>(level.ingress_units);
    if (read_channel_[i] > 0) out[read_channel_[i]] += 1 / level.read_bandwidth;
    if (write_channel_[i] > 0 && is_output) out[write_channel_[i]] += 1 / level.write_bandwidth;
    if (shared_channel_[i] > 0) out[shared_channel_[i]] += (is_output ? 2 : 1) / level.shared_bandwidth;
    return out;
  }

  static double per_word(const CompiledLevel& level, const Accesses<double>& of_a_word) {
    return access_units(level, of_a_word) / static_cast<double>(level.block_words);
  }

  FlowPrices prices_of(const Compiled& machine) const {
    FlowPrices out;
    out.constant = static_cast<double>(machine.op_units) * m_.macs;
    for (int i = 0; i < c_.level_count; ++i) {
      FlowPrices::Level& level = out.level.emplace_back();
      level.fill.fill(fill(machine, i));
      for (int v = 0; v < c_.tensor_count; ++v) level.serve[at(v)] = serve(machine, i, v);
      level.refund = refund(machine, i);
      level.peer = peer(machine, i);
    }
    if (m_.cycles_only) forget_energy(out);
    return out;
  }

  static void forget_energy(FlowPrices& prices) {
    prices.constant = 0;
    for (FlowPrices::Level& level : prices.level) {
      for (Channels& fill : level.fill) fill[0] = 0;
      for (Channels& serve : level.serve) serve[0] = 0;
      level.refund[0] = 0;
      level.peer[0] = 0;
    }
  }

  // First reads of the output, and the fills of first reads further out.
  Channels refund(const Compiled& machine, int i) const {
    Channels out{};
    const CompiledLevel& level = machine.level[i];
    out[energy_channel_[i]] += per_word(level, {1, 0, 0});
    if (fills(i)) out[energy_channel_[i]] += per_word(level, {0, 1, 0}) + static_cast<double>(level.address_units);
    if (read_channel_[i] > 0) out[read_channel_[i]] += 1 / level.read_bandwidth;
    if (write_channel_[i] > 0 && fills(i)) out[write_channel_[i]] += 1 / level.write_bandwidth;
    if (shared_channel_[i] > 0) out[shared_channel_[i]] += (fills(i) ? 2 : 1) / level.shared_bandwidth;
    return out;
  }

  void leave_out_fewer_fills(FlowPrices& prices) {
    for (int i = 0; i < c_.level_count; ++i)
      for (int v = 0; v < c_.tensor_count; ++v) {
        if (!m_.fills_fewer(i, v)) continue;
        prices.level[at(i)].fill[at(v)] = Channels{};
        if (m_.level[at(i)].hops) m_.exact = false;
      }
  }

  // Each instance may pass on a word more or less than its share.
  void prepare_links() {
    m_.sites = std::make_shared<LinkSites>();
    for (int i = 0; i + 1 < c_.level_count; ++i)
      for (std::size_t k = 0; k < m_.channels.size(); ++k)
        if (c_.level[i + 1].linked != 0)
          m_.peer_rounding[k] += m_.machine.front().level[at(i)].peer[k] * c_.tensor_count *
                                 static_cast<double>(fanout_product(i + 1, c_.level_count - 1));
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
      for (std::size_t i = 0; i < m_.level.size(); ++i) {
        for (std::size_t v = 0; v < at(c_.tensor_count); ++v) {
          each(m_.least.level[i].fill[v], machine.level[i].fill[v], least);
          each(m_.least.level[i].serve[v], machine.level[i].serve[v], least);
        }
        each(m_.least.level[i].refund, machine.level[i].refund, most);
      }
    }
    leave_out_fewer_fills(m_.least);
  }

  FlowCosts m_;
  const Compiled& c_;
  std::vector<const Compiled*> machines_;
  std::array<int, kMaxLevels> energy_channel_{}, read_channel_{}, write_channel_{}, shared_channel_{};
};

}  // namespace

double FlowCosts::most_instances(int first, u64 left) const {
  const int count = static_cast<int>(fanout.size());
  while (first < count && !fanout[at(first)].exists) ++first;
  return first < count ? fanout[at(first)].most_instances[lattice.grid().cell(left)] : 1;
}

const Channels& FlowCosts::serve(const FlowPrices& prices, int from, int server, int v, Channels& sum) const {
  const u16 between = interconnects(from, server);
  if (between == 0) return prices.level[at(server)].serve[at(v)];
  sum = prices.level[at(server)].serve[at(v)];
  for (const int i : bits(between))
    for (std::size_t k = 0; k < channels.size(); ++k) sum[k] += prices.level[at(i)].serve[at(v)][k];
  return sum;
}

double FlowCosts::serve_rounding(int from, int server, int v) const {
  double sum = level[at(server)].serve_rounding[at(v)];
  for (const int i : bits(interconnects(from, server))) sum += level[at(i)].serve_rounding[at(v)];
  return sum;
}

u64 FlowCosts::used(TensorMask kept, const Extents& tile) const {
  u64 words = 0;
  for (const int v : bits(kept)) words += box_words(compiled->tensor[v], tile);
  return words;
}

bool FlowCosts::fits(int i, TensorMask kept, const Extents& tile) const { return has_room(i, kept, 0, tile); }

bool FlowCosts::has_room(int i, TensorMask kept, u64 inside, const Extents& tile) const {
  const CompiledLevel& most = compiled->level[i];
  if (most.capacity_words >= compiled->all_words) return true;
  return inside + used(kept | level[at(i)].kept_outside, tile) <= most.capacity_words;
}

bool FlowCosts::holds(u32 k, int i, u32 set, const Extents& tile) const {
  if (!problem->family) return true;
  for (int swept : problem->family->swept()) {
    if (swept < i) continue;
    TensorMask kept = keep.must[at(swept)];
    for (int v = 0; v < compiled->tensor_count; ++v)
      if (servers.server(i - 1, set, v) == swept) kept |= static_cast<TensorMask>(1u << v);
    if (used(kept, tile) > problem->family->capacity(k, swept)) return false;
  }
  return true;
}

bool FlowCosts::needless(u32 k, int i, u32 set, const Extents& tile) const {
  TensorMask kept = servers.kept(i, set);
  for (int swept : problem->family->swept()) {
    if (swept < i) continue;
    for (; i < swept; ++i) {
      if (fanout[at(i) + 1].exists || problem->space.levels[at(i) + 1].temporal.allowed != 0) return false;
      kept = keep.may[at(i) + 1];
    }
    const u64 smaller = problem->family->held_by_smaller(k, swept);
    if (smaller != 0 && used(kept, tile) <= smaller) return true;
  }
  return false;
}

FlowCosts make_flow_costs(const LayerProblem& problem, const KeepRange& keep, const Lattice& lattice,
                          std::span<const FanoutChoices> fanouts, bool cycles_only) {
  FlowCosts out = Builder(problem, keep, lattice, fanouts, cycles_only).run();
  if (problem.options.rules[Rule::Symmetry] && out.compiled->linked == 0)
    out.symmetry = find_symmetry(problem.space, *out.compiled);
  return out;
}

}  // namespace heliolite
