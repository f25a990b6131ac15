#pragma once
// All words of a mapping by level and tensor, and what its levels need for them: what the cost and its breakdown are
// made of (docs/cost_model.md, rules 39 to 41).
#include <bit>

#include "engine/model/compiled.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/true_counts/fetches.h"
#include "engine/model/true_counts/nest.h"

namespace heliolite {

// Bits at most of a list of sums.
inline constexpr u64 kMostOutputWords = u64{1} << 22;

// Whether the sums of the output's ranks can be listed.
bool held_words_are_countable(const Compiled& c, const CompiledTensor& t);

// Words that the instances of the level in `unit` hold, each instance counted by itself. `unit` fixes all spatial loops
// outside the level, or none.
u64 held_words(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int level, const UnitDigits& unit);

// Reads, fills and updates of a tensor at a level, of all instances or of one (docs/cost_model.md, rule 39).

// Follows one tensor from the compute units outwards, level by level.
class TrueStream {
 public:
  TrueStream(const Compiled& c, int tensor, const TrueNest& nest, const UnitDigits& unit)
      : c_(c), t_(c.tensor[tensor]), nest_(nest), unit_(unit) {}

  // Goes on from the tile inside `boundary`, which the level inside keeps; 0: from the compute units.
  void start(int boundary) {
    boundary_ = boundary;
    count_fetches(c_, t_, nest_, boundary, unit_, fetches_);
  }
  // Words that arrive at a level, and at those between that pass the tensor by.
  u64 accesses(int level) const;
  // Words that cross into the tile, over all its instances.
  u64 crossing() const { return words_of(t_, nest_, boundary_, fetches_, 0, unit_); }
  // Words of an output that the instances of the level ever hold, each counted once by each instance.
  u64 part(int level) const { return held_words(c_, t_, nest_, level, unit_); }

 private:
  const Compiled& c_;
  const CompiledTensor& t_;
  const TrueNest& nest_;
  const UnitDigits& unit_;
  int boundary_ = 0;
  Fetches fetches_;
};

// Fills are none at the outermost level, and at an interconnect.
inline bool takes_fills(const Compiled& c, int level) {
  return level + 1 < c.level_count && !c.level[level].is_interconnect;
}

// At least as many words of a tensor as any instance of the level has; `first`: its first instance.
Accesses<u64> most_accesses(const Compiled& c, int tensor, const TrueNest& nest, const KeepMasks& keep, int level,
                            const UnitDigits& first);

// The instances of a level in classes that see the same tiles (docs/cost_model.md, rule 39).

// Instance 0 of a level: it sees the largest tiles.
inline UnitDigits first_instance(const TrueNest& nest, int level) {
  UnitDigits unit;
  unit.fixed = level + 1 < nest.level_count ? nest.fanouts(level + 1, nest.level_count - 1) : 0;
  for (const int l : bits(unit.fixed)) unit.digit[l] = 0;
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
    loop(d, nest_.of[d] & unit_.fixed, number);
  }

  void loop(int d, LoopMask loops, u64 number) {
    if (loops == 0) {
      const LoopMask time = nest_.temporal();
      if (nest_.cells(d, nest_.all(), time | (nest_.spatial & ~unit_.fixed), 0, unit_).count() != 0)
        dimension(d + 1, number);
      return;
    }
    const int l = std::bit_width(loops) - 1;
    const TruePlace& p = nest_.place[l];
    const LoopMask inside = loops ^ (LoopMask{1} << l);
    unit_.digit[l] = p.last - 1;
    loop(d, inside, number);
    if (p.last > 1) alike(d, l, 0, inside, number * (p.last - 1));
    if (p.last < p.end) alike(d, l, p.last, inside, number * (p.end - p.last));
  }

  // All digits of the loops inside are the same.
  void alike(int d, int l, u32 digit, LoopMask inside, u64 number) {
    unit_.digit[l] = digit;
    for (const int k : bits(inside)) {
      unit_.digit[k] = 0;
      number *= nest_.place[k].end;
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

class TrueTally {
 public:
  using ByTensor = std::array<Accesses<u64>, kMaxTensors>;

  TrueTally(const Compiled& c, const TrueNest& nest, const KeepMasks& keep) : c_(c), nest_(nest), keep_(keep) {}

  // Counts the words of tensor v. network(i, accesses, part) is called for the levels where wanted(i) says so: words
  // that arrive there, and those of a kept output that are not read first.
  template <class Wanted, class Network>
  void follow(int v, Wanted&& wanted, Network&& network) {
    const CompiledTensor& t = c_.tensor[v];
    TrueStream stream(c_, v, nest_, everywhere_);
    stream.start(0);
    for (int i = 0; i < c_.level_count; ++i) {
      const bool kept = contains(keep_[i], v), outermost = i + 1 == c_.level_count, asked = wanted(i);
      const bool carried = c_.level[i].is_interconnect;
      if (!kept && !carried && !asked) continue;
      const u64 accesses = stream.accesses(i), part = t.is_output && (kept || carried) ? stream.part(i) : 0;
      if (asked) network(i, accesses, kept ? part : 0);
      if (carried) total_[i][v] = carried_words(c_.level[i], t.is_output, accesses, part);
      if (!kept) continue;
      if (!outermost) stream.start(i + 1);
      total_[i][v] = kept_words(c_.level[i], t.is_output, accesses, outermost ? 0 : stream.crossing(), part);
    }
  }

  // The tensors whose words a level counts.
  TensorMask counted(int i) const { return c_.counted(i, keep_[i]); }
  // Words of all instances of a level, by tensor. Only of counted tensors that were followed.
  const ByTensor& total(int i) const { return total_[i]; }
  // The words of all instances in accesses, by tensor: blocks are rounded up for each instance by itself.
  ByTensor accesses(int i) const;
  // What the accesses of a counted tensor cost.
  AccessUnits units(int i, int v, const Accesses<u64>& accesses) const {
    return units_of_all(c_.level[i], v, total_[i][v], accesses, c_.tensor[v].is_output, nest_.used[i]);
  }
  // Cycles of the slowest instance.
  u64 cycles(int i) const;

  // Calls each(words by tensor, number of instances) for the classes of instances of a level.
  template <class Each>
  void each_class(int i, Each&& each) const {
    each_instance_class(nest_, i, [&](const UnitDigits& unit, u64 number) { each(of_unit(i, unit), number); });
  }

 private:
  ByTensor of_unit(int i, const UnitDigits& unit) const;
  bool serves(int i, const ByTensor& words) const;
  u64 cycles_of(int i, const ByTensor& words) const;

  const Compiled& c_;
  const TrueNest& nest_;
  const KeepMasks& keep_;
  const UnitDigits everywhere_{};
  std::array<ByTensor, kMaxLevels> total_;
};

}  // namespace heliolite
