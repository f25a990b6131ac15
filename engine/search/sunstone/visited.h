#pragma once
// Which complete plans climbs have been at already. Climbs meet the same plans again and again: moves commute, and
// climbs from different starts run together. A plan met before was passed by or led to a better one then; pricing it
// again wins nothing.
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/split_mix.h"
#include "engine/search/sunstone/moves.h"

namespace heliolite {

// A number for the loop orders of a plan.
struct OrderKey {
  u64 value = 0;

  explicit OrderKey(const std::array<u16, kMaxLevels>& orders) {
    for (u16 o : orders) value = split_mix(value ^ o);
  }
};

// A number for each plan. Two plans have the same one by chance only (2^-64), and then one is taken for the other.
class PlanKey {
 public:
  PlanKey() = default;
  // Of the factors and of what is kept; loop orders are left out.
  explicit PlanKey(const Plan& plan) {
    for (int p = 0; p < kMaxLoopPlaces; ++p)
      for (int d = 0; d < kMaxDimensions; ++d)
        if (const u32 f = plan.factor[at(p)][at(d)]; f > 1) value_ += part(p, d, f);
    for (int i = 0; i < kMaxLevels; ++i) value_ += part(kMaxLoopPlaces + i, 0, plan.keep[at(i)]);
  }

  // The key after move m, which `plan` has not made yet.
  PlanKey after(const Plan& plan, const Move& m) const {
    const u32 from = plan.factor[m.from][m.dimension], to = plan.factor[m.to][m.dimension];
    PlanKey out;
    out.value_ = value_ - part(m.from, m.dimension, from) + part(m.from, m.dimension, from / m.factor) -
                 part(m.to, m.dimension, to) + part(m.to, m.dimension, to * m.factor);
    return out;
  }

  // Of the same plan with these loop orders.
  u64 with(const OrderKey& orders) const { return value_ ^ orders.value; }
  // Of the same plan, its loop orders chosen anew.
  u64 with_best_orders() const { return value_; }

 private:
  static u64 part(int place, int dimension, u32 factor) {
    if (factor == 1) return 0;
    return split_mix(u64{factor} << 16 | static_cast<u64>(place) << 8 | static_cast<u64>(dimension));
  }

  u64 value_ = 0;
};

// A growing set of keys.
class VisitedPlans {
 public:
  VisitedPlans() : slots_(1 << 12) {}

  // Puts the key in. False: it was there already.
  bool add(u64 key) {
    key |= key == 0;
    std::size_t k = key & (slots_.size() - 1);
    for (; slots_[k] != 0; k = (k + 1) & (slots_.size() - 1))
      if (slots_[k] == key) return false;
    slots_[k] = key;
    if (++count_ * 2 > slots_.size()) grow();
    return true;
  }

 private:
  void grow() {
    std::vector<u64> old(slots_.size() * 2);
    old.swap(slots_);
    count_ = 0;
    for (u64 key : old)
      if (key != 0) add(key);
  }

  std::vector<u64> slots_;  // 0: empty; hashed openly
  std::size_t count_ = 0;
};

}  // namespace heliolite
