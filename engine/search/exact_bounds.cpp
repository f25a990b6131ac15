#include "engine/search/exact_bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heliolite {
namespace {

// Tables of cycles are left out of large lattices: energy prunes more.
constexpr u64 kMaxCyclePoints = 400'000;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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
        double out = 1;
        for (int f = first_fanout; f <= last; ++f) out *= m_.fanout[at(f)].least_spread[at(v)];
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
void ExactBounds::halos(const CompiledTensor& t, const std::array<i64, kMaxRanks>& extent, const Extents& step,
                        const std::array<double, kMaxDimensions>& n, std::array<double, kMaxDimensions>& out) const {
  out.fill(1);
  if (t.entangled) {
    double all = 1;
    for (unsigned left = t.indexing; left != 0; left &= left - 1) all *= n[at(std::countr_zero(left))];
    out.fill(1 / all);
    return;
  }
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
  }
}

ExactBounds::Inside ExactBounds::inside(const ExactState& s, int level, bool unrolled) const {
  Inside out;
  const std::size_t channels = m_.channels.size();
  const auto& spread = unrolled ? spread_below_[at(level)] : spread_after_[at(level)];
  std::array<double, kMaxDimensions> n;
  n.fill(1);
  DimensionMask present = 0;
  for (int d = 0; d < c_.dimension_count; ++d) {
    n[at(d)] = static_cast<double>(c_.size[at(d)] / s.tile.extent[at(d)]);
    if (n[at(d)] > 1) present |= static_cast<DimensionMask>(1u << d);
  }
  out.compute_cycles = compute_cycles(s.units, level, m_.lattice.full().index - s.tile.index);

  // Halos are the same for every channel.
  std::array<std::array<double, kMaxDimensions>, kMaxSlidingFlows> halo;
  std::array<double, kMaxSlidingFlows> fetched{};  // of flows that move: times the whole tile, over everything outside
  for (int f = 0; f < s.sliding_count; ++f) {
    const SlidingFlow& flow = s.sliding[at(f)];
    const CompiledTensor& t = c_.tensor[flow.tensor];
    if (!flow.moving) {
      halos(t, flow.extent, s.tile.extent, n, halo[at(f)]);
      continue;
    }
    double gaining = 1;
    for (unsigned left = t.indexing; left != 0; left &= left - 1) gaining *= n[at(std::countr_zero(left))];
    fetched[at(f)] = (flow.fetched * gaining - (gaining - 1)) / gaining * s.iterations;
  }
  const double words = static_cast<double>(c_.tensor[at(m_.output)].words);
  for (std::size_t k = 0; k < channels; ++k) {
    if (m_.channels[k].kind == Channel::Kind::Shared) continue;  // in channel 0
    const auto of = [&](const Channels& x) { return k == 0 ? energy(x) : x[k]; };
    double sum = of(s.sum);
    for (int v = 0; v < c_.tensor_count; ++v) sum += of(s.pending[at(v)]) * spread[at(v)];
    std::array<BoundFlow, kMaxTensors + kMaxSlidingFlows> flow;
    std::size_t count = 0;
    for (unsigned open = s.in_place; open != 0; open &= open - 1) {
      const auto v = at(std::countr_zero(open));
      const double all = (of(s.fill[v]) + of(s.serve[v]) * spread[v]) * s.iterations;
      if (all > 0) flow[count++] = {c_.tensor[v].indexing, all, nullptr};
    }
    for (int f = 0; f < s.sliding_count; ++f) {
      const SlidingFlow& sliding = s.sliding[at(f)];
      const double once = of(sliding.fill) + of(sliding.serve) * spread[sliding.tensor];
      if (sliding.moving) sum += once * fetched[at(f)];
      else if (once > 0) flow[count++] = {c_.tensor[sliding.tensor].indexing, once * s.iterations, halo[at(f)].data()};
    }
    // More flows than the bound takes: the rest cost nothing.
    count = std::min<std::size_t>(count, kMaxBoundFlows);
    if (count > 0) sum += ordering_bound({flow.data(), count}, n, present);
    const int outside = level + 1;
    sum -= words * (of(s.refund) * reducing_outside_[at(outside)] + of(refund_from_[at(unrolled ? level : level + 1)]));
    out.sum[k] = sum;  // may be negative: refunds of flows to come
  }
  return out;
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
    for (int f = 0; f <= m_.mac_price[at(v)].last_fanout; ++f) spread *= m_.fanout[at(f)].least_spread[at(v)];
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
  CostBound out{std::max(0.0, inside.sum[0] + tables[0][tile]), inside.compute_cycles};
  for (std::size_t k = 1; k < m_.channels.size(); ++k) {
    if (m_.channels[k].kind != Channel::Kind::Cycles) continue;
    double sum = inside.sum[k];
    if (!tables[k].empty()) sum += tables[k][tile];
    double used = fanout_outside_[at(std::max(level, m_.channels[k].level) + 1)];
    for (int f = m_.channels[k].level + 1; f <= level; ++f) used *= s.instances[at(f)];
    out.cycles = std::max(out.cycles, sum / used * (1 - 1e-9));
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

// Flows out of `tile` at `level` under everything outside it.
double ExactBounds::fresh(int level, const LatticePoint& tile, std::size_t channel) const {
  const ExactLevel& own = m_.level[at(level)];
  std::array<double, kMaxDimensions> n;
  n.fill(1);
  DimensionMask present = 0;
  double iterations = 1;
  for (int d = 0; d < c_.dimension_count; ++d) {
    n[at(d)] = static_cast<double>(c_.size[at(d)] / tile.extent[at(d)]);
    iterations *= n[at(d)];
    if (n[at(d)] > 1) present |= static_cast<DimensionMask>(1u << d);
  }
  std::array<BoundFlow, kMaxTensors> flow;
  std::array<std::array<double, kMaxDimensions>, kMaxTensors> halo;
  std::size_t count = 0;
  for (unsigned kept = own.keep; kept != 0; kept &= kept - 1) {
    const auto v = at(std::countr_zero(kept));
    const CompiledTensor& t = c_.tensor[v];
    const FlowPrice& price = own.price[v];
    const auto of = [&](const Channels& x) { return channel == 0 ? energy(x) : x[channel]; };
    const double word = of(price.fill) + of(price.serve) * spread_after_[at(level)][v];
    if (word <= 0) continue;
    flow[count] = {t.indexing, word * static_cast<double>(box_words(t, tile.extent)) * iterations, nullptr};
    if (t.sliding) {
      std::array<i64, kMaxRanks> extent;
      extent.fill(1);
      for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
        const CompiledTerm& term = t.by_dimension[at(k)];
        extent[term.rank] += static_cast<i64>(term.coefficient) * (tile.extent[term.dimension] - 1);
      }
      halos(t, extent, tile.extent, n, halo[count]);
      flow[count].halo = halo[count].data();
    }
    ++count;
  }
  count = std::min<std::size_t>(count, kMaxBoundFlows);
  return count == 0 ? 0 : ordering_bound({flow.data(), count}, n, present);
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
      if (level < top) with[p] += fresh(level, tile, k);
    }
    below_[at(level)][k] = with;
    lattice.min_over_multiples(below_[at(level)][k], space.temporal.allowed);
  }
}

}  // namespace heliolite
