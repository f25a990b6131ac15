#include "engine/search/exact/flow_costs.h"

#include <algorithm>

#include "engine/model/compiled.h"
#include "engine/model/cost_of_counts.h"

namespace heliolite {
namespace {

constexpr u64 kMostSets = 2048;  // every pair of sets of neighbouring stages is looked at once

// Outermost level that may serve the tensor after `stage`.
int last_server(const KeepRange& keep, int stage, int tensor) {
  int level = stage + 1;
  while (!contains(keep.must[level], tensor)) ++level;
  return level;
}

}  // namespace

ServerSets::ServerSets(const KeepRange& keep, int levels, int tensors) : levels_(levels), tensors_(tensors) {
  stage_.resize(at(levels) + 1);
  for (int stage = -1; stage + 1 < levels; ++stage) {
    std::vector<Set> sets(1);
    for (int v = 0; v < tensors; ++v) {
      std::vector<Set> longer;
      for (const Set& set : sets)
        for (int level = stage + 1; level <= last_server(keep, stage, v); ++level) {
          if (!contains(keep.may[level], v)) continue;
          longer.push_back(set);
          longer.back().level[v] = static_cast<u8>(level);
          if (level == stage + 1) longer.back().kept |= static_cast<TensorMask>(1u << v);
        }
      sets = std::move(longer);
    }
    stage_[place(stage)] = std::move(sets);
  }
  Set end;
  end.level.fill(static_cast<u8>(levels - 1));
  stage_[place(levels - 1)] = {end};
  for (int level = 0; level < levels; ++level)
    for (Set& set : stage_[place(level - 1)])
      for (u32 k = 0; k < count(level); ++k) {
        const Set& other = stage_[place(level)][k];
        bool follows = true;
        for (int v = 0; v < tensors; ++v) follows &= contains(set.kept, v) || other.level[v] == set.level[v];
        if (follows) set.next.push_back(k);
      }
}

bool ServerSets::few(const KeepRange& keep, int levels, int tensors) {
  for (int stage = -1; stage + 1 < levels; ++stage) {
    u64 sets = 1;
    for (int v = 0; v < tensors && sets <= kMostSets; ++v) {
      u64 servers = 0;
      for (int level = stage + 1; level <= last_server(keep, stage, v); ++level)
        servers += contains(keep.may[level], v);
      sets *= servers;
    }
    if (sets > kMostSets) return false;
  }
  return true;
}

u32 ServerSets::index(int stage, const std::array<u8, kMaxTensors>& level) const {
  const std::vector<Set>& sets = stage_[place(stage)];
  const auto found = std::ranges::find_if(sets, [&](const Set& set) { return set.level == level; });
  return static_cast<u32>(found - sets.begin());
}

u32 ServerSets::find(int stage, const std::array<TensorMask, kMaxLevels>& keep) const {
  std::array<u8, kMaxTensors> level{};
  if (stage + 1 == levels_) return 0;
  for (int v = 0; v < tensors_; ++v) {
    int server = stage + 1;
    while (!contains(keep[server], v)) ++server;
    level[v] = static_cast<u8>(server);
  }
  return index(stage, level);
}

namespace {

class Builder {
 public:
  Builder(const LayerProblem& problem, const KeepRange& keep, const Lattice& lattice,
          std::span<const FanoutChoices> fanouts, bool cycles_only)
      : m_{&problem, &problem.model.compiled(),  // of a family: its envelope
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
    m_.ramps = c_.ramps && m_.timed;
    m_.macs = static_cast<double>(c_.macs);
    m_.macs_of_passes = m_.macs * static_cast<double>(c_.pass.passes);
    m_.unit_cycles = cycles_of_one_unit(c_);
    for (int v = 0; v < c_.tensor_count; ++v)
      if (c_.tensor[v].is_output) m_.output = v;
    const CompiledTensor& output = c_.tensor[m_.output];
    // Then the share of the output that an instance owns is a quotient of boxes, and truncated.
    if (output.term_count != 0 || output.entangled) m_.exact = false;
    m_.level.resize(at(c_.level_count));
    for (int i = 0; i < c_.level_count; ++i)
      if (c_.level[i].is_interconnect) m_.interconnect |= static_cast<u16>(1u << i);
    for (int i = 0; i + 1 < c_.level_count; ++i) m_.level[i].hops = !m_.cycles_only && m_.fanout[i + 1].hops;
    for (int i = c_.level_count - 1; i > 0; --i) {
      if (!m_.problem->shares_inside(i)) continue;
      m_.level[i].shares_inside = m_.level[i - 1].shares_outside = true;
      m_.level[i - 1].kept_outside = m_.level[i].kept_outside | m_.keep.must[i];
    }
    const std::vector<LevelChannels> channels = list_channels(m_, machines_);
    for (const Compiled* machine : machines_) m_.machine.push_back(flow_prices(m_, channels, *machine));
    find_least();
    if (c_.peers != 0) prepare_peers();
    for (int i = 0; i < c_.level_count && !m_.cycles_only; ++i) find_rounding(i);
    return std::move(m_);
  }

