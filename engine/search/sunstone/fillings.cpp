#include "engine/search/sunstone/fillings.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {

std::vector<DivisorTable> divisor_tables(const Mapspace& space) {
  std::vector<DivisorTable> out;
  for (int d = 0; d < space.dimension_count; ++d) out.emplace_back(space.size[d]);
  return out;
}

Fillings::Fillings(const Mapspace& space, const Workload& workload) : space_(space), tables_(divisor_tables(space)) {
  for (int v = 0; v < space.tensor_count; ++v) indexing_[v] = workload.indexing(v);
}

const std::vector<Unrolling>& Fillings::list(int level, const Extents& rest, const RuleSet& rules, RuleCounts& counts) {
  const auto [known, fresh] = known_.try_emplace({level, rest, rules[Rule::FullUnrolling], rules[Rule::IndexingFirst]});
  if (fresh) make(level, rest, rules, known->second);
  counts += known->second.counts;
  return known->second.unrollings;
}

void Fillings::make(int level, const Extents& rest, const RuleSet& rules, List& list) {
  std::vector<Unrolling>& out = list.unrollings;
  fanout_ = &space_.levels[level].spatial;
  rest_ = &rest;
  rules_ = rules;
  counts_ = &list.counts;
  out_ = &out;
  used_.clear();
  count_ = 0;
  product_ = unit_extents();
  for (int d = 0; d < space_.dimension_count; ++d)
    if (fanout_->factor[d].max > 1 && rest[d] > 1) dimension_[count_++] = static_cast<u8>(d);
  room_ = fanout_->fanout_x * fanout_->fanout_y;
  left_[count_] = 1;
  for (int k = count_; k-- > 0;) left_[k] = std::min(room_, left_[k + 1] * rest[dimension_[k]]);
  most_used_ = least_ = 1;
  shares_[0].count = 1;
  shares_[0].way[0] = {};
  walk(0, 1);
  if (out.empty() && rules_[Rule::IndexingFirst]) {  // no tensor has the dimensions that the machine wants together
    rules_.set(Rule::IndexingFirst, false);
    walk(0, 1);
  }
  // What came before the best of them was known.
  if (!gate().on(Rule::FullUnrolling)) return;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (gate().prunes(Rule::FullUnrolling, [&] { return used_[k] < least_; })) continue;
    out[kept++] = out[k];
  }
  out.resize(kept);
}

// Factors of dimension_[k] and on; `used`: the product so far.
void Fillings::walk(int k, u64 used) {
  if (gate().on(Rule::FullUnrolling) && std::min(room_, used * left_[k]) < least_)
    return gate().pruned(Rule::FullUnrolling, 1);
  if (k == count_) return leaf(used);
  const u8 d = dimension_[k];
  const FactorLimit& limit = fanout_->factor[d];
  const auto factors = tables_[d].of((*rest_)[d]);
  // Large ones first: they show early how much can be used.
  for (std::size_t i = factors.size(); i-- > 0;) {
    const u32 f = factors[i];
    if (used * f > room_ || !limit.allows(f) || !extend(k, f, used * f)) continue;
    product_[d] = f;
    walk(k + 1, used * f);
  }
  product_[d] = 1;
}

// Step from the shares of k dimensions to those of k + 1. False: the factor cannot be shared between the axes.
bool Fillings::extend(int k, u32 factor, u64 used_with) {
  const u8 d = dimension_[k];
  const bool x_open = contains(fanout_->allowed_x, d), y_open = contains(fanout_->allowed_y, d);
  const Shares& from = shares_[k];
  Shares& to = shares_[k + 1];
  to.count = 0;
  for (u32 x : tables_[d].of(factor)) {
    const bool both = x > 1 && x < factor;
    if ((x > 1 && !x_open) || (x < factor && !y_open) || (both && space_.one_axis_per_dimension)) continue;
    for (u16 s = 0; s < from.count; ++s) {
      const u64 along_x = u64{from.way[s].x} * x;
      if (along_x > fanout_->fanout_x || used_with / along_x > fanout_->fanout_y) continue;
      const auto end = to.way.begin() + to.count;
      if (std::any_of(to.way.begin(), end, [&](const Share& w) { return w.x == along_x; })) continue;
      if (to.count < kMaxShares) to.way[to.count++] = {static_cast<u32>(along_x), s, x};
    }
  }
  return to.count > 0;
}

void Fillings::leaf(u64 used) {
  for (int d = 0; d < space_.dimension_count; ++d)
    if (!fanout_->factor[d].allows(product_[d])) return;
  if (gate().prunes(Rule::IndexingFirst, [&] { return !prevails(used); })) return;
  if (gate().prunes(Rule::FullUnrolling, [&] { return used < room_ && can_grow(used); })) return;
  most_used_ = std::max(most_used_, used);
  least_ = std::max<u64>(1, most_used_ / kLeastShare);
  Unrolling u;
  u16 way = 0;
  for (int k = count_; k > 0; --k) {
    const Share& s = shares_[k].way[way];
    const u8 d = dimension_[k - 1];
    u.x[d] = s.factor;
    u.y[d] = product_[d] / s.factor;
    way = s.before;
  }
  out_->push_back(u);
  used_.push_back(used);
}

// S1c: the dimensions that index some tensor make more of the product than the others do.
bool Fillings::prevails(u64 used) const {
  for (int v = 0; v < space_.tensor_count; ++v) {
    u64 mine = 1;
    for (int k = 0; k < count_; ++k) {
      const u8 d = dimension_[k];
      if (contains(indexing_[v], d) || fanout_->factor[d].min > 1) mine *= product_[d];
    }
    if (mine == used || mine > used / mine) return true;
  }
  return false;
}

// S1b: whether some dimension can take the next prime.
bool Fillings::can_grow(u64 used) {
  for (int k = 0; k < count_; ++k) {
    const u8 d = dimension_[k];
    const auto more = tables_[d].of((*rest_)[d] / product_[d]);
    if (more.size() < 2 || used * more[1] > room_ || !fanout_->factor[d].allows(u64{product_[d]} * more[1])) continue;
    Extents larger = product_;
    larger[d] *= more[1];
    if (can_share(larger, used * more[1])) return true;
  }
  return false;
}

// Whether the axes have room for these factors. Its own small search: the shares of the walk stay.
bool Fillings::can_share(const Extents& product, u64 used) {
  std::array<u64, kMaxShares> ways{1};
  std::size_t count = 1;
  for (int k = 0; k < count_ && count > 0; ++k) {
    const u8 d = dimension_[k];
    const bool x_open = contains(fanout_->allowed_x, d), y_open = contains(fanout_->allowed_y, d);
    std::array<u64, kMaxShares> next;
    std::size_t next_count = 0;
    for (u32 x : tables_[d].of(product[d])) {
      const bool both = x > 1 && x < product[d];
      if ((x > 1 && !x_open) || (x < product[d] && !y_open) || (both && space_.one_axis_per_dimension)) continue;
      for (std::size_t s = 0; s < count; ++s) {
        const u64 along_x = ways[s] * x;
        if (along_x > fanout_->fanout_x ||
            std::find(next.begin(), next.begin() + next_count, along_x) != next.begin() + next_count)
          continue;
        if (next_count < kMaxShares) next[next_count++] = along_x;
      }
    }
    std::copy_n(next.begin(), next_count, ways.begin());
    count = next_count;
  }
  return std::any_of(ways.begin(), ways.begin() + count, [&](u64 x) { return used / x <= fanout_->fanout_y; });
}

}  // namespace heliolite
