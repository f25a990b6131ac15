// Rule 36: tensors none of whose ranks slides. Their words are sums of products over dimensions.
#include "engine/model/true_counts/fetches.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/model/true_counts/unit_groups.h"

namespace heliolite {

namespace {

// Base tiles among the first `tiles` of the inner loops that belong to the unit; `last`: whether the last one does.
// `base`: size of a base tile.
TrueCells unit_tiles(const TrueNest& nest, LoopMask inner, u32 base, u32 tiles, const UnitDigits& unit) {
  if (tiles == 0) return {0, 0};
  TrueCells out;
  for (LoopMask rest = inner; rest != 0;) {
    const int l = std::bit_width(rest) - 1;
    rest ^= LoopMask{1} << l;
    TruePlace p = nest.place[l];
    p.last = (tiles - 1) / (p.inside / base) % p.end + 1;
    if (contains(unit.fixed, l)) out.only(unit.digit[l], p);
    else out.all(p);
  }
  return out;
}

// One dimension of the tensor at one boundary.
class PlainDimension {
 public:
  PlainDimension(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary, int d,
                 const UnitDigits& unit)
      : t_(t), nest_(nest), unit_(unit), d_(d), size_(c.size[d]), base_(nest.tile[boundary][d]) {
    loops_ = nest.of[d] & nest.outside(boundary);
    tiles_ = (size_ - 1) / base_ + 1;
    short_ = size_ - (tiles_ - 1) * base_;
    full_words_ = words(std::min(base_, size_));
    short_words_ = words(short_);
  }

  // Words of all base tiles of the unit.
  u64 all() const {
    const TrueCells cells = nest_.cells(d_, loops_, 0, 0, unit_);
    return cells.full * full_words_ + cells.last * short_words_;
  }

  // Words of the unit's base tiles that none of the temporal loops `inner` moves: where each has a single iteration.
  u64 still(LoopMask inner) const {
    const LoopMask moving = inner & loops_;
    if (moving == 0) return all();
    const int l = std::countr_zero(moving);
    const TruePlace& p = nest_.place[l];
    if (p.last > 2) return 0;
    for (const int k : bits(moving & (moving - 1)))
      if (nest_.place[k].last > 1) return 0;
    for (const int k : bits(loops_ & nest_.spatial & unit_.fixed & ~loops_before(l)))
      if (unit_.digit[k] + 1 != nest_.place[k].last) return 0;
    // In the last group of the loop its sub-tiles are as long as `reach` base tiles, and the units stand side by side
    // in them: those that find nothing in a second one do not move.
    const u32 reach = p.inside / base_, group = reach * p.end;
    const u32 rest = tiles_ - (tiles_ - 1) / group * group;
    const LoopMask side = loops_ & nest_.spatial & loops_before(l);
    const TrueCells to = unit_tiles(nest_, side, base_, std::min(rest, reach), unit_);
    if (rest <= reach) return to.full * full_words_ + to.last * short_words_;
    return (to.count() - unit_tiles(nest_, side, base_, rest - reach, unit_).count()) * full_words_;
  }

 private:
  u64 words(u32 extent) const {
    u64 n = 1;
    for (int k = t_.first_of[d_]; k < t_.first_of[d_ + 1]; ++k)
      n *= 1 + u64{t_.by_dimension[k].coefficient} * (extent - 1);
    return n;
  }

  const CompiledTensor& t_;
  const TrueNest& nest_;
  const UnitDigits& unit_;
  int d_;
  u32 size_, base_, tiles_, short_;
  LoopMask loops_;
  u64 full_words_, short_words_;
};

void plain_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary,
                   const UnitDigits& unit, Fetches& out) {
  LoopMask moving = 0;
  u64 left = 1;  // words that no loop so far has moved
  std::array<u64, kMaxDimensions> still;
  for (const int d : bits(t.indexing)) {
    still[d] = PlainDimension(c, t, nest, boundary, d, unit).all();
    left *= still[d];
    moving |= nest.of[d];
  }
  const LoopMask time = nest.outside(boundary) & nest.temporal();
  moving &= time;
  for (const int l : bits(moving)) {
    if (left == 0) return;
    const int d = nest.place[l].dimension;
    const u64 before = left;
    still[d] = PlainDimension(c, t, nest, boundary, d, unit).still(time & loops_before(l + 1));
    left = 1;
    for (const int e : bits(t.indexing)) left *= still[e];
    out.add({before - left, before - left}, time & loops_before(l));
  }
  out.add({left, left}, time);
}

}  // namespace

