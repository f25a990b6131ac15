#include "engine/search/all_tiles/partial_cost.h"

#include <cmath>
#include <utility>

#include "engine/model/cost_of_counts.h"

namespace heliolite {

namespace {

constexpr double kFarFromWhole = 1e-12;  // of a number of cycles: roundings do not reach the next whole one
constexpr u64 kMostMultiples = 64;

constexpr double kRounding = 1 - 1e-12;  // of rule 28 in doubles

}  // namespace

RoundedCycles::RoundedCycles(const KeptFlows& costs)
    : level_(costs.compiled().level[costs.compiled().level_count - 1]), tensors_(at(costs.compiled().tensor_count)) {
  if (!level_.limited) return;
  double reads = 0, writes = 0;
  for (const Flow& f : costs.flows()) {
    if (f.outer + 1 != costs.compiled().level_count || f.by_network || f.carried || f.enters) continue;
    const u64 parts = level_.taken(f.tensor, f.touched);
    (f.is_output ? writes_ : reads_)[f.tensor] = parts;
    (f.is_output ? writes : reads) += static_cast<double>(parts);
  }
  const double cycles = port_cycles(level_, reads, writes);
  exact_ = saturated(std::ceil(cycles * (1 - kFarFromWhole)));
  may_round_up_ =
      level_.timeloop_cycles && exact_ != kTooManyCycles && static_cast<double>(exact_) <= cycles * (1 + kFarFromWhole);
}

u64 RoundedCycles::of_multiples(u64 unit, u64 least, u64 most) const {
  const u64 first = ceil_div(least, unit) * unit, last = std::min(most, exact_);
  if (!may_round_up_ || first > last || (last - first) / unit > kMostMultiples) return exact_;
  u64 fewest = exact_ + 1;  // of more steps than cycles
  for (u64 steps = first; steps <= last && fewest > exact_; steps += unit)
    fewest = std::min(
        fewest, level_cycles(level_, std::span(reads_).first(tensors_), std::span(writes_).first(tensors_), steps));
  return fewest;
}
PartialCost::PartialCost(const KeptFlows& costs, u64 least_cycles, DimensionMask batches)
    : costs_(costs),
      c_(costs.compiled()),
      least_cycles_(least_cycles),
      batches_(batches),
      rounded_(costs),
      classes_(costs.classes()),
      nowhere_(c_) {
  u64 units = 1;
  for (int i = 0; i < c_.level_count; ++i) units_inside_[i] = units *= c_.level[i].fanout();
  counted_.resize(costs.flows().size());
  settled_.resize(costs.flows().size());
  in_table_.reserve(costs.flows().size() + costs.passing().size());
  find_busy_levels();
}

// Each unit asks for a word of a tensor in each of its steps at most.
void PartialCost::find_busy_levels() {
  for (int i = 0; i + 1 < c_.level_count; ++i) {
    if (!c_.level[i].limited) continue;
    std::vector<const Flow*> here;
    Accesses<u64> parts;
    for (const Flow& f : costs_.flows()) {
      if (f.outer != i || !is_asked_by_units(f)) continue;
      here.push_back(&f);
      parts += asked_parts(f, units_inside_[i]);
    }
    if (cycles_of(i, parts, 1) > 1) busy_.insert(busy_.end(), here.begin(), here.end());
  }
}

u128 PartialCost::energy(const OpenFlow& flow, const FlowTraffic& words, const UnitsInUse& units) const {
  const Flow& f = flow.flow();
  if (f.by_network) return hop_energy(c_.level[f.outer], f.tensor, flow.hops(), words.half_hops);
  return costs_.energy(f, words, units);
}

// Steps at least, if `units` of fan-outs are to come.
u64 PartialCost::steps(const Trail& trail, u64 units) const {
  u128 all = 1;
  for (int d = 0; d < c_.dimension_count; ++d) all *= trail.of(d).steps();
  return std::max(costs_.least_steps(), static_cast<u64>((all - 1) / units + 1));
}

u64 PartialCost::least_cycles(const Trail& trail, u64 units) const {
  return std::max(least_cycles_, c_.cycles_of(steps(trail, units)));
}

// Cycles at least as the model rounds them. Fan-outs to come make fewer steps along their dimensions, not along others.
u64 PartialCost::rounded_cycles(const Trail& trail, u64 units) const {
  u128 unit = c_.point_cycles, most = c_.point_cycles;
  for (int d = 0; d < c_.dimension_count; ++d) {
    const u64 steps = trail.of(d).steps();
    most *= contains(batches_, d) ? c_.size[d] : steps;
    if (!steps_are_open(trail, d)) unit *= steps;
  }
  if (unit > rounded_.exact()) return rounded_.exact();
  return rounded_.of_multiples(static_cast<u64>(unit), c_.cycles_of(steps(trail, units)),
                               static_cast<u64>(std::min<u128>(most, rounded_.exact() + 1)));
}

// Cycles that the bandwidths need for what is known to move, spread over all instances, and for what the first one is
// asked for.
PartialCost::LevelCycles PartialCost::level_cycles(const Trail& trail, const Reach& reach, Asking asking) const {
  std::array<Accesses<u64>, kMaxLevels> parts{};
  for (const OpenFlow* flow : flows_) {
    const OpenFlow& f = *flow;
    const FlowTraffic least = f.least();
    if (asking == Asking::Themselves || !f.flow().passes(level_))
      parts[f.flow().outer] += costs_.parts_at_outer(f.flow(), least, in_use_);
    if (f.flow().fills()) parts[f.flow().inner()] += costs_.parts_at_inner(f.flow(), least, in_use_);
  }
  double cycles = cycles_of_first(trail, reach);
  for (int i = 0; i + 1 < c_.level_count; ++i)
    if (c_.level[i].limited) cycles = std::max(cycles, cycles_of(i, parts[i], static_cast<double>(in_use_.most[i])));
  return {cycles, ports(parts[c_.level_count - 1])};
}

u64 PartialCost::LevelCycles::with(const Rest& rest) const {
  PortCycles all = outermost;
  all += rest.ports;
  return saturated(std::ceil(std::max(inside, std::ranges::max(all.of))));
}

double PartialCost::cycles_of_first(const Trail& trail, const Reach& reach) const {
  std::array<Accesses<u64>, kMaxLevels> parts{};
  for (const Flow* f : busy_) parts[f->outer] += asked_parts(*f, words_of_first_instance(costs_, *f, trail, reach));
  double cycles = 0;
  for (const Flow* f : busy_) cycles = std::max(cycles, cycles_of(f->outer, parts[f->outer], 1));
  return cycles;
}

// Requests of compute units for `words`, in parts of the level's words.
Accesses<u64> PartialCost::asked_parts(const Flow& f, u64 words) const {
  return in_parts(c_.level[f.outer], f.tensor, f.is_output ? Accesses<u64>{0, 0, words} : Accesses<u64>{words, 0, 0});
}

double PartialCost::cycles_of(int level, const Accesses<u64>& parts, double instances) const {
  const double reads = static_cast<double>(parts.reads) / instances;
  const double writes = static_cast<double>(parts.fills + parts.updates) / instances;
  return kRounding * port_cycles(c_.level[level], reads, writes);
}

u128 PartialCost::leakage(const UnitsInUse& units, u64 cycles) const {
  u128 out = 0;
  for (int i = 0; i < c_.level_count; ++i) {
    if (!leaks(c_.level[i])) continue;
    // Instances times cycles: what works, and never less than all MACs of the instances one after the other.
    const u128 least = u128{units.least[i]} * cycles, macs = (c_.macs - 1) / units_inside_[i] + 1;
    out += std::max(least, macs * c_.point_cycles) * c_.level[i].leak_units;
  }
  return out;
}

Cost PartialCost::operator()(const Trail& trail, const Reach& reach, const Rest& rest) {
  in_use_ = costs_.units_in_use(trail, reach);
  level_ = reach.level;
  count(trail, reach);
  return cost(trail, reach, rest, Asking::Themselves);
}

void PartialCost::count(const Trail& trail, const Reach& reach) {
  along_ = costs_.units_along(trail, reach);
  flows_.clear();
  for (std::size_t k = 0; k < costs_.flows().size(); ++k) {
    const Flow& f = costs_.flows()[k];
    if (f.boundary > reach.level) break;
    const bool placed = f.boundary < reach.level || !reach.has_room();  // the fan-out of its level
    if (f.by_network && !placed) continue;
    if (!settled_[k]) counted_[k].emplace(costs_, f, trail, reach, along_);
    flows_.push_back(&*counted_[k]);
  }
}

void PartialCost::settle(const Trail& trail, const Reach& reach, bool loops) {
  unsettle();
  if (!costs_.unrolled(reach)) return;
  count(trail, reach);
  if (loops) look_ahead_of_counted(trail, reach);
  for (const OpenFlow* flow : flows_)
    if (!flow->open()) settled_[&flow->flow() - costs_.flows().data()] = true;
}

Cost PartialCost::cost(const Trail& trail, const Reach& reach, const Rest& rest, Asking asking) {
  Cost out{Energy{c_.op_units} * c_.macs,
           std::max(least_cycles(trail, in_use_.to_come), level_cycles(trail, reach, asking).with(rest))};
  if (rounded_.may_round_up() && out.cycles <= rounded_.exact())
    out.cycles = std::max(out.cycles, rounded_cycles(trail, in_use_.to_come));
  out.energy.units += ordered<false>(trail, in_use_, asking).energy + leakage(in_use_, out.cycles) + rest.energy;
  return out;
}

DimensionMask PartialCost::moves() const {
  DimensionMask out = 0;
  for (const OpenFlow* flow : flows_)
    if (flow->open()) out = static_cast<DimensionMask>(out | flow->flow().indexing);
  return out;
}

Cost PartialCost::with_proxies(const Trail& trail, const Reach& reach, const Rest& rest) {
  return cost(trail, reach, rest, Asking::Proxies);
}

OnceCost PartialCost::once(Trail& trail) {
  for (int i = 1; i < c_.level_count; ++i) trail.begin(i);
  trail.let_tiles_be_any(true);
  const Reach reach{0, c_.level[0].fanout_x, c_.level[0].fanout_y};
  // What describe() and with_proxies() look at stays.
  const UnitsInUse in_use = std::exchange(in_use_, costs_.units_in_use(trail, reach));
  const std::vector<const OpenFlow*> flows = std::exchange(flows_, {});
  std::vector<OpenFlow> counted;
  counted.reserve(costs_.flows().size());
  OnceCost out;
  out.whole = {Energy{c_.op_units} * c_.macs, least_cycles(trail, in_use_.to_come)};
  for (const Flow& f : costs_.flows()) {
    if (f.by_network) continue;
    const CompiledLevel& level = c_.level[f.boundary];
    const Reach begin{f.boundary, level.fanout_x, level.fanout_y};
    flows_.push_back(&counted.emplace_back(costs_, f, trail, begin, costs_.units_along(trail, begin)));
    const u128 energy = costs_.energy(f, flows_.back()->least(), in_use_);
    out.whole.energy.units += energy;
    for (int i = 0; i < f.boundary; ++i) out.outside[i] += energy;
  }
  out.whole.cycles = std::max(out.whole.cycles, level_cycles(trail, reach, Asking::Themselves).with({}));
  out.whole.energy.units += leakage(in_use_, out.whole.cycles);
  trail.let_tiles_be_any(false);
  in_use_ = in_use;
  flows_ = flows;
  return out;
}

PortCycles PartialCost::ports(const Accesses<u64>& parts) const {
  const CompiledLevel& l = c_.level[c_.level_count - 1];
  const auto reads = static_cast<double>(parts.reads), writes = static_cast<double>(parts.fills + parts.updates);
  return {{kRounding * reads / l.read_bandwidth, kRounding * writes / l.write_bandwidth,
           kRounding * (reads + writes) / l.shared_bandwidth}};
}

RestOutside PartialCost::least_outside(int level, std::span<const u32> least, std::span<const u32> most,
                                       std::span<const u32> widest) {
  Trail& trail = nowhere_;
  trail.set_tiles(most, most, widest);
  for (int i = 0; i <= level + 1; ++i) trail.begin(i);
  const CompiledLevel& outer = c_.level[level + 1];
  const Reach reach{level + 1, outer.fanout_x, outer.fanout_y};
  level_ = reach.level;
  const UnitsInUse units = costs_.units_in_use(trail, reach);
  trail.set_tiles(least, most, widest);
  trail.begin(level + 1);
  along_ = costs_.units_along(trail, reach);
  flows_.clear(), in_table_.clear();
  const auto add = [&](const Flow& f) { flows_.push_back(&in_table_.emplace_back(costs_, f, trail, reach, along_)); };
  for (const Flow& f : costs_.flows())
    if (f.boundary == level + 1 && !f.by_network) add(f);
  const auto rest = [&](Asking asking) {
    const bool limited = c_.level[c_.level_count - 1].limited;
    const Flowing all = limited ? ordered<true>(trail, units, asking) : ordered<false>(trail, units, asking);
    return Rest{all.energy, all.ports};
  };
  RestOutside out;
  out.all = rest(Asking::Themselves);
  if (!costs_.passes(level)) {
    out.with_proxies = out.all;
    return out;
  }
  for (const Flow& f : costs_.passing())
    if (f.boundary == level + 1) add(f);
  out.with_proxies = rest(Asking::Proxies);
  return out;
}

}  // namespace heliolite
