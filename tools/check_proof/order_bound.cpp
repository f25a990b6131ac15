// The least of all orders of the loops outside a tile: lemma 5 of docs/rules/proof.md.
#include <algorithm>

#include "check_proof/bounds.h"

namespace check_proof {

OrderBound::OrderBound(const Machine& machine, const Digits& at, int from)
    : m_(machine), at_(at), left_(machine.tiles().left(machine.tiles().extents(at))), from_(from) {
  for (const u64 n : left_) rest_ *= n;
}

// The loop that moves a flow first leaves `iterations`: every one brings the whole tile. Where it slides, along `rank`,
// all of them bring what they meet along the rank.
void OrderBound::close(const Waiting& f, int rank, u64 iterations, std::size_t begin, std::size_t end,
                       i128* out) const {
  const Tensor& t = m_.tensor(f.tensor);
  u128 part = 1, whole = 1;
  if (rank >= 0) {
    whole = m_.tiles().box(f.tensor, rank, m_.tiles().extents(f.tile));
    for (const Term& term : t.ranks[rank]) whole *= left_[term.dimension];
    part = m_.tiles().coverage(f.tensor, rank, f.tile, at_);
    if (part >= whole) part = whole = 1;
  }
  const u128 fills = f.fills * iterations * part / whole;
  u128 accesses = 0;
  if (f.server >= 0) {
    accesses = f.serves * iterations * part / whole;
    if (const u64 gain = m_.gain(from_, f.server, f.tensor); gain > 1) {
      u128 once = 0;
      if (f.serves % f.full == 0) {
        once = f.serves / f.full;
        for (int r = 0; r < static_cast<int>(t.ranks.size()); ++r)
          once *= m_.tiles().coverage(f.tensor, r, f.tile, at_);
      }
      accesses = std::max(ceil_div(accesses, gain), once);
    }
  }
  for (std::size_t c = begin; c < end; ++c) {
    if (f.place >= 0) {
      const WordPrice& p = m_.price(c, f.place, f.tensor);
      if (p.fill != 0) out[c - begin] += std::max<i128>(0, p.fill * static_cast<i128>(fills) - p.first_fill * f.first);
    }
    if (f.server >= 0) out[c - begin] += m_.price(c, f.server, f.tensor).access * static_cast<i128>(accesses);
  }
}

void OrderBound::add(const std::vector<Waiting>& flows, std::size_t begin, std::size_t end, std::vector<i128>& out) {
  if (flows.empty()) return;
  std::array<int, kTensors> tensor{};
  int tensors = 0;
  for (const Waiting& f : flows)
    if (std::find(tensor.begin(), tensor.begin() + tensors, f.tensor) == tensor.begin() + tensors)
      tensor[tensors++] = f.tensor;
  const std::size_t count = end - begin;
  best_.assign(count << tensors, 0);
  Mask loops = 0;
  for (int d = 0; d < m_.dimensions(); ++d)
    if (left_[d] > 1) loops |= bit(d);
  std::vector<i128> closing;  // [tensor][rank, 0 where nothing slides][channel]
  for (Mask set = 1; set < bit(tensors); ++set) {
    Mask moving = 0;
    for (int k = 0; k < tensors; ++k)
      if (contains(set, k)) moving |= m_.tensor(tensor[k]).indexing;
    moving &= loops;
    u64 iterations = 1;
    for (int d = 0; d < m_.dimensions(); ++d)
      if (contains(moving, d)) iterations *= left_[d];
    closing.assign(std::size_t(tensors) * (kRanks + 1) * count, -1);
    const auto cost_of = [&](int k, int rank) {
      const int v = tensor[k];
      i128* cost = closing.data() + static_cast<std::size_t>(k * (kRanks + 1) + rank + 1) * count;
      if (cost[0] >= 0) return cost;
      std::fill(cost, cost + count, 0);
      for (const Waiting& f : flows)
        if (f.tensor == v) close(f, rank, iterations, begin, end, cost);
      return cost;
    };
    i128* best = best_.data() + std::size_t(set) * count;
    if (moving == 0) {
      for (int k = 0; k < tensors; ++k)
        for (std::size_t c = 0; contains(set, k) && c < count; ++c) best[c] += cost_of(k, -1)[c];
      continue;
    }
    std::fill(best, best + count, kInfinite);
    for (int d = 0; d < m_.dimensions(); ++d) {
      if (!contains(moving, d)) continue;
      cost_.assign(count, 0);
      Mask others = set;
      for (int k = 0; k < tensors; ++k) {
        const Tensor& t = m_.tensor(tensor[k]);
        if (!contains(set, k) || !contains(t.indexing, d)) continue;
        others &= ~bit(k);
        const i128* cost = cost_of(k, contains(t.sliding, d) ? t.rank_of[d] : -1);
        for (std::size_t c = 0; c < count; ++c) cost_[c] += cost[c];
      }
      const i128* rest = best_.data() + std::size_t(others) * count;
      for (std::size_t c = 0; c < count; ++c) best[c] = std::min(best[c], cost_[c] + rest[c]);
    }
  }
  const i128* all = best_.data() + static_cast<std::size_t>(bit(tensors) - 1) * count;
  for (std::size_t c = 0; c < count; ++c) out[begin + c] += all[c];
}

}  // namespace check_proof
