#include "engine/model/true_counts/sliding.h"

#include "engine/model/true_counts/fetch_terms.h"
#include "engine/model/true_counts/group_sums.h"
#include "engine/model/true_counts/steps_outwards.h"
#include "engine/model/true_counts/unit_groups.h"

namespace heliolite {
namespace {

// Dimensions of the tensor that share ranks with the first of `left`, directly or through others.
DimensionMask first_group(const CompiledTensor& t, DimensionMask left) {
  DimensionMask group = static_cast<DimensionMask>(left & (~left + 1));
  for (DimensionMask before = 0; before != group;) {
    before = group;
    for (int r = 0; r < t.rank_count; ++r)
      if ((t.sharing[at(r)] & group) != 0) group = static_cast<DimensionMask>(group | t.sharing[at(r)]);
  }
  return group;
}

// The words of one tensor at one boundary, step by step from the innermost loop outwards: a group of dimensions is
// summed again only when a loop over one of them has come inside, or advances itself.
class SlidingWords {
 public:
  SlidingWords(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary, const UnitDigits& unit,
               bool shared)
      : c_(c), t_(t), nest_(nest), unit_(unit), boundary_(boundary), shared_(shared), products_(t, nest) {
    for (DimensionMask left = t.indexing; left != 0;) {
      Group& g = group_[at(count_++)];
      g.dimensions = first_group(t, left);
      left = static_cast<DimensionMask>(left & ~g.dimensions);
      g.loops = 0;
      for (const int d : bits(g.dimensions)) g.loops |= nest.of[at(d)];
      g.known = false;
    }
  }

  u64 operator()(StepKind step) {
    bool alike = true;
    for (int k = 0; k < count_; ++k) {
      Group& g = group_[at(k)];
      const bool own = step.what == StepKind::Loop && contains(g.loops, step.loop);
      const LoopMask inside = g.loops & loops_before(step.loop);
      used_[at(k)] = own ? &own_ : &g.sums;
      if (!own && step.what == StepKind::Loop && g.known && g.inside == inside) {
        alike &= g.alike;
        continue;
      }
      const bool one = sum(g, step, own ? own_ : g.sums);
      alike &= one;
      if (own) continue;
      g.known = step.what == StepKind::Loop;
      g.inside = inside;
      g.alike = one;
    }
    if (alike) return fetched_words({used_.data(), at(count_)}, step.what != StepKind::Loop);
    return grouped(step);
  }

 private:
  struct Group {
    DimensionMask dimensions;
    LoopMask loops;
    bool known;  // whether `sums` are of a step with the loops `inside`
    bool alike;  // and all of its fetches differ
    LoopMask inside;
    GroupSums sums;
  };

  // Sums over the group's kinds of tiles. False: some units fetch the same box in different ways, and have to be
  // looked at one by one.
  bool sum(const Group& g, StepKind step, GroupSums& out) {
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
    out.clear();
    const bool meets = shared_ && n > 1;
    bool known = !meets || told_apart({steps.data(), n});
    if (!known) return false;
    products_.each({dimension.data(), n}, {steps.data(), n}, [&](const BoxStep& box, auto tiles) {
      const auto [words, stays] = products_.words(box);
      const auto to = products_.going(box);
      const u64 units = meets ? distinct({dimension.data(), n}, tiles) : box.units;
      known &= units != 0;
      out.add(box.count * units, words, stays, box.mover, to.back, to.on);
    });
    return known;
  }

  u64 distinct(std::span<const u8> dimension, std::span<const TileStep* const> tiles) const {
    std::array<u32, kMaxDimensions> run;
    for (std::size_t k = 0; k < tiles.size(); ++k) run[k] = tiles[k]->run;
    return distinct_units(t_, nest_.tile[at(boundary_)], dimension, {run.data(), tiles.size()});
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
    UnitGroups groups(t_, nest_.tile[at(boundary_)]);
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
  bool shared_;
  StepProducts products_;
  std::array<Group, kMaxDimensions> group_;
  std::array<const GroupSums*, kMaxDimensions> used_;
  GroupSums own_;
};

}  // namespace

void sliding_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary,
                     const UnitDigits& unit, Fetches& out) {
  add_fetch_terms(t, nest, boundary, SlidingWords(c, t, nest, boundary, unit, false), out);
}

bool units_meet(const CompiledTensor& t, const TrueNest& nest, int low, int high) {
  if (!t.sliding) return false;
  for (int i = low; i <= high; ++i) {
    DimensionMask spread = 0;
    for (const int l : bits(nest.fanout[at(i)])) spread |= dimension_bit(nest.place[at(l)].dimension);
    for (int r = 0; r < t.rank_count; ++r) {
      const DimensionMask both = spread & t.sharing[at(r)];
      if ((both & (both - 1)) != 0) return true;
    }
  }
  return false;
}

void shared_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary, int high,
                    const UnitDigits& unit, Fetches& out) {
  out.count = 0;
  if (units_meet(t, nest, boundary + 1, high)) return listed_fetches(c, t, nest, boundary, high, unit, out);
  SlidingWords words(c, t, nest, boundary, unit, true);
  if (boundary == 0) out.add(words(StepKind{StepKind::Every, 0}), 0);
  else add_fetch_terms(t, nest, boundary, words, out);
}

}  // namespace heliolite
