#pragma once
// The instances of a level in classes that see the same tiles (docs/cost_model.md, rule 39).
#include <bit>

#include "engine/model/true_counts/nest.h"

namespace heliolite {

// Instance 0 of a level: it sees the largest tiles.
inline UnitDigits first_instance(const TrueNest& nest, int level) {
  UnitDigits unit;
  unit.fixed = level + 1 < nest.level_count ? nest.fanouts(level + 1, nest.level_count - 1) : 0;
  for (const int l : bits(unit.fixed)) unit.digit[at(l)] = 0;
  return unit;
}

// Calls each(unit, number) for every class of instances of the level that ever work: the digits of one of them, and how
// many there are. Along a dimension an instance has a digit in each spatial loop outside. From the outside in, one
// before that of the last tile sees full tiles only, one behind it none in the last context, and the others are told
// apart by the next loop.
template <class Each>
class InstanceClasses {
 public:
  InstanceClasses(const TrueNest& nest, int level, Each& each) : nest_(nest), each_(each) {
    unit_ = first_instance(nest, level);
    dimension(0, 1);
  }

 private:
  void dimension(int d, u64 number) {
    if (d == nest_.dimension_count) return each_(static_cast<const UnitDigits&>(unit_), number);
    loop(d, nest_.of[at(d)] & unit_.fixed, number);
  }

  void loop(int d, LoopMask loops, u64 number) {
    if (loops == 0) {
      const LoopMask time = nest_.temporal();
      if (nest_.cells(d, nest_.all(), time | (nest_.spatial & ~unit_.fixed), 0, unit_).count() != 0)
        dimension(d + 1, number);
      return;
    }
    const int l = std::bit_width(loops) - 1;
    const TruePlace& p = nest_.place[at(l)];
    const LoopMask inside = loops ^ (LoopMask{1} << l);
    unit_.digit[at(l)] = p.last - 1;
    loop(d, inside, number);
    if (p.last > 1) alike(d, l, 0, inside, number * (p.last - 1));
    if (p.last < p.end) alike(d, l, p.last, inside, number * (p.end - p.last));
  }

  // All digits of the loops inside are the same.
  void alike(int d, int l, u32 digit, LoopMask inside, u64 number) {
    unit_.digit[at(l)] = digit;
    for (const int k : bits(inside)) {
      unit_.digit[at(k)] = 0;
      number *= nest_.place[at(k)].end;
    }
    loop(d, 0, number);
  }

  const TrueNest& nest_;
  Each& each_;
  UnitDigits unit_;
};

template <class Each>
void each_instance_class(const TrueNest& nest, int level, Each&& each) {
  InstanceClasses<std::remove_reference_t<Each>>(nest, level, each);
}

}  // namespace heliolite
