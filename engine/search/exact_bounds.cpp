#include "engine/search/exact_bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heliolite {
namespace {

// Tables of cycles are left out of large lattices: energy prunes more.
constexpr u64 kMaxCyclePoints = 400'000;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// More flows than the bound takes: the rest cost nothing.
double bound_of(const BoundFlow* flow, std::size_t count, const std::array<double, kMaxDimensions>& n,
                DimensionMask present) {
  return count == 0 ? 0 : ordering_bound({flow, std::min<std::size_t>(count, kMaxBoundFlows)}, n, present);
}

// Adds a flow to the list. Flows that the same loops end are one.
void append(BoundFlow* list, std::size_t& count, const BoundFlow& flow) {
  for (std::size_t k = 0; k < count && flow.halo == nullptr; ++k)
    if (list[k].relevant == flow.relevant && list[k].halo == nullptr) {
      list[k].unreused += flow.unreused;
      list[k].once += flow.once;
      return;
    }
  list[count++] = flow;
}

}  // namespace

ExactBounds::ExactBounds(const ExactModel& model) : m_(model), c_(*model.compiled) {
  const int levels = m_.levels();
  reducing_outside_[at(levels)] = fanout_outside_[at(levels)] = 1;
  for (int i = levels - 1; i >= 0; --i) {
    reducing_outside_[at(i)] = reducing_outside_[at(i) + 1] * m_.fanout[at(i)].most_reducing;
    fanout_outside_[at(i)] =
        fanout_outside_[at(i) + 1] * static_cast<double>(c_.level[at(i)].fanout_x * c_.level[at(i)].fanout_y);
    leaks_ |= c_.level[at(i)].leak_units != 0;
  }
  for (int i = levels - 1; i >= 0; --i) {
    refund_from_[at(i)] = refund_from_[at(i) + 1];
    for (std::size_t k = 0; k < m_.channels.size(); ++k)
      refund_from_[at(i)][k] += m_.level[at(i)].refund[k] * reducing_outside_[at(i) + 1];
  }
  for (int i = 0; i < levels; ++i)
    for (int v = 0; v < c_.tensor_count; ++v) {
      // From the level's tile the last flow is the one out of it or out of a level inside.
      const auto spread = [&](int first_fanout, int start) {
        while (start >= 0 && !(m_.level[at(start)].keep >> v & 1)) --start;
        const int last = start < 0 ? m_.mac_price[at(v)].last_fanout : m_.level[at(start)].price[at(v)].last_fanout;
        std::vector<double> out;
        for (int f = first_fanout; f <= last; ++f) {
          const std::vector<double>& least = m_.fanout[at(f)].least_spread[at(v)];
          if (least.empty()) continue;
          if (out.empty()) out.assign(least.size(), 1);
          for (std::size_t p = 0; p < out.size(); ++p) out[p] *= least[p];
        }
        // However many fan-outs: a dimension spreads a word to as many as it has iterations left.
        if (!c_.tensor[v].sliding && !c_.tensor[v].entangled)
          for (std::size_t p = 0; p < out.size(); ++p) {
            const LatticePoint left = m_.lattice.point(static_cast<u32>(p));
            double receivers = 1;
            for (int d = 0; d < c_.dimension_count; ++d)
              if (!(c_.tensor[v].indexing >> d & 1)) receivers *= left.extent[at(d)];
            out[p] = std::max(out[p], 1 / receivers);
          }
        return out;
      };
      spread_after_[at(i)][at(v)] = spread(i + 1, i);
      spread_below_[at(i)][at(v)] = spread(i + 1, i - 1);
    }
  with_.resize(at(levels)), below_.resize(at(levels)), after_.resize(at(levels));
  for (int i = levels - 1; i >= 0; --i) build_level(i);
}

