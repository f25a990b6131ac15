#include "engine/search/exact/ordering_bound.h"

#include <Eigen/Core>
#include <bit>
#include <limits>

#include "engine/base/integers.h"

namespace heliolite {

LoopClasses::LoopClasses(const Compiled& c) {
  std::array<unsigned, kMaxDimensions> key{};
  for (int d = 0; d < c.dimension_count; ++d) {
    for (int v = 0; v < c.tensor_count; ++v) {
      const CompiledTensor& t = c.tensor[v];
      if (contains(t.indexing, d)) key[d] |= 1u << v;
      if (contains(t.entangled ? t.indexing : t.sharing_any, d)) key[d] |= 1u << (kMaxTensors + v);
    }
    int same = 0;
    while (same < d && key[same] != key[d]) ++same;
    of_[d] = same < d ? of_[same] : count_++;
    for (int v = 0; v < c.tensor_count; ++v)
      if (contains(c.tensor[v].indexing, d)) indexing_[v] |= dimension_bit(of_[d]);
  }
}

LoopSet::LoopSet(const LoopClasses& classes, const Compiled& c, const Extents& from, const Extents& to) {
  n.fill(1);
  of_class.fill(1);
  for (int d = 0; d < c.dimension_count; ++d) {
    if (to[d] == from[d]) continue;
    const u32 iterations = to[d] / from[d];
    n[d] = iterations;
    of_class[classes.of(d)] *= n[d];
    present |= dimension_bit(classes.of(d));
  }
}

double irrelevant_share(const Compiled& c, const CompiledTensor& t, const LoopSet& loops) {
  double out = 1;
  for (int d = 0; d < c.dimension_count; ++d)
    if (!contains(t.indexing, d)) out *= loops.n[d];
  return 1 / out;
}

double halo_shares(const LoopClasses& classes, const CompiledTensor& t, const std::array<i64, kMaxRanks>& extent,
                   const Extents& step, const LoopSet& loops, double* out) {
  std::fill_n(out, classes.count(), 1.0);
  const auto limit = [&](unsigned dimensions, double share) {
    for (const int d : bits(dimensions)) {
      double& of_class = out[classes.of(d)];
      of_class = std::min(of_class, share);
    }
  };
  if (t.entangled) {
    double all = 1;
    for (const int d : bits(t.indexing)) all *= loops.n[d];
    limit(t.indexing, 1 / all);
    return 1 / all;
  }
  double whole = 1;
  for (int r = 0; r < t.rank_count; ++r) {
    if (t.sharing[r] == 0) continue;
    struct Move {
      double by, n;
    };
    std::array<Move, kMaxTerms> move;
    std::size_t count = 0;
    double all = 1;
    for (int k = 0; k < t.term_count; ++k) {
      const CompiledTerm& term = t.term[k];
      if (term.rank != r || loops.n[term.dimension] <= 1) continue;
      move[count++] = {static_cast<double>(term.coefficient) * step[term.dimension], loops.n[term.dimension]};
      all *= loops.n[term.dimension];
    }
    if (count == 0) continue;
    for (std::size_t k = 1; k < count; ++k)  // at most kMaxTerms: insertion
      for (std::size_t j = k; j > 0 && move[j].by < move[j - 1].by; --j) std::swap(move[j], move[j - 1]);
    const auto tile = static_cast<double>(extent[r]);
    double range = tile, pieces = 1;
    for (std::size_t k = 0; k < count && pieces == 1; ++k) {
      if (move[k].by <= range) range += move[k].by * (move[k].n - 1);
      else pieces = move[k].n;
    }
    const double share = std::min(1.0, pieces * range / (tile * all));
    unsigned sliding = 0;
    for (const int d : bits(t.sharing[r]))
      if (loops.n[d] > 1) sliding |= 1u << d;
    limit(sliding, share);
    whole *= share;
  }
  return whole;
}

std::array<i64, kMaxRanks> box_extent(const CompiledTensor& t, const Extents& tile) {
  return box_along_ranks(t, [&](u8 d) { return tile[d]; });
}

double ordering_bound(std::span<const BoundFlow> flows, const std::array<double, kMaxDimensions>& n,
                      DimensionMask present) {
  const unsigned all = (1u << flows.size()) - 1;
  std::array<double, 1u << kMaxBoundFlows> best;
  best[0] = 0;
  for (unsigned open = 1; open <= all; ++open) {
    unsigned relevant = 0;
    for (const int f : bits(open)) relevant |= flows[f].relevant;
    double reuse = 1;  // loops that move nothing still in place
    for (const int d : bits(present & ~relevant)) reuse *= n[d];
    const double scale = 1 / reuse;
    relevant &= present;
    if (relevant == 0) {
      double sum = 0;
      for (const int f : bits(open)) {
        const BoundFlow& flow = flows[f];
        sum += std::max(flow.without_reuse * scale, flow.full_reuse);
      }
      best[open] = sum;
      continue;
    }
    double least = std::numeric_limits<double>::infinity();
    for (const int d : bits(relevant)) {
      double sum = 0;
      unsigned stays = open;
      for (const int f : bits(open)) {
        const BoundFlow& flow = flows[f];
        if (!contains(flow.relevant, d)) continue;
        const double fetched = flow.halo != nullptr ? flow.without_reuse * flow.halo[d] : flow.without_reuse;
        sum += std::max(fetched * scale, flow.full_reuse);
        stays &= ~(1u << f);
      }
      least = std::min(least, sum + best[stays]);
    }
    best[open] = least;
  }
  return best[all];
}

namespace {

constexpr int kLanes = 4;  // channels that are computed side by side

}  // namespace

void ChannelBounds::compute(std::span<const Flow* const> flows, const std::array<double, kMaxDimensions>& n,
                            DimensionMask present, std::size_t channels) {
  sets_.resize(std::size_t{1} << flows.size());
  for (unsigned open = 1; open < sets_.size(); ++open) {
    unsigned relevant = 0;
    for (const int f : bits(open)) relevant |= flows[f]->relevant;
    double reuse = 1;
    for (const int d : bits(present & ~relevant)) reuse *= n[d];
    sets_[open].scale = 1 / reuse;
  }
  list_movers(flows, present);
  for (std::size_t first = 0; first < channels; first += kLanes) compute_lanes(flows, first);
}

void ChannelBounds::list_movers(std::span<const Flow* const> flows, DimensionMask present) {
  movers_.clear();
  for (const int d : bits(present)) {
    unsigned moved = 0, sliding = 0;
    for (unsigned f = 0; f < flows.size(); ++f) {
      if (!contains(flows[f]->relevant, d)) continue;
      moved |= 1u << f;
      if (flows[f]->halo != nullptr) sliding |= 1u << f;
    }
    if (moved == 0) continue;
    const auto same = std::ranges::find(movers_, moved, &Mover::flows);
    if (same == movers_.end() || std::popcount(sliding) > 1) {
      movers_.push_back({moved, d});
    } else if (sliding != 0) {
      const double* const halo = flows[at(std::countr_zero(sliding))]->halo;
      if (halo[d] < halo[same->loop]) same->loop = d;
    }
  }
}

// The recursion of ordering_bound().
void ChannelBounds::compute_lanes(std::span<const Flow* const> flows, std::size_t first) {
  using Lanes = Eigen::Array<double, kLanes, 1, Eigen::DontAlign>;
  const auto at_first = [first](const Row& row) { return Eigen::Map<const Lanes>(row.data() + first); };
  const auto fetched = [&](const Flow& flow, double share, double scale) -> Lanes {
    return (at_first(flow.without_reuse) * share * scale).max(at_first(flow.full_reuse));
  };
  for (unsigned open = 1; open < sets_.size(); ++open) {
    Set& set = sets_[open];
    Lanes least = Lanes::Constant(std::numeric_limits<double>::infinity());
    bool stay = true;  // whatever loops there are
    for (const auto [flows_moved, loop] : movers_) {
      const unsigned moved = flows_moved & open;
      if (moved == 0) continue;
      stay = false;
      Lanes sum = Lanes::Zero();
      for (const int f : bits(moved))
        sum += fetched(*flows[at(f)], flows[at(f)]->halo != nullptr ? flows[at(f)]->halo[loop] : 1, set.scale);
      least = least.min(sum + at_first(sets_[open & ~moved].least));
    }
    if (stay) {
      least.setZero();
      for (const int f : bits(open)) least += fetched(*flows[at(f)], 1, set.scale);
    }
    Eigen::Map<Lanes>(set.least.data() + first) = least;
  }
}

void BoundFlows::append(const BoundFlow& other) {
  for (std::size_t k = 0; k < count && other.halo == nullptr; ++k)
    if (flow[k].relevant == other.relevant && flow[k].halo == nullptr) {
      flow[k].without_reuse += other.without_reuse;
      flow[k].full_reuse += other.full_reuse;
      return;
    }
  if (count < flow.size()) flow[count++] = other;
}

double BoundFlows::least(const std::array<double, kMaxDimensions>& n, DimensionMask present) const {
  return count == 0 ? 0 : ordering_bound({flow.data(), std::min<std::size_t>(count, kMaxBoundFlows)}, n, present);
}

double BoundFlows::least(const std::array<double, kMaxDimensions>& n, DimensionMask present,
                         DimensionMask first) const {
  const double any = least(n, present);
  if (first == 0) return any;
  double least_first = std::numeric_limits<double>::infinity();
  for (const int c : bits(first)) {
    double sum = 0;
    for (std::size_t f = 0; f < count; ++f) {
      const BoundFlow& own = flow[f];
      const double moved = contains(own.relevant, c) ? own.without_reuse * (own.halo != nullptr ? own.halo[c] : 1) : 0;
      sum += std::max(own.full_reuse, moved);
    }
    least_first = std::min(least_first, sum);
  }
  return std::max(any, least_first);
}

}  // namespace heliolite
