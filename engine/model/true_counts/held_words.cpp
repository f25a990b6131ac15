// Different words of an output that the instances of a level ever hold (docs/cost_model.md, rule 39): those are not
// read before they are first written. Where every rank is one dimension they are a product. Along a rank that slides
// (`p + r`) instances hold some of the same words, so the sums that an instance's positions make are listed as bits: a
// loop adds its steps by shifting all that there are so far, doubling what it has.
#include <algorithm>
#include <bit>
#include <boost/dynamic_bitset.hpp>
#include <utility>

#include "engine/model/true_counts/tally.h"

namespace heliolite {
namespace {

using Numbers = boost::dynamic_bitset<u64>;  // those below its size

// Adds all numbers so far, 1 to `times` - 1 times `distance` larger: each round doubles what there is.
void repeat(Numbers& numbers, u64 times, u64 distance) {
  for (u64 have = 1; have < times;) {
    const u64 more = std::min(have, times - have);
    if (more * distance >= numbers.size()) return;
    numbers |= numbers << more * distance;
    have += more;
  }
}

// One number for each word of some ranks of a tensor: its places along them, the first rank's next to each other.
struct RankNumbers {
  DimensionMask dimensions = 0;
  std::array<u64, kMaxDimensions> step{};  // from one position of a dimension to the next
  u64 numbers = 1;

  void add(const Compiled& c, const CompiledTensor& t, int rank) {
    u64 extent = 1;
    for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
      const CompiledTerm& term = t.by_dimension[k];
      if (term.rank != rank) continue;
      dimensions = static_cast<DimensionMask>(dimensions | dimension_bit(term.dimension));
      step[term.dimension] += term.coefficient * numbers;
      extent += term.coefficient * (u64{c.size[term.dimension]} - 1);
    }
    numbers *= extent;
  }
};

// Calls each(numbers) for the ranks of a tensor, all of them together if dimensions occur in several.
template <class Each>
void each_independent_rank(const Compiled& c, const CompiledTensor& t, Each&& each) {
  RankNumbers all;
  for (int r = 0; r < t.rank_count; ++r) {
    all.add(c, t, r);
    if (!t.entangled) each(std::exchange(all, {}));
  }
  if (t.entangled) each(all);
}

// Positions of a dimension that one instance of the level ever holds.
u64 positions_of(const Compiled& c, const TrueNest& nest, int level, int d, const UnitDigits& unit) {
  const TrueCells tiles = nest.cells(d, nest.outside(level + 1), 0, 0, unit);
  const u64 tile = nest.tile[level + 1][d], size = c.size[d];
  return tiles.full * tile + tiles.last * ((size - 1) % tile + 1);
}

// Different numbers that the positions of one instance make. From the innermost loop of a dimension outwards: those of
// a full tile and those of the dimension's last one, which may be shorter.
u64 distinct_numbers(const TrueNest& nest, const RankNumbers& ranks, const UnitDigits& unit) {
  const Numbers none(ranks.numbers);
  Numbers full, last = none;
  last.set(0);
  for (const int d : bits(ranks.dimensions)) {
    full = last;
    for (const int l : bits(nest.of[d])) {
      const TruePlace& p = nest.place[l];
      const u64 distance = p.inside * ranks.step[d];
      if (contains(unit.fixed, l)) {
        const u32 digit = unit.digit[l];
        if (digit + 1 < p.last) last = full << digit * distance;
        else if (digit < p.last) last <<= digit * distance;
        else last = none;
        full <<= digit * distance;
        continue;
      }
      last <<= (p.last - 1) * distance;
      if (p.last > 1) {
        Numbers before = full;
        repeat(before, p.last - 1, distance);
        last |= before;
      }
      repeat(full, p.end, distance);
    }
  }
  return last.count();
}

u64 held_by_instance(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int level,
                     const UnitDigits& unit) {
  u64 words = 1;
  each_independent_rank(c, t, [&](const RankNumbers& ranks) {
    const bool alone = std::popcount(ranks.dimensions) == 1;
    words *= alone ? positions_of(c, nest, level, std::countr_zero(ranks.dimensions), unit)
                   : distinct_numbers(nest, ranks, unit);
  });
  return words;
}

}  // namespace

bool held_words_are_countable(const Compiled& c, const CompiledTensor& t) {
  bool countable = true;
  each_independent_rank(c, t, [&](const RankNumbers& ranks) {
    countable &= std::popcount(ranks.dimensions) == 1 || ranks.numbers <= kMostOutputWords;
  });
  return countable;
}

u64 held_words(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int level, const UnitDigits& unit) {
  const LoopMask spread = nest.outside(level + 1) & nest.spatial;
  if (!t.sliding && !t.entangled) {
    u64 words = 1;
    for (int d = 0; d < nest.dimension_count; ++d)
      words *= contains(t.indexing, d) ? positions_of(c, nest, level, d, unit)
                                       : nest.cells(d, nest.all(), nest.all() & ~spread, 0, unit).count();
    return words;
  }
  if (unit.fixed != 0 || spread == 0) return held_by_instance(c, t, nest, level, unit);
  u64 words = 0;
  each_instance_class(nest, level, [&](const UnitDigits& one, u64 number) {
    words += number * held_by_instance(c, t, nest, level, one);
  });
  return words;
}

}  // namespace heliolite