void count_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary,
                   const UnitDigits& unit, Fetches& out) {
  out.count = 0;
  if (boundary > 0 || units_meet(t, nest, 0, 0))
    return t.sliding ? sliding_fetches(c, t, nest, boundary, unit, out)
                     : plain_fetches(c, t, nest, boundary, unit, out);
  u64 words = 1;  // one for each MAC
  for (const int d : bits(t.indexing)) words *= nest.cells(d, nest.all(), 0, 0, unit).count();
  out.add({words, words}, 0);
}

// Rule 38, without short cuts where there is no closed form.

namespace {

// A tile of one dimension at a step.
struct ListedTile {
  u64 when;                            // which temporal digits, and which instance outside, as one number
  std::array<u32, kMaxLevels> offset;  // [level]: of its unit in that level's fan-out
  i64 low;
  TileStep step;
};

// What a box of a group of dimensions is like, apart from where it is: [rank of the group] extent, held, move, and the
// innermost loop that moved it.
using ListedBox = std::pair<std::vector<i64>, u8>;

class ListedFetches {
 public:
  ListedFetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary, int high,
                const UnitDigits& unit)
      : c_(c), t_(t), nest_(nest), unit_(unit), boundary_(boundary), high_(high), products_(t, nest) {
    for (DimensionMask left = t.indexing; left != 0; left = static_cast<DimensionMask>(left & ~group_.back()))
      group_.push_back(sharing_group(t, left));
  }

  u64 words(StepKind step) {
    std::vector<std::map<std::set<ListedBox>, u64>> kinds;
    for (const DimensionMask group : group_) kinds.push_back(boxes(group, step));
    std::vector<const std::set<ListedBox>*> chosen;
    return sum(kinds, step, chosen, 1);
  }

 private:
  std::vector<ListedTile> tiles(int d, StepKind step) const {
    const u32 base = nest_.tile[boundary_][d], size = c_.size[d];
    const LoopMask loops = nest_.of[d] & nest_.outside(boundary_);
    std::vector<ListedTile> out;
    for (u32 low = 0; low < size; low += base) {
      ListedTile tile{};
      tile.low = low;
      bool here = true;
      for (const int l : bits(loops)) {
        const TruePlace& p = nest_.place[l];
        const u32 digit = low / p.inside % p.end;
        const bool spatial = contains(nest_.spatial, l);
        if (spatial && contains(unit_.fixed, l)) here &= digit == unit_.digit[l];
        if (spatial && p.level <= high_) tile.offset[p.level] += digit * p.inside;
        else tile.when = tile.when * p.end + digit;
        if (spatial || step.what == StepKind::Every) continue;
        if (step.what == StepKind::First || l < step.loop) here &= digit == 0;
        else if (l == step.loop) here &= digit != 0;
      }
      if (!here) continue;
      tile.step = held(step, low, base, size, loops);
      out.push_back(tile);
    }
    return out;
  }

  // The tile at `low`, and the one that is held there (rule 35).
  TileStep held(StepKind step, u32 low, u32 base, u32 size, LoopMask loops) const {
    TileStep s{};
    s.mover = kNoLoop;
    s.extent = std::min(base, size - low);
    s.held = s.extent;
    if (step.what != StepKind::Loop) return s;
    u32 before = low;
    if (contains(loops, step.loop)) before -= nest_.place[step.loop].inside;
    const LoopMask time = loops & nest_.temporal() & loops_before(step.loop);
    u32 at_end = before;
    for (LoopMask rest = time; rest != 0;) {
      const int l = std::bit_width(rest) - 1;
      rest ^= LoopMask{1} << l;
      const u32 inside = nest_.place[l].inside;
      if (at_end + inside < size) at_end += inside;
      if (before + inside < size) s.mover = static_cast<u8>(l);
    }
    s.held = std::min(base, size - at_end);
    s.move = i64{low} - i64{at_end};
    return s;
  }

  // How often which kinds of boxes of a group of dimensions stand at one place, at one time.
  std::map<std::set<ListedBox>, u64> boxes(DimensionMask group, StepKind step) {
    std::map<std::vector<i64>, std::set<ListedBox>> places;
    std::vector<std::pair<int, std::vector<ListedTile>>> lists;
    for (const int d : bits(group)) lists.emplace_back(d, tiles(d, step));
    std::vector<const ListedTile*> chosen(lists.size());
    const auto each = [&](auto& self, std::size_t k) -> void {
      if (k == lists.size()) return add_box(lists, chosen, places);
      for (const ListedTile& tile : lists[k].second) {
        chosen[k] = &tile;
        self(self, k + 1);
      }
    };
    each(each, 0);
    std::map<std::set<ListedBox>, u64> out;
    for (const auto& [place, kinds] : places) ++out[kinds];
    return out;
  }

