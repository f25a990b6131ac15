#pragma once
// Which complete plans climbs have been at already. Climbs meet the same plans again and again: moves commute, and
// climbs from different starts run together. A plan met before was passed by or led to a better one then; pricing it
// again wins nothing.
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/split_mix.h"
#include "engine/search/climb/moves.h"

namespace heliolite {

// A number for the loop orders of a plan.
struct OrderKey {
  u64 value = 0;

  explicit OrderKey(const std::array<u16, kMaxLevels>& orders) {
    for (u16 o : orders) value = split_mix(value ^ o);
  }
  explicit OrderKey(const LevelOrders& orders) {
    static_assert(kMaxDimensions < 16);
    for (std::size_t i = 0; i < kMaxLevels; ++i) {
      u64 level = 1;
      for (u8 k = 0; k < orders.count[i]; ++k) level = level << 4 | orders.loop[i][k];
      value = split_mix(value ^ level);
    }
  }
};

// A number for each plan. Two plans have the same one by chance only (2^-64), and then one is taken for the other.
class PlanKey {
 public:
  // By its factors and by what is kept; loop orders are left out.
  template <class Orders>
  explicit PlanKey(const PlanWith<Orders>& plan) {
    for (int p = 0; p < kMaxLoopPlaces; ++p)
      for (int d = 0; d < kMaxDimensions; ++d)
        if (const u32 f = plan.factor[p][d]; f > 1) value_ += part(p, d, f);
    for (int i = 0; i < kMaxLevels; ++i) value_ += part(kMaxLoopPlaces + i, 0, plan.keep[i]);
  }

  // The key when the loops of dimension d, which were `before` at the first `places` places, are as in `now`.
  PlanKey after(const LoopColumn& before, const LoopEnds& now, int d, int places) const {
    PlanKey out = *this;
    for (int p = 0; p < places; ++p)
      if (const u32 f = now[p][d]; f != before[p]) out.value_ += part(p, d, f) - part(p, d, before[p]);
    return out;
  }

  // The key with these loop orders, and with loop orders chosen anew.
  u64 with(const OrderKey& orders) const { return value_ ^ orders.value; }
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
