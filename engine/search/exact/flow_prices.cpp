// What one word of a flow costs on one machine, by channel.
#include "engine/search/exact/flow_costs.h"

#include <algorithm>
#include <limits>

#include "engine/model/cost_of_counts.h"
#include "engine/model/multicast.h"
#include "engine/model/perfect.h"

namespace heliolite {
namespace {

bool entering_costs(const CompiledLevel& level) {
  return std::ranges::any_of(level.units, [](const ValueUnits& of_tensor) { return of_tensor.ingress != 0; });
}

class ChannelList {
 public:
  ChannelList(FlowCosts& m, std::span<const Compiled* const> machines)
      : m_(m), c_(*m.compiled), machines_(machines), out_(at(c_.level_count)) {}

  // Channel 0 is energy; then clustered levels; then bandwidths that some mapping may exceed.
  std::vector<LevelChannels> run() {
    list_energy();
    if (m_.timed) list_bandwidths();
    return std::move(out_);
  }

 private:
  void list_energy() {
    m_.channels.push_back({Channel::Kind::Energy, -1});
    for (int i = 0; i < c_.level_count && !m_.cycles_only; ++i) {
      const CompiledLevel& level = c_.level[i];
      const double used = m_.most_instances(i + 1, m_.lattice.full().index);
      if (static_cast<double>(level.clusters) < used) {
        m_.level[i].least_sharing = static_cast<double>(level.clusters) / used;
        out_[i].energy = add_channel(Channel::Kind::Shared, i);
        if (out_[i].energy == 0) m_.level[i].least_sharing = 1;
      } else if (level.is_interconnect && m_.last_fanout(i, c_.level_count - 1) >= 0) {
        out_[i].energy = add_channel(Channel::Kind::Shared, i);
      }
      // Words on their way past a level that does not keep them enter its network too: they have no price there.
      const TensorMask at_home = i == c_.pass.level ? c_.pass.at_home : TensorMask{0};
      const bool passed = entering_costs(level) && (c_.counted(i, m_.keep.must[i]) | at_home) != m_.all_tensors();
      if (level.routers_cost || passed) m_.exact = false;
      if (level.hops_cost && !prices_hops(i)) m_.exact = false;
    }
  }

  // Whether the hops of all words below a level are in the sums: units behind interconnects that fan out ask for more
  // than goes into a tile of theirs.
  bool prices_hops(int i) const {
    if (carries_every_step(c_, i)) return true;
    if (inside_interconnects(c_, i) == 0) return false;
    for (int v = 0; v < c_.tensor_count; ++v)
      if (!carries_tiles(c_, i, v)) return false;
    return true;
  }

  // Stores of one memory share its channels, which are those of the outermost of them.
  void list_bandwidths() {
    // Neighbours may read as many words as the level outside sends.
    const double most = c_.peers != 0 ? 2 : 1;
    double reads = 0, writes = 0;  // of the level and those inside that share with it
    for (int i = 0; i < c_.level_count; ++i) {
      const bool shares = m_.level[i].shares_inside;
      reads = (shares ? reads : 0) + most_reads(i);
      writes = (shares ? writes : 0) + most_writes(i);
      if (m_.level[i].shares_outside || !some_machine(i, [](const CompiledLevel& l) { return l.limited; })) continue;
      // Words on their way to homes have nothing to do with the steps.
      const double passing = c_.pass.at_home != 0 && i >= c_.pass.level ? std::numeric_limits<double>::max() : 0;
      const double most_in = std::max(passing, most * reads), most_out = std::max(passing, most * writes);
      if (some_machine(i, [&](const CompiledLevel& l) { return most_in > l.read_bandwidth; }))
        out_[i].read = add_limit(i);
      if (some_machine(i, [&](const CompiledLevel& l) { return most_out > l.write_bandwidth; }))
        out_[i].write = add_limit(i);
      if (some_machine(i, [&](const CompiledLevel& l) { return most_in + most_out > l.shared_bandwidth; }))
        out_[i].shared = add_limit(i);
      for (int inside = i; m_.level[inside].shares_inside; --inside) {
        out_[inside - 1].read = out_[i].read;
        out_[inside - 1].write = out_[i].write;
        out_[inside - 1].shared = out_[i].shared;
      }
    }
  }

  template <class Property>
  bool some_machine(int level, Property property) const {
    return std::any_of(machines_.begin(), machines_.end(),
                       [&](const Compiled* machine) { return property(machine->level[level]); });
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

  // Parts of words per compute step that one instance of a level can be asked for at most: each distinct receiver below
  // takes at most one word a step, and a tile holds at most a word per MAC inside it and unit of stride.
  double most_reads(int i) const {
    double sum = 0;
    for (const int v : bits(c_.counted(i, m_.keep.may[i]))) {
      sum += most_parts(i, v);
      if (drains(i, v)) sum += most_parts(i, v);
    }
    return sum;
  }
  bool drains(int i, int v) const { return c_.tensor[v].is_output && c_.level[i].reads_drains && m_.fills(i); }
  double most_writes(int i) const {
    double sum = 0;
    for (const int v : bits(c_.counted(i, m_.keep.may[i]))) {
      if (c_.tensor[v].is_output) sum += most_parts(i, v);
      if (m_.fills(i)) sum += most_parts(i, v);
    }
    return sum;
  }
  double most_parts(int i, int v) const { return most_receivers(i, v) * static_cast<double>(c_.level[i].taken(v, 1)); }
  double most_receivers(int i, int v) const {
    double receivers = 1;
    for (int f = 0; f <= i; ++f) receivers *= m_.fanout[f].most_receivers[v];
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

  FlowCosts& m_;
  const Compiled& c_;
  const std::span<const Compiled* const> machines_;
  std::vector<LevelChannels> out_;
};

}  // namespace

std::vector<LevelChannels> list_channels(FlowCosts& m, std::span<const Compiled* const> machines) {
  return ChannelList(m, machines).run();
}

namespace {

double parts(const CompiledLevel& level, int v) { return static_cast<double>(level.taken(v, 1)); }

void forget_energy(FlowPrices& prices) {
  prices.constant[0] = 0;
  for (FlowPrices::Level& level : prices.level) {
    for (Channels& fill : level.fill) fill[0] = 0;
    for (Channels& serve : level.serve) serve[0] = 0;
    for (Channels& peer : level.peer) peer[0] = 0;
    level.refund[0] = 0;
  }
}

class MachinePrices {
 public:
  MachinePrices(const FlowCosts& m, const std::vector<LevelChannels>& channels, const Compiled& machine)
      : m_(m), channels_(channels), machine_(machine) {}