  void add_box(const std::vector<std::pair<int, std::vector<ListedTile>>>& lists,
               const std::vector<const ListedTile*>& chosen,
               std::map<std::vector<i64>, std::set<ListedBox>>& places) const {
    std::array<i64, kMaxRanks> low{}, extent{}, held{}, move{};
    std::array<std::array<i64, kMaxRanks>, kMaxLevels> offset{};
    std::vector<i64> place;
    u8 mover = kNoLoop;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const ListedTile& tile = *chosen[k];
      place.push_back(static_cast<i64>(tile.when));
      mover = std::min(mover, tile.step.mover);
      for (int j = t_.first_of[lists[k].first]; j < t_.first_of[lists[k].first + 1]; ++j) {
        const CompiledTerm& term = t_.by_dimension[j];
        const i64 c = term.coefficient;
        low[term.rank] += c * tile.low;
        extent[term.rank] += c * (i64{tile.step.extent} - 1);
        held[term.rank] += c * (i64{tile.step.held} - 1);
        move[term.rank] += c * tile.step.move;
        for (int i = boundary_ + 1; i <= high_; ++i) offset[i][term.rank] += c * tile.offset[i];
      }
    }
    std::vector<i64> box;
    for (std::size_t r = 0; r < t_.rank_count; ++r) {
      place.insert(place.end(), {low[r], extent[r]});
      for (int i = boundary_ + 1; i <= high_; ++i) place.push_back(offset[i][r]);
      box.insert(box.end(), {extent[r], held[r], move[r]});
    }
    places[place].insert({box, mover});
  }

  // Words over all combinations of the groups' kinds; fetches at one place that are equal count once.
  u64 sum(const std::vector<std::map<std::set<ListedBox>, u64>>& kinds, StepKind step,
          std::vector<const std::set<ListedBox>*>& chosen, u64 count) const {
    if (chosen.size() < kinds.size()) {
      u64 words = 0;
      for (const auto& [kind, n] : kinds[chosen.size()]) {
        chosen.push_back(&kind);
        words += sum(kinds, step, chosen, count * n);
        chosen.pop_back();
      }
      return words;
    }
    std::map<std::vector<i64>, u64> found;  // the part that is held: words
    BoxStep box;
    for (std::size_t r = 0; r < t_.rank_count; ++r) box.extent[r] = box.held[r] = 1, box.move[r] = 0;
    combine(step, chosen, 0, box, found);
    u64 words = 0;
    for (const auto& [key, n] : found) words += n;
    return words * count;
  }

  void combine(StepKind step, const std::vector<const std::set<ListedBox>*>& chosen, std::size_t k, const BoxStep& box,
               std::map<std::vector<i64>, u64>& found) const {
    if (k == chosen.size()) {
      const BoxFetch fetch = products_.fetch(box, step.what != StepKind::Loop);
      std::vector<i64> key;
      for (std::size_t r = 0; r < t_.rank_count && fetch.keeps; ++r)
        key.insert(key.end(), {fetch.low[r], fetch.high[r]});
      found[key] = fetch.words;
      return;
    }
    for (const auto& [part, mover] : *chosen[k]) {
      BoxStep next = box;
      next.mover = std::min(box.mover, mover);
      for (std::size_t r = 0; r < t_.rank_count; ++r) {
        next.extent[r] += part[3 * r];
        next.held[r] += part[3 * r + 1];
        next.move[r] += part[3 * r + 2];
      }
      combine(step, chosen, k + 1, next, found);
    }
  }

  const Compiled& c_;
  const CompiledTensor& t_;
  const TrueNest& nest_;
  const UnitDigits& unit_;
  int boundary_, high_;
  StepProducts products_;
  std::vector<DimensionMask> group_;
};

}  // namespace

void listed_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary, int high,
                    const UnitDigits& unit, Fetches& out) {
  if (boundary == 0)
    if (const auto words = asked_words(c, t, nest, high, unit)) {
      out.count = 0;
      return out.add({*words, *words}, 0);
    }
  ListedFetches listed(c, t, nest, boundary, high, unit);
  out.count = 0;
  const auto words = [&](StepKind step) {
    const u64 n = listed.words(step);
    return FetchedWords{n, n};
  };
  if (boundary == 0) out.add(words(StepKind{StepKind::Every, 0}), 0);
  else add_fetch_terms(t, nest, boundary, words, out);
}

}  // namespace heliolite
