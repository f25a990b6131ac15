// Rule 38, without short cuts where there is no closed form.
#include <map>
#include <set>
#include <utility>

#include "engine/model/true_counts/asked_words.h"
#include "engine/model/true_counts/fetches.h"
#include "engine/model/true_counts/sliding.h"
#include "engine/model/true_counts/step_products.h"
#include "engine/model/true_counts/unit_groups.h"

namespace heliolite {
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
