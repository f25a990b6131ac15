#include "engine/search/exact/partial_bounds.h"

#include <algorithm>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/model/storage_cost.h"

namespace heliolite {
PartialBounds::PartialBounds(const FlowCosts& model) : m_(model), c_(*model.compiled), tables_(model) {
  const int levels = m_.levels();
  reducing_outside_[at(levels)] = fanout_outside_[at(levels)] = 1;
  for (int i = levels - 1; i >= 0; --i) {
    reducing_outside_[at(i)] = reducing_outside_[at(i) + 1] * m_.fanout[at(i)].most_reducing;
    fanout_outside_[at(i)] =
        fanout_outside_[at(i) + 1] * static_cast<double>(c_.level[at(i)].fanout_x * c_.level[at(i)].fanout_y);
    leaks_ |= leaks(c_.level[at(i)]);
  }
  for (std::size_t k = 0; k < m_.channels.size(); ++k)
    if (m_.channels[k].kind != Channel::Kind::Shared) asked_ |= static_cast<u16>(1u << k);
  for (int i = levels - 1; i >= 0; --i) {
    refund_from_[at(i)] = refund_from_[at(i) + 1];
    for (std::size_t k = 0; k < m_.channels.size(); ++k)
      refund_from_[at(i)][k] += m_.least.level[at(i)].refund[k] * reducing_outside_[at(i) + 1];
  }
}

PartialBounds::Inside PartialBounds::inside(const PartialMapping& s, Place place) const {
  Inside out(LoopSet(tables_.classes(), c_, s.tile.extent, c_.size));
  out.place = place;
  out.active = asked_ & static_cast<u16>(~s.idle);
  out.compute_cycles = compute_cycles(s.units, place.level, m_.lattice.full().index - s.tile.index);
  for (const int tensor : bits(s.in_place)) {
    const std::size_t v = at(tensor);
    const std::size_t n = out.open_count++;
    out.relevant[n] = tables_.classes().indexing(v);
    out.repeats[n] = irrelevant_share(c_, c_.tensor[v], out.outside);
    out.halo_of[n] = -1;
  }
  for (int f = 0; f < s.sliding_count; ++f) {
    const SlidingFlow& flow = s.sliding[at(f)];
    const CompiledTensor& t = c_.tensor[flow.tensor];
    if (flow.moving) {
      double gaining = 1;
      for (const int d : bits(t.indexing)) gaining *= out.outside.n[at(d)];
      out.fetched[at(f)] = (flow.fetched * gaining - (gaining - 1)) / gaining * s.iterations;
      continue;
    }
    const std::size_t n = out.open_count++;
    out.relevant[n] = tables_.classes().indexing(flow.tensor);
    out.repeats[n] = irrelevant_share(c_, t, out.outside) *
                     halo_shares(tables_.classes(), t, flow.extent, s.tile.extent, out.outside, out.halo[at(f)].data());
    out.halo_of[n] = f;
  }
  sum_channel(s, 0, out);
  out.known = 1;
  return out;
}

bool PartialBounds::add_cycles(const PartialMapping& s, Inside& inside) const {
  bool any = false;
  for (std::size_t k = inside.known; k < m_.channels.size(); ++k) {
    if (!contains(inside.active, k)) continue;
    sum_channel(s, k, inside);
    any = true;
  }
  inside.known = m_.channels.size();
  return any;
}

void PartialBounds::sum_channel(const PartialMapping& s, std::size_t k, Inside& out) const {
  const auto [level, unrolled] = out.place;
  const auto of = [&](const Channels& x) { return tables_.of(x, k); };
  std::array<double, kMaxTensors> spread;
  double sum = of(s.sum);
  for (int v = 0; v < c_.tensor_count; ++v) {
    const u32 left = m_.lattice.full().index - s.tile.index;
    spread[at(v)] = unrolled ? tables_.spread_below(level, v, left) : tables_.spread_after(level, v, left);
    sum += of(s.pending[at(v)]) * spread[at(v)];
  }
  BoundFlows flows;
  std::size_t n = 0;
  const auto wait = [&](double fill, double serve, std::size_t v) {
    out.unreused[n][k] = (fill + serve * spread[v]) * s.iterations;
    out.once[n][k] = (fill + serve) * s.iterations * out.repeats[n];
    if (out.unreused[n][k] > 0) flows.append({out.relevant[n], out.unreused[n][k], out.halo_shares(n), out.once[n][k]});
    ++n;
  };
  for (const int tensor : bits(s.in_place)) {
    const std::size_t v = at(tensor);
    wait(of(s.fill[v]), of(s.serve[v]), v);
  }
  for (int f = 0; f < s.sliding_count; ++f) {
    const SlidingFlow& sliding = s.sliding[at(f)];
    const double fill = of(sliding.fill), serve = of(sliding.serve);
    if (sliding.moving)
      sum += std::max((fill + serve * spread[sliding.tensor]) * out.fetched[at(f)],
                      (fill + serve) * sliding.least * s.iterations);
    else wait(fill, serve, sliding.tensor);
  }
  const auto words = static_cast<double>(c_.tensor[at(m_.output)].words);
  sum -= words * (of(s.refund) * reducing_outside_[at(level) + 1] + of(refund_from_[at(unrolled ? level : level + 1)]));
  out.settled[k] = sum;  // may be negative: refunds of flows to come
  out.sum[k] = sum + flows.least(out.outside.of_class, out.outside.present);
}

double PartialBounds::ordered(const Inside& inside, std::size_t k, const LatticePoint& tile, const LoopSet& own,
                              const LoopSet& outside, const double* fresh_row) const {
  double iterations = 1;
  for (std::size_t l = 0; l < tables_.classes().count(); ++l) iterations *= own.of_class[l];
  BoundFlows closing, waiting;
  for (std::size_t f = 0; f < inside.open_count; ++f) {
    const double all = inside.unreused[f][k];
    if (all <= 0) continue;
    const BoundFlow flow{inside.relevant[f], all, inside.halo_shares(f), inside.once[f][k]};
    if (inside.relevant[f] & own.present) closing.append(flow);
    else waiting.append({flow.relevant, all / iterations, flow.halo, flow.once});
  }
  tables_.append_fresh(inside.place.level, fresh_row, waiting);
  return inside.settled[k] + closing.least(own.of_class, own.present) +
         waiting.least(outside.of_class, outside.present) + tables_.after(inside.place.level, k, tile.index);
}

double PartialBounds::ordered_energy(const PartialMapping& s, const Inside& inside, const LatticePoint& tile,
                                     double enough) const {
  const LoopSet own(tables_.classes(), c_, s.tile.extent, tile.extent);
  // Often the flows that close here decide.
  BoundFlows closing;
  double sum = inside.settled[0] + tables_.with(inside.place.level, 0, tile.index);
  for (std::size_t f = 0; f < inside.open_count; ++f) {
    if (inside.relevant[f] & own.present)
      closing.append({inside.relevant[f], inside.unreused[f][0], inside.halo_shares(f), inside.once[f][0]});
    else sum += inside.once[f][0];
  }
  sum += closing.least(own.of_class, own.present);
  if (sum >= enough) return sum;
  const LoopSet outside(tables_.classes(), c_, tile.extent, c_.size);
  RestBounds::FreshRow row;
  return ordered(inside, 0, tile, own, outside, tables_.fresh_energy(inside.place.level, tile, outside, row));
}

CostBound PartialBounds::at_candidate_ordered(const PartialMapping& s, const Inside& inside,
                                              const LatticePoint& tile) const {
  const LoopSet own(tables_.classes(), c_, s.tile.extent, tile.extent);
  const LoopSet outside(tables_.classes(), c_, tile.extent, c_.size);
  RestBounds::FreshRow row;
  Channels sums;
  for (std::size_t k = 0; k < inside.known; ++k) {
    if (!contains(inside.active, k)) continue;
    tables_.fresh(inside.place.level, tile, outside, k, row.data());
    sums[k] = ordered(inside, k, tile, own, outside, row.data());
  }
  return price(s, inside, sums);
}

CostBound PartialBounds::at_root(const PartialMapping& root) const {
  // The innermost fan-out may take any choice; the tables below it know the least of all.
  const double least = m_.fanout[0].exists ? tables_.least_below(0) : tables_.below(0, 0, 0);
  if (least >= kImpossible) return {kImpossible, kImpossible};
  double closed = tables_.of(root.sum, 0);
  for (int v = 0; v < c_.tensor_count; ++v) {
    double spread = 1;
    for (int f = 0; f <= m_.least.mac[at(v)].last_fanout; ++f)
      if (m_.fanout[at(f)].exists) spread *= m_.fanout[at(f)].least_spread[at(v)][m_.lattice.full().index];
    closed += tables_.of(root.pending[at(v)], 0) * spread;
  }
  closed -= static_cast<double>(c_.tensor[at(m_.output)].words) * tables_.of(refund_from_[0], 0);
  return {std::max(0.0, closed + least), m_.macs / fanout_outside_[0]};
}

double PartialBounds::compute_cycles(double units, int level, u32 left) const {
  double most = units;
  for (int f = level + 1; f < m_.levels(); ++f)
    if (m_.fanout[at(f)].exists) most *= m_.timed ? m_.fanout[at(f)].most_instances[left] : fanout_outside_[at(f)];
  return m_.macs / most;
}

CostBound PartialBounds::price(const PartialMapping& s, const Inside& inside, const Channels& sums) const {
  const int level = inside.place.level;
  CostBound out{std::max(0.0, sums[0]), inside.compute_cycles};
  for (std::size_t k = 1; k < inside.known; ++k) {
    if (!contains(inside.active, k)) continue;
    double used = fanout_outside_[at(std::max(level, m_.channels[k].level) + 1)];
    for (int f = m_.channels[k].level + 1; f <= level; ++f) used *= s.instances[at(f)];
    out.cycles = std::max(out.cycles, sums[k] / used * (1 - 1e-9));
  }
  if (leaks_) {
    double inner = 1;  // most units inside the level
    for (int i = 0; i < m_.levels(); ++i) {
      inner *=
          i <= level ? s.instances[at(i)] : static_cast<double>(c_.level[at(i)].fanout_x * c_.level[at(i)].fanout_y);
      double used = 1;
      for (int f = i + 1; f <= level; ++f) used *= s.instances[at(f)];
      out.energy += leakage_units(c_.level[at(i)], std::max(out.cycles * used, m_.macs / inner));
    }
  }
  return out;
}

}  // namespace heliolite
