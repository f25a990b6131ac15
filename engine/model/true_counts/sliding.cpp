// The traffic of tensors with sliding ranks (docs/cost_model.md, rules 35, 37 and 38): no product over dimensions, but
// a sum over few kinds of steps.
#include "engine/model/true_counts/fetches.h"

#include "engine/model/true_counts/unit_groups.h"

namespace heliolite {

DimensionMask sharing_group(const CompiledTensor& t, DimensionMask left) {
  DimensionMask group = static_cast<DimensionMask>(left & (~left + 1));
  for (DimensionMask before = 0; before != group;) {
    before = group;
    for (int r = 0; r < t.rank_count; ++r)
      if ((t.sharing[r] & group) != 0) group = static_cast<DimensionMask>(group | t.sharing[r]);
  }
  return group;
}

namespace {

// The words of one tensor at one boundary, step by step from the innermost loop outwards: a group of dimensions is
// summed again only when a loop over one of them has come inside, or advances itself. `meets`: whether units of the
// boundary's fan-out may want the same words.
class SlidingWords {
 public:
  SlidingWords(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary, const UnitDigits& unit,
               bool meets)
      : c_(c), t_(t), nest_(nest), unit_(unit), boundary_(boundary), meets_(meets), products_(t, nest) {
    for (DimensionMask left = t.indexing; left != 0;) {
      Group& g = group_[count_++];
      g.dimensions = sharing_group(t, left);
      left = static_cast<DimensionMask>(left & ~g.dimensions);
      g.loops = 0;
      for (const int d : bits(g.dimensions)) g.loops |= nest.of[d];
      g.known = false;
    }
  }

  FetchedWords operator()(StepKind step) {
    bool told = true;
    for (int k = 0; k < count_; ++k) {
      Group& g = group_[k];
      const bool own = step.what == StepKind::Loop && contains(g.loops, step.loop);
      const LoopMask inside = g.loops & loops_before(step.loop);
      Sums& sums = own ? own_ : g.sums;
      if (own || step.what != StepKind::Loop || !g.known || g.inside != inside) {
        sum(g, step, sums);
        if (!own) g.known = step.what == StepKind::Loop, g.inside = inside;
      }
      all_[k] = &sums.all;
      shared_[k] = sums.meets ? &sums.shared : &sums.all;
      told &= !sums.meets || sums.told_apart;
    }
    const bool first = step.what != StepKind::Loop;
    FetchedWords out;
    out.all = fetched_words({all_.data(), at(count_)}, first);
    out.shared = !meets_ || out.all == 0 ? out.all
                 : told                  ? fetched_words({shared_.data(), at(count_)}, first)
                                         : grouped(step);
    return out;
  }

 private:
  // Sums of one group of dimensions, with the fetches of all units, and with each box that several want once.
  struct Sums {
    GroupSums all, shared;
    bool meets;       // whether units can want the same box: else `shared` is not written
    bool told_apart;  // and none do that fetch it in different ways: else `shared` is of no use
  };
  struct Group {
    DimensionMask dimensions;
    LoopMask loops;
    bool known;  // whether `sums` are of a step with the loops `inside`
    LoopMask inside;
    Sums sums;
  };

  // Sums over the group's kinds of tiles.
  void sum(const Group& g, StepKind step, Sums& out) {
    std::array<u8, kMaxDimensions> dimension;
    std::array<const std::vector<TileStep>*, kMaxDimensions> steps;
    std::size_t n = 0;
    for (const int d : bits(g.dimensions)) {
      lists()[n].clear();
      add_tile_steps(c_, nest_, boundary_, d, step, unit_, lists()[n]);
      dimension[n] = static_cast<u8>(d);
      steps[n] = &lists()[n];
      ++n;
    }
    out.all.clear();
    out.meets = meets_ && n > 1;
    out.told_apart = out.meets && told_apart({steps.data(), n});
    if (out.told_apart) out.shared.clear();
    products_.each({dimension.data(), n}, {steps.data(), n}, [&](const BoxStep& box, auto tiles) {
      const auto [words, stays] = products_.words(box);
      const auto to = products_.going(box);
      out.all.add(box.count * box.units, words, stays, box.mover, to.back, to.on);
      if (!out.told_apart) return;
      const u64 units = distinct({dimension.data(), n}, tiles);
      out.told_apart = units != 0;
      out.shared.add(box.count * units, words, stays, box.mover, to.back, to.on);
    });
  }

  u64 distinct(std::span<const u8> dimension, std::span<const TileStep* const> tiles) const {
    std::array<u32, kMaxDimensions> run;
    for (std::size_t k = 0; k < tiles.size(); ++k) run[k] = tiles[k]->run;
    return distinct_units(t_, nest_.tile[boundary_], dimension, {run.data(), tiles.size()});
  }

  // Whether units whose tiles are of different kinds cannot fetch the same box: at the same time at most one dimension
  // has several kinds, and those differ in how long the tiles are.
  static bool told_apart(std::span<const std::vector<TileStep>* const> steps) {
    int several = 0;
    for (const std::vector<TileStep>* list : steps) {
      bool more = false;
      for (std::size_t a = 0; a < list->size(); ++a)
        for (std::size_t b = a + 1; b < list->size(); ++b) {
          if ((*list)[a].context != (*list)[b].context) continue;
          if ((*list)[a].extent == (*list)[b].extent) return false;
          more = true;
        }
      several += more;
    }
    return several <= 1;
  }

  u64 grouped(StepKind step) {
    StepsOutwards steps(c_, nest_, boundary_, unit_, t_.indexing);
    UnitGroups groups(t_, nest_.tile[boundary_]);
    products_.each(steps.dimensions(), steps.at_step(step), [&](const BoxStep& box, auto tiles) {
      const BoxFetch fetch = products_.fetch(box, step.what != StepKind::Loop);
      if (fetch.words != 0) groups.add(box, fetch, tiles);
    });
    return groups.words(steps.dimensions());
  }

  static std::array<std::vector<TileStep>, kMaxDimensions>& lists() {
    thread_local std::array<std::vector<TileStep>, kMaxDimensions> steps;
    return steps;
  }

  const Compiled& c_;
  const CompiledTensor& t_;
  const TrueNest& nest_;
  const UnitDigits& unit_;
  int boundary_, count_ = 0;
  bool meets_;
  StepProducts products_;
  std::array<Group, kMaxDimensions> group_;
  std::array<const GroupSums*, kMaxDimensions> all_, shared_;
  Sums own_;
};

}  // namespace

void sliding_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary,
                     const UnitDigits& unit, Fetches& out) {
  const bool alone = (unit.fixed & nest.fanout[boundary]) != 0;
  SlidingWords words(c, t, nest, boundary, unit, !alone && units_meet(t, nest, boundary, boundary));
  if (boundary == 0) out.add(words(StepKind{StepKind::Every, 0}), 0);
  else add_fetch_terms(t, nest, boundary, words, out);
}

bool units_meet(const CompiledTensor& t, const TrueNest& nest, int low, int high) {
  if (!t.sliding) return false;
  for (int i = low; i <= high; ++i) {
    DimensionMask spread = 0;
    for (const int l : bits(nest.fanout[i])) spread |= dimension_bit(nest.place[l].dimension);
    for (int r = 0; r < t.rank_count; ++r) {
      const DimensionMask both = spread & t.sharing[r];
      if ((both & (both - 1)) != 0) return true;
    }
  }
  return false;
}

}  // namespace heliolite