  FlowPrices run() const {
    FlowPrices out;
    const auto passes = static_cast<double>(machine_.pass.passes), parts = static_cast<double>(machine_.pass.parts);
    out.constant = passing();
    out.constant[0] += static_cast<double>(machine_.op_units) * m_.macs_of_passes;
    for (int i = 0; i < m_.levels(); ++i) {
      FlowPrices::Level& level = out.level.emplace_back();
      for (int v = 0; v < machine_.tensor_count; ++v) {
        level.fill[v] = times(passes, fill(i, v));
        level.serve[v] = times(passes, serve(machine_.serving(i, v), v));
        level.peer[v] = times(passes, peer(i, v));
      }
      level.refund = times(parts, refund(machine_.serving(i, m_.output), i));
    }
    if (m_.cycles_only) forget_energy(out);
    return out;
  }

 private:
  // A word of tensor v that fills the level's tile; of an output also one that leaves it outwards.
  Channels fill(int i, int v) const {
    const bool is_output = machine_.tensor[v].is_output;
    return of_words(i, v, {is_output && machine_.level[i].reads_drains ? 1.0 : 0.0, 1, 0}, is_output);
  }

  // A word of tensor v that the level passes to a neighbour: it reads it, and finds its address.
  Channels peer(int i, int v) const { return of_words(i, v, {1, 0, 0}, false); }

  // A word of tensor v that the level serves.
  Channels serve(int i, int v) const {
    const CompiledLevel& level = machine_.level[i];
    const bool is_output = machine_.tensor[v].is_output;
    Channels out = of_words(i, v, serving_one_word<double>(is_output), is_output);
    out[level.is_interconnect ? channels_[i].energy : 0] += entering(i, v) + read_back(i, v);
    return out;
  }

  // First reads of the output, and the fills of first reads further out, where level `serving` serves what level i
  // does.
  Channels refund(int serving, int i) const {
    Channels out = of_words(serving, m_.output, {1, m_.fills(i) ? 1.0 : 0.0, 0}, true);
    out[0] += read_back(serving, m_.output);
    return out;
  }

  // What passes the levels on its way to and from homes.
  Channels passing() const {
    Channels out{};
    out[0] = static_cast<double>(passage_units(machine_));
    for (const int v : bits(machine_.pass.at_home))
      for (int i = machine_.pass.level; i < m_.levels(); ++i) {
        const Accesses<u64> words = passage_words(machine_, v, i);
        Channels own = of_words(
            i, v,
            {static_cast<double>(words.reads), static_cast<double>(words.fills), static_cast<double>(words.updates)},
            machine_.tensor[v].is_output);
        for (std::size_t k = 1; k < m_.channels.size(); ++k)
          if (m_.channels[k].kind == Channel::Kind::Cycles) out[k] += own[k];
      }
    return out;
  }

  static Channels times(double factor, Channels price) {
    for (double& channel : price) channel *= factor;
    return price;
  }

  // What these words of tensor v cost: their energy, and the bandwidths that they take.
  Channels of_words(int i, int v, const Accesses<double>& words, bool is_output) const {
    Channels out{};
    const CompiledLevel& level = machine_.level[i];
    const LevelChannels& own = channels_[i];
    const double size = parts(level, v), reads = words.reads * size, writes = (words.fills + words.updates) * size;
    out[own.energy] += least_units(level, v, words, is_output);
    if (own.read > 0) out[own.read] += reads / level.read_bandwidth;
    if (own.write > 0) out[own.write] += writes / level.write_bandwidth;
    if (own.shared > 0) out[own.shared] += (reads + writes) / level.shared_bandwidth;
    return out;
  }

  // Energy of a word of tensor v that enters the network below the level, and of a sum that crosses it once more on its
  // way in.
  double entering(int i, int v) const {
    return all_words_cross(machine_, i, v) ? static_cast<double>(machine_.level[i].units[v].ingress) : 0;
  }
  double read_back(int i, int v) const {
    return machine_.tensor[v].is_output && !machine_.level[i].reduces ? entering(i, v) : 0;
  }

  const FlowCosts& m_;
  const std::vector<LevelChannels>& channels_;
  const Compiled& machine_;
};

}  // namespace

FlowPrices flow_prices(const FlowCosts& m, const std::vector<LevelChannels>& channels, const Compiled& machine) {
  return MachinePrices(m, channels, machine).run();
}

}  // namespace heliolite