double ExactBounds::energy(const Channels& x) const {
  double sum = x[0];
  for (std::size_t k = 1; k < m_.channels.size(); ++k)
    if (m_.channels[k].kind == Channel::Kind::Shared) sum += x[k] * m_.level[at(m_.channels[k].level)].least_sharing;
  return sum;
}

// Along a sliding rank the tiles of a whole sweep cover at least the union of their ranges.
double ExactBounds::halos(const CompiledTensor& t, const std::array<i64, kMaxRanks>& extent, const Extents& step,
                          const std::array<double, kMaxDimensions>& n, std::array<double, kMaxDimensions>& out) const {
  out.fill(1);
  if (t.entangled) {
    double all = 1;
    for (unsigned left = t.indexing; left != 0; left &= left - 1) all *= n[at(std::countr_zero(left))];
    out.fill(1 / all);
    return 1 / all;
  }
  double whole = 1;
  for (int r = 0; r < t.rank_count; ++r) {
    if (t.sharing[at(r)] == 0) continue;
    struct Sweep {
      double move, n;
    };
    std::array<Sweep, kMaxTerms> sweep;
    std::size_t count = 0;
    double all = 1;
    for (int k = 0; k < t.term_count; ++k) {
      const CompiledTerm& term = t.term[at(k)];
      if (term.rank != r || n[term.dimension] <= 1) continue;
      sweep[count++] = {static_cast<double>(term.coefficient) * step[term.dimension], n[term.dimension]};
      all *= n[term.dimension];
    }
    if (count == 0) continue;
    for (std::size_t k = 1; k < count; ++k)  // at most kMaxTerms: insertion
      for (std::size_t j = k; j > 0 && sweep[j].move < sweep[j - 1].move; --j) std::swap(sweep[j], sweep[j - 1]);
    const auto tile = static_cast<double>(extent[at(r)]);
    double range = tile, pieces = 1;
    for (std::size_t k = 0; k < count && pieces == 1; ++k) {
      if (sweep[k].move <= range) range += sweep[k].move * (sweep[k].n - 1);
      else pieces = sweep[k].n;
    }
    const double share = std::min(1.0, pieces * range / (tile * all));
    for (unsigned left = t.sharing[at(r)]; left != 0; left &= left - 1) out[at(std::countr_zero(left))] = share;
    whole *= share;
  }
  return whole;
}

double ExactBounds::irrelevant_share(const CompiledTensor& t, const std::array<double, kMaxDimensions>& n) const {
  double out = 1;
  for (int d = 0; d < c_.dimension_count; ++d)
    if (!(t.indexing >> d & 1)) out *= n[at(d)];
  return 1 / out;
}

ExactBounds::Inside ExactBounds::inside(const ExactState& s, int level, bool unrolled) const {
  Inside out;
  out.left.fill(1);
  for (int d = 0; d < c_.dimension_count; ++d) {
    out.left[at(d)] = static_cast<double>(c_.size[at(d)] / s.tile.extent[at(d)]);
    if (out.left[at(d)] > 1) out.present |= static_cast<DimensionMask>(1u << d);
  }
  out.compute_cycles = compute_cycles(s.units, level, m_.lattice.full().index - s.tile.index);
  for (unsigned open = s.in_place; open != 0; open &= open - 1) {
    const CompiledTensor& t = c_.tensor[at(std::countr_zero(open))];
    out.relevant[out.open_count] = t.indexing;
    out.repeats[out.open_count] = irrelevant_share(t, out.left);
    out.halo_of[out.open_count++] = -1;
  }
  for (int f = 0; f < s.sliding_count; ++f) {
    const SlidingFlow& flow = s.sliding[at(f)];
    const CompiledTensor& t = c_.tensor[flow.tensor];
    if (flow.moving) {
      double gaining = 1;
      for (unsigned left = t.indexing; left != 0; left &= left - 1) gaining *= out.left[at(std::countr_zero(left))];
      out.fetched[at(f)] = (flow.fetched * gaining - (gaining - 1)) / gaining * s.iterations;
      continue;
    }
    out.repeats[out.open_count] =
        halos(t, flow.extent, s.tile.extent, out.left, out.halo[at(f)]) * irrelevant_share(t, out.left);
    out.relevant[out.open_count] = t.indexing;
    out.halo_of[out.open_count++] = f;
  }
  sum_channel(s, level, unrolled, 0, out);
  out.known = 1;
  return out;
}

