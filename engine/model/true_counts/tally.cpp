#include "engine/model/true_counts/tally.h"

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <span>
#include <utility>

#include "engine/model/true_counts/unit_groups.h"

namespace heliolite {

// Different words of an output that the instances of a level ever hold (docs/cost_model.md, rule 39): those are not
// read before they are first written. Where every rank is one dimension they are a product. Along a rank that slides
// (`p + r`) instances hold some of the same words, so the sums that an instance's positions make are listed as bits: a
// loop adds its steps by shifting all that there are so far, doubling what it has.

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

u64 TrueStream::accesses(int level) const {
  const LoopMask shared = nest_.fanouts(boundary_, level);
  if (!units_meet(t_, nest_, boundary_ + 1, level)) return words_of(t_, nest_, boundary_, fetches_, shared, unit_);
  Fetches multicast;
  listed_fetches(c_, t_, nest_, boundary_, level, unit_, multicast);
  return words_of(t_, nest_, boundary_, multicast, shared, unit_);
}

namespace {

// The boundary from which words arrive at the level.
int boundary_below(const KeepMasks& keep, int tensor, int level) {
  while (level > 0 && !contains(keep[level - 1], tensor)) --level;
  return level;
}

}  // namespace

Accesses<u64> most_accesses(const Compiled& c, int tensor, const TrueNest& nest, const KeepMasks& keep, int level,
                            const UnitDigits& first) {
  const CompiledTensor& t = c.tensor[tensor];
  LoopMask moving = 0;
  for (const int d : bits(t.indexing)) moving |= nest.of[d];
  // A whole tile at every step of the innermost loop that moves it, and of those outside.
  const auto words = [&](int from, LoopMask shared) {
    const LoopMask loops = nest.outside(from), time = loops & nest.temporal();
    const LoopMask waits = from == 0              ? 0
                           : (moving & time) == 0 ? time
                                                  : time & loops_before(std::countr_zero(moving & time));
    u64 n = true_box_words(c, t, nest.tile[from]);
    for (int d = 0; d < nest.dimension_count; ++d)
      n *= nest.cells(d, loops, waits | (contains(t.indexing, d) ? 0 : shared), 0, first).count();
    return n;
  };
  const int boundary = boundary_below(keep, tensor, level);
  const u64 accesses = words(boundary, nest.fanouts(boundary, level));
  return {accesses, takes_fills(c, level) ? words(level + 1, 0) : 0, t.is_output ? accesses : 0};
}

namespace {

// The words of one tensor at a level that keeps it, or at an interconnect, of the instances in `unit`: a class of those
// of that level.
Accesses<u64> instance_accesses(const Compiled& c, int tensor, const TrueNest& nest, const KeepMasks& keep, int level,
                                const UnitDigits& unit) {
  const int boundary = boundary_below(keep, tensor, level);
  TrueStream stream(c, tensor, nest, unit);
  stream.start(boundary);
  const u64 accesses = stream.accesses(level);
  const bool fills = takes_fills(c, level), is_output = c.tensor[tensor].is_output;
  if (fills) stream.start(level + 1);
  return kept_words(c.level[level], is_output, accesses, fills ? stream.crossing() : 0,
                    is_output ? stream.part(level) : 0);
}

}  // namespace

TrueTally::ByTensor TrueTally::of_unit(int i, const UnitDigits& unit) const {
  ByTensor out;
  for (const int v : bits(counted(i))) out[v] = instance_accesses(c_, v, nest_, keep_, i, unit);
  return out;
}

TrueTally::ByTensor TrueTally::accesses(int i) const {
  const CompiledLevel& level = c_.level[i];
  ByTensor out;
  if (level.block_words == 1) return total_[i];
  if (nest_.used[i] == 1) {
    for (const int v : bits(counted(i))) out[v] = in_accesses(level, v, total_[i][v]);
    return out;
  }
  each_class(i, [&](const ByTensor& words, u64 number) {
    for (const int v : bits(counted(i))) {
      const Accesses<u64> one = in_accesses(level, v, words[v]);
      out[v] += {one.reads * number, one.fills * number, one.updates * number};
    }
  });
  return out;
}

// Cycles of the slowest instance (rule 41); without sliding ranks none is slower than the first.
u64 TrueTally::cycles(int i) const {
  const CompiledLevel& level = c_.level[i];
  if (!level.limited || serves(i, total_[i])) return c_.cycles_of(nest_.steps);
  if (nest_.used[i] == 1) return cycles_of(i, total_[i]);
  const UnitDigits first = first_instance(nest_, i);
  ByTensor words;
  bool slides = false;
  for (const int v : bits(counted(i))) {
    slides |= c_.tensor[v].sliding;
    words[v] = c_.tensor[v].sliding ? most_accesses(c_, v, nest_, keep_, i, first)
                                    : instance_accesses(c_, v, nest_, keep_, i, first);
  }
  if (!slides) return cycles_of(i, words);
  if (serves(i, words)) return c_.cycles_of(nest_.steps);
  u64 most = c_.cycles_of(nest_.steps);
  each_class(i, [&](const ByTensor& words, u64) { most = std::max(most, cycles_of(i, words)); });
  return most;
}

u64 TrueTally::cycles_of(int i, const ByTensor& words) const {
  std::array<u64, kMaxTensors> reads{}, writes{};
  for (const int v : bits(counted(i))) {
    reads[v] = c_.level[i].taken(v, words[v].reads);
    writes[v] = c_.level[i].taken(v, words[v].fills + words[v].updates);
  }
  const auto count = at(c_.tensor_count);
  return level_cycles(c_.level[i], std::span(reads).first(count), std::span(writes).first(count),
                      c_.cycles_of(nest_.steps));
}

// Whether one instance could serve all these words in time, with room for how doubles are rounded.
bool TrueTally::serves(int i, const ByTensor& by_tensor) const {
  const CompiledLevel& level = c_.level[i];
  double reads = 0, writes = 0;
  for (const int v : bits(counted(i))) {
    const Accesses<u64>& words = by_tensor[v];
    reads += static_cast<double>(level.taken(v, words.reads));
    writes += static_cast<double>(level.taken(v, words.fills + words.updates));
  }
  const double safe = static_cast<double>(c_.cycles_of(nest_.steps)) * (1 - 1e-9);
  return reads <= level.read_bandwidth * safe && writes <= level.write_bandwidth * safe &&
         reads + writes <= level.shared_bandwidth * safe;
}

}  // namespace heliolite