 private:
  // A block too many of each kind of access, at either end of a flow.
  void find_rounding(int i) {
    ExactLevel& own = m_.level[i];
    for (const Compiled* machine : machines_) {
      const CompiledLevel& level = machine->level[i];
      const u64 used = std::min(c_.fanouts(i + 1, c_.level_count - 1), level.clusters) * c_.pass.passes;
      const auto most = [used](double units, double& sum) { sum = std::max(sum, units * static_cast<double>(used)); };
      for (int v = 0; v < c_.tensor_count; ++v) {
        if (level.block_words == 1 || level.taken(v, 1) % level.block_parts == 0) continue;
        const ValueUnits& units = level.units[v];
        const auto update = static_cast<double>(v == m_.output ? units.update : 0);
        const auto read_back = static_cast<double>(v == m_.output ? units.read : 0);
        most(static_cast<double>(units.fill) + read_back, own.fill_rounding[v]);
        most(static_cast<double>(units.read) + update, m_.level[c_.serving(i, v)].serve_rounding[v]);
      }
    }
  }

  void leave_out_fewer_fills(FlowPrices& prices) {
    for (int i = 0; i < c_.level_count; ++i)
      for (int v = 0; v < c_.tensor_count; ++v) {
        if (!m_.fills_fewer(i, v)) continue;
        prices.level[i].fill[v] = Channels{};
        if (m_.level[i].hops) m_.exact = false;
      }
  }

  // Each instance may pass on a word more or less than its share.
  void prepare_peers() {
    m_.sites = std::make_shared<PeerSites>();
    if (m_.fanout[0].exists) m_.unit_peers = tensors_with_peers(m_.problem->space, c_, 0);
    for (int i = 0; i + 1 < c_.level_count; ++i)
      for (std::size_t k = 0; k < m_.channels.size(); ++k)
        if (c_.level[i + 1].peers != 0)
          for (int v = 0; v < c_.tensor_count; ++v)
            m_.peer_rounding[k] +=
                m_.machine.front().level[i].peer[v][k] * static_cast<double>(c_.fanouts(i + 1, c_.level_count - 1));
  }

  void find_least() {
    const auto each = [](Channels& to, const Channels& from, auto choose) {
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = choose(to[k], from[k]);
    };
    const auto least = [](double a, double b) { return std::min(a, b); };
    const auto most = [](double a, double b) { return std::max(a, b); };
    m_.least = m_.machine.front();
    for (const FlowPrices& machine : m_.machine) {
      each(m_.least.constant, machine.constant, least);
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
};

}  // namespace

double FlowCosts::most_instances(int first, u64 left) const {
  const int count = static_cast<int>(fanout.size());
  while (first < count && !fanout[first].exists) ++first;
  return first < count ? fanout[first].most_instances[lattice.grid().cell(left)] : 1;
}

const Channels& FlowCosts::serve(const FlowPrices& prices, int from, int server, int v, Channels& sum) const {
  const u16 between = interconnects(from, server);
  if (between == 0) return prices.level[server].serve[v];
  sum = prices.level[server].serve[v];
  for (const int i : bits(between))
    for (std::size_t k = 0; k < channels.size(); ++k) sum[k] += prices.level[i].serve[v][k];
  return sum;
}

double FlowCosts::serve_rounding(int from, int server, int v) const {
  double sum = level[server].serve_rounding[v];
  for (const int i : bits(interconnects(from, server))) sum += level[i].serve_rounding[v];
  return sum;
}

u64 FlowCosts::used(int i, TensorMask kept, const Extents& tile) const {
  const CompiledLevel& own = compiled->level[i];
  u64 sum = 0;
  for (const int v : bits(kept)) sum += own.taken(v, box_words(compiled->tensor[v], tile));
  return sum;
}

bool FlowCosts::fits(int i, TensorMask kept, const Extents& tile) const { return has_room(i, kept, 0, tile); }

bool FlowCosts::has_room(int i, TensorMask kept, u64 inside, const Extents& tile) const {
  const CompiledLevel& most = compiled->level[i];
  if (most.holds_all()) return true;
  return inside + used(i, kept | level[i].kept_outside, tile) <= most.room;
}

u64 FlowCosts::room(int i, u64 words) const {
  return words == CompiledLevel::kUnbounded ? words : words * compiled->level[i].parts.of_word;
}

bool FlowCosts::holds(u32 k, int i, u32 set, const Extents& tile) const {
  if (!problem->family) return true;
  for (int swept : problem->family->swept()) {
    if (swept < i) continue;
    TensorMask kept = keep.must[swept];
    for (int v = 0; v < compiled->tensor_count; ++v)
      if (servers.server(i - 1, set, v) == swept) kept |= static_cast<TensorMask>(1u << v);
    if (used(swept, kept, tile) > room(swept, problem->family->capacity(k, swept))) return false;
  }
  return true;
}

bool FlowCosts::needless(u32 k, int i, u32 set, const Extents& tile) const {
  TensorMask kept = servers.kept(i, set);
  for (int swept : problem->family->swept()) {
    if (swept < i) continue;
    for (; i < swept; ++i) {
      if (fanout[i + 1].exists || problem->space.levels[i + 1].temporal.allowed != 0) return false;
      kept = keep.may[i + 1];
    }
    const u64 smaller = problem->family->held_by_smaller(k, swept);
    if (smaller != 0 && used(swept, kept, tile) <= room(swept, smaller)) return true;
  }
  return false;
}

FlowCosts make_flow_costs(const LayerProblem& problem, const KeepRange& keep, const Lattice& lattice,
                          std::span<const FanoutChoices> fanouts, bool cycles_only) {
  FlowCosts out = Builder(problem, keep, lattice, fanouts, cycles_only).run();
  // Tensors with a home have other prices than those without.
  if (problem.options.rules[Rule::Symmetry] && out.compiled->peers == 0 && out.compiled->pass.at_home == 0)
    out.symmetry = find_symmetry(problem.space, *out.compiled);
  return out;
}

}  // namespace heliolite