bool ExactBounds::add_cycles(const ExactState& s, int level, bool unrolled, Inside& inside) const {
  bool any = false;
  for (std::size_t k = inside.known; k < m_.channels.size(); ++k) {
    if (m_.channels[k].kind == Channel::Kind::Shared) continue;  // in channel 0
    sum_channel(s, level, unrolled, k, inside);
    any = true;
  }
  inside.known = m_.channels.size();
  return any;
}

void ExactBounds::sum_channel(const ExactState& s, int level, bool unrolled, std::size_t k, Inside& out) const {
  std::array<double, kMaxTensors> spread;
  for (int v = 0; v < c_.tensor_count; ++v)
    spread[at(v)] = ExactBounds::spread(unrolled ? spread_below_[at(level)] : spread_after_[at(level)], at(v),
                                        m_.lattice.full().index - s.tile.index);
  double sum = of(s.sum, k);
  for (int v = 0; v < c_.tensor_count; ++v) sum += of(s.pending[at(v)], k) * spread[at(v)];
  std::array<BoundFlow, kMaxOpenFlows> flow;
  std::size_t count = 0, n = 0;
  const auto wait = [&](double fill, double serve, double spread) {
    const double unreused = (fill + serve * spread) * s.iterations;
    out.unreused[n][k] = unreused;
    out.once[n][k] = (fill + serve) * s.iterations * out.repeats[n];
    if (unreused > 0)
      flow[count++] = {out.relevant[n], unreused, out.halo_of[n] < 0 ? nullptr : out.halo[at(out.halo_of[n])].data(),
                       out.once[n][k]};
    ++n;
  };
  for (unsigned open = s.in_place; open != 0; open &= open - 1) {
    const auto v = at(std::countr_zero(open));
    wait(of(s.fill[v], k), of(s.serve[v], k), spread[v]);
  }
  for (int f = 0; f < s.sliding_count; ++f) {
    const SlidingFlow& sliding = s.sliding[at(f)];
    const double fill = of(sliding.fill, k), serve = of(sliding.serve, k);
    if (sliding.moving) sum += (fill + serve * spread[sliding.tensor]) * out.fetched[at(f)];
    else wait(fill, serve, spread[sliding.tensor]);
  }
  const auto words = static_cast<double>(c_.tensor[at(m_.output)].words);
  sum -= words *
         (of(s.refund, k) * reducing_outside_[at(level) + 1] + of(refund_from_[at(unrolled ? level : level + 1)], k));
  out.settled[k] = sum;  // may be negative: refunds of flows to come
  out.sum[k] = sum + bound_of(flow.data(), count, out.left, out.present);
}

