#include "engine/model/true_counts/held_words.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "engine/model/true_counts/tally.h"

namespace heliolite {
namespace {

// A set of numbers below a limit.
class BitList {
 public:
  // No numbers, from 0 to before `limit`.
  void clear(u64 limit) { word_.assign(limit / 64 + 1, 0), limit_ = limit; }
  void add_zero() { word_[0] |= 1; }

  // Adds all numbers of `other`, each `distance` larger, as far as they are below the limit.
  void add_shifted(const BitList& other, u64 distance) {
    const std::size_t words = distance / 64, bits = distance % 64;
    for (std::size_t k = word_.size(); k-- > words;) {
      word_[k] |= other.word_[k - words] << bits;
      if (bits != 0 && k > words) word_[k] |= other.word_[k - words - 1] >> (64 - bits);
    }
  }

  // Adds all numbers so far, 1 to `times` - 1 times `distance` larger: each round doubles what there is.
  void repeat(u64 times, u64 distance) {
    for (u64 have = 1; have < times;) {
      const u64 more = std::min(have, times - have);
      if (more * distance > limit_) return;
      add_shifted(*this, more * distance);
      have += more;
    }
  }

  u64 count() const {
    u64 n = 0;
    for (const u64 word : word_) n += static_cast<u64>(std::popcount(word));
    return n;
  }

 private:
  std::vector<u64> word_;
  u64 limit_ = 0;
};

// One number for each word of some ranks of a tensor: its places along them, the first rank's next to each other.
struct RankNumbers {
  DimensionMask dimensions = 0;
  std::array<u64, kMaxDimensions> step{};  // from one position of a dimension to the next
  u64 numbers = 1;

  void add(const Compiled& c, const CompiledTensor& t, int rank) {
    u64 extent = 1;
    for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
      const CompiledTerm& term = t.by_dimension[at(k)];
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
  const u64 tile = nest.tile[at(level) + 1][at(d)], size = c.size[at(d)];
  return tiles.full * tile + tiles.last * ((size - 1) % tile + 1);
}

// Different numbers that the positions of one instance make. From the innermost loop of a dimension outwards: those of
// a full tile and those of the dimension's last one, which may be shorter.
u64 distinct_numbers(const TrueNest& nest, const RankNumbers& ranks, const UnitDigits& unit) {
  thread_local BitList full, last, next;
  last.clear(ranks.numbers);
  last.add_zero();
  for (const int d : bits(ranks.dimensions)) {
    full = last;
    for (const int l : bits(nest.of[at(d)])) {
      const TruePlace& p = nest.place[at(l)];
      const u64 distance = p.inside * ranks.step[at(d)];
      next.clear(ranks.numbers);
      if (contains(unit.fixed, l)) {
        const u32 digit = unit.digit[at(l)];
        if (digit < p.last) next.add_shifted(digit + 1 < p.last ? full : last, digit * distance);
        std::swap(last, next);
        next.clear(ranks.numbers);
        next.add_shifted(full, digit * distance);
        std::swap(full, next);
        continue;
      }
      if (p.last > 1) {
        next = full;
        next.repeat(p.last - 1, distance);
      }
      next.add_shifted(last, (p.last - 1) * distance);
      std::swap(last, next);
      full.repeat(p.end, distance);
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