CostBound ExactBounds::at_candidate_ordered(const ExactState& s, const Inside& inside, int level,
                                            const LatticePoint& tile, double enough) const {
  std::array<double, kMaxDimensions> own;  // iterations of this level
  DimensionMask present = 0;
  double iterations = 1;
  for (int d = 0; d < c_.dimension_count; ++d) {
    own[at(d)] = tile.extent[at(d)] / s.tile.extent[at(d)];
    iterations *= own[at(d)];
    if (own[at(d)] > 1) present |= static_cast<DimensionMask>(1u << d);
  }
  Fresh fresh;
  start(level, tile, fresh);
  Channels sums;
  for (std::size_t k = 0; k < inside.known; ++k) {
    if (m_.channels[k].kind == Channel::Kind::Shared) continue;
    std::array<BoundFlow, kMaxOpenFlows> closing, waiting;
    std::size_t closing_count = 0, waiting_count = 0;
    for (std::size_t f = 0; f < inside.open_count; ++f) {
      const double all = inside.unreused[f][k];
      if (all <= 0) continue;
      const double* halo = inside.halo_of[f] < 0 ? nullptr : inside.halo[at(inside.halo_of[f])].data();
      if (inside.relevant[f] & present)
        append(closing.data(), closing_count, {inside.relevant[f], all, halo, inside.once[f][k]});
      else append(waiting.data(), waiting_count, {inside.relevant[f], all / iterations, halo, inside.once[f][k]});
    }
    waiting_count = list(fresh, level, k, waiting.data(), waiting_count);
    sums[k] = inside.settled[k] + bound_of(closing.data(), closing_count, own, present) +
              bound_of(waiting.data(), waiting_count, fresh.left, fresh.present);
    const std::vector<double>& after = after_[at(level)][k];
    if (!after.empty()) sums[k] += after[tile.index];
    if (k == 0 && sums[0] >= enough) return price(s, sums, 1, inside.compute_cycles, level);
  }
  return price(s, sums, inside.known, inside.compute_cycles, level);
}

CostBound ExactBounds::at_root(const ExactState& root) const {
  double least = kNever;
  // The innermost fan-out may take any choice; the tables below it know the least of all.
  least = below_[0][0][0];
  if (m_.fanout[0].exists) least = *std::min_element(below_[0][0].begin(), below_[0][0].end());
  if (least >= kNever) return {kNever, kNever};
  double closed = energy(root.sum);
  for (int v = 0; v < c_.tensor_count; ++v) {
    double spread = 1;
    for (int f = 0; f <= m_.mac_price[at(v)].last_fanout; ++f)
      if (m_.fanout[at(f)].exists) spread *= m_.fanout[at(f)].least_spread[at(v)][m_.lattice.full().index];
    closed += energy(root.pending[at(v)]) * spread;
  }
  closed -= static_cast<double>(c_.tensor[at(m_.output)].words) * energy(refund_from_[0]);
  return {std::max(0.0, closed + least), m_.macs / fanout_outside_[0]};
}

double ExactBounds::compute_cycles(double units, int level, u32 left) const {
  double most = units;
  for (int f = level + 1; f < m_.levels(); ++f)
    if (m_.fanout[at(f)].exists) most *= m_.timed ? m_.fanout[at(f)].most_instances[left] : fanout_outside_[at(f)];
  return m_.macs / most;
}

CostBound ExactBounds::total(const ExactState& s, const Inside& inside, int level, const Tables& tables,
                             u32 tile) const {
  Channels sums;
  for (std::size_t k = 0; k < inside.known; ++k) sums[k] = inside.sum[k] + (tables[k].empty() ? 0 : tables[k][tile]);
  return price(s, sums, inside.known, inside.compute_cycles, level);
}

CostBound ExactBounds::price(const ExactState& s, const Channels& sums, std::size_t known, double compute_cycles,
                             int level) const {
  CostBound out{std::max(0.0, sums[0]), compute_cycles};
  for (std::size_t k = 1; k < known; ++k) {
    if (m_.channels[k].kind != Channel::Kind::Cycles) continue;
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
      out.energy += static_cast<double>(c_.level[at(i)].leak_units) * std::max(out.cycles * used, m_.macs / inner);
    }
  }
  return out;
}

void ExactBounds::start(int level, const LatticePoint& tile, Fresh& out) const {
  out.left_index = m_.lattice.full().index - tile.index;
  out.left.fill(1);
  double iterations = 1;
  for (int d = 0; d < c_.dimension_count; ++d) {
    out.left[at(d)] = static_cast<double>(c_.size[at(d)] / tile.extent[at(d)]);
    iterations *= out.left[at(d)];
    if (out.left[at(d)] > 1) out.present |= static_cast<DimensionMask>(1u << d);
  }
  for (unsigned kept = m_.level[at(level)].keep; kept != 0; kept &= kept - 1) {
    const auto v = at(std::countr_zero(kept));
    const CompiledTensor& t = c_.tensor[v];
    out.tensor[out.count] = static_cast<u8>(v);
    out.words[out.count] = static_cast<double>(box_words(t, tile.extent)) * iterations;
    out.repeats[out.count] = irrelevant_share(t, out.left);
    if (t.sliding) {
      std::array<i64, kMaxRanks> extent;
      extent.fill(1);
      for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
        const CompiledTerm& term = t.by_dimension[at(k)];
        extent[term.rank] += static_cast<i64>(term.coefficient) * (tile.extent[term.dimension] - 1);
      }
      out.repeats[out.count] *= halos(t, extent, tile.extent, out.left, out.halo[out.count]);
    }
    ++out.count;
  }
}

std::size_t ExactBounds::list(const Fresh& fresh, int level, std::size_t channel, BoundFlow* flow,
                              std::size_t count) const {
  if (level + 1 == m_.levels()) return count;  // nothing leaves the outermost level
  for (std::size_t f = 0; f < fresh.count; ++f) {
    const std::size_t v = fresh.tensor[f];
    const FlowPrice& price = m_.level[at(level)].price[v];
    const double fill = of(price.fill, channel), serve = of(price.serve, channel);
    const double word = fill + serve * spread(spread_after_[at(level)], v, fresh.left_index);
    if (word <= 0) continue;
    append(flow, count,
           {c_.tensor[v].indexing, word * fresh.words[f], c_.tensor[v].sliding ? fresh.halo[f].data() : nullptr,
            (fill + serve) * fresh.words[f] * fresh.repeats[f]});
  }
  return count;
}

void ExactBounds::build_level(int level) {
  const Lattice& lattice = m_.lattice;
  const int top = m_.levels() - 1;
  const auto points = static_cast<std::size_t>(lattice.points());
  const LevelSpace& space = m_.problem->space.levels[at(level)];
  const std::size_t channels = m_.channels.size();
  with_[at(level)].resize(channels), below_[at(level)].resize(channels), after_[at(level)].resize(channels);
  for (std::size_t k = 0; k < channels; ++k) {
    if (m_.channels[k].kind == Channel::Kind::Shared) continue;
    if (k > 0 && points > kMaxCyclePoints) continue;
    std::vector<double>& after = after_[at(level)][k];
    if (level == top) {
      after.assign(points, kNever);
      after[lattice.full().index] = 0;
    } else {
      after = below_[at(level) + 1][k];
      const SpatialSpace& fanout = m_.problem->space.levels[at(level) + 1].spatial;
      if (m_.fanout[at(level) + 1].exists) lattice.min_over_multiples(after, fanout.allowed_x | fanout.allowed_y);
    }
    std::vector<double>& with = with_[at(level)][k];
    with = after;
    for (std::size_t p = 0; p < points; ++p) {
      if (with[p] >= kNever) continue;
      if (k > 0 && with_[at(level)][0][p] >= kNever) {
        with[p] = kNever;
        continue;
      }
      const LatticePoint tile = lattice.point(static_cast<u32>(p));
      if (k == 0 && !m_.fits(level, tile.extent)) {
        with[p] = kNever;
        continue;
      }
      if (level == top) continue;
      Fresh fresh;
      start(level, tile, fresh);
      std::array<BoundFlow, kMaxTensors> flow;
      const std::size_t count = list(fresh, level, k, flow.data(), 0);
      with[p] += bound_of(flow.data(), count, fresh.left, fresh.present);
    }
    below_[at(level)][k] = with;
    lattice.min_over_multiples(below_[at(level)][k], space.temporal.allowed);
  }
}

}  // namespace heliolite
