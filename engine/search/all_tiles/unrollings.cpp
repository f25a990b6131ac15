#include "engine/search/all_tiles/unrollings.h"

#include <algorithm>
#include <bit>
#include <map>

#include "engine/model/compiled.h"
#include "engine/space/symmetry.h"

namespace heliolite {
namespace {

using ClassUnits = std::vector<u32>;           // [class]
constexpr std::size_t kMostPairs = 1'000'000;  // of what X and Y of a fan-out may be
constexpr u64 kMostUnits = 100'000;            // of all fan-outs together

// Whether loops around `tiles` tiles can make `units` of them: no loop has more than there are tiles left.
bool can_unroll(u64 tiles, u64 units) {
  if (units <= tiles) return true;
  const auto begins_with = [&](u64 e) { return e <= tiles && can_unroll((tiles - 1) / e + 1, units / e); };
  for (u64 e = 2; e * e <= units; ++e)
    if (units % e == 0 && (begins_with(e) || begins_with(units / e))) return true;
  return false;
}

// Whether the fan-out below a level can make `units` of one dimension that has `tiles` tiles: a loop along X, and one
// along Y around the tiles that it leaves.
bool can_make(const Mapspace& space, std::size_t level, int d, u64 tiles, u64 units) {
  if (units == 1) return true;
  const SpatialSpace& s = space.levels[level].spatial;
  if (!s.factor[d].allows(units)) return false;
  const auto fits = [&](u64 e, DimensionMask allowed, u64 fanout, u64 of) {
    return e == 1 || (contains(allowed, d) && e <= std::min(fanout, of));
  };
  for (u64 x = 1; x <= std::min(units, s.fanout_x); ++x) {
    const u64 y = units / x;
    if (units % x != 0 || (space.one_axis_per_dimension && x != 1 && y != 1)) continue;
    if (fits(x, s.allowed_x, s.fanout_x, tiles) && fits(y, s.allowed_y, s.fanout_y, ceil_div(tiles, x))) return true;
  }
  return false;
}

// Those of `all` units along a dimension that are outside the fan-outs that make `inside` of them, as far as they work.
u64 working_outside(u64 size, u64 inside, u64 all) { return std::min(all / inside, ceil_div(size, inside)); }

// What the dimensions of a class may make of its units at each level.
class ClassStands {
 public:
  ClassStands(const Compiled& c, const Mapspace& space, DimensionMask of_class) : c_(c), space_(space) {
    for (const int d : bits(of_class)) dimensions_.push_back(d);
  }

  struct Stands {
    u64 steps = ~u64{0};                 // at least
    std::array<u64, kMaxLevels> work{};  // [level]: of the units that fan-outs outside it make, at most
    bool any() const { return work[0] != 0; }
  };
  const Stands& of(const std::vector<u32>& units) {  // [level]
    const auto [it, is_new] = known_.try_emplace(units);
    if (!is_new) return it->second;
    left_ = units;
    inside_.assign(units.size() + 1, 1);
    Stands none{1, {}};
    none.work.fill(1);
    each(0, 0, none, it->second);
    return it->second;
  }

 private:
  // From the fan-out of level i of dimension k on; `before`: of the dimensions before.
  void each(std::size_t k, std::size_t i, Stands before, Stands& out) {
    const u64 size = c_.size[dimensions_[k]];
    if (i == left_.size()) {
      before.steps *= ceil_div(size, inside_.back());
      for (std::size_t l = 0; l < i; ++l) before.work[l] *= working_outside(size, inside_[l + 1], inside_.back());
      if (k + 1 < dimensions_.size()) return each(k + 1, 0, before, out);
      out.steps = std::min(out.steps, before.steps);
      for (std::size_t l = 0; l < i; ++l) out.work[l] = std::max(out.work[l], before.work[l]);
      return;
    }
    const u32 all = left_[i];
    for (u32 e = k + 1 == dimensions_.size() ? all : 1; e <= all; ++e) {
      if (all % e != 0 || !can_make(space_, i, dimensions_[k], ceil_div(size, inside_[i]), e)) continue;
      left_[i] = all / e;
      inside_[i + 1] = inside_[i] * e;
      each(k, i + 1, before, out);
    }
    left_[i] = all;
  }

  const Compiled& c_;
  const Mapspace& space_;
  std::vector<int> dimensions_;
  std::map<std::vector<u32>, Stands> known_;
  std::vector<u32> left_;    // [level]: units for the dimensions that follow
  std::vector<u64> inside_;  // [level]: units of the present dimension inside its fan-out
};

// [units]: the least steps that a number of units along a class of dimensions leaves; kNone: they cannot be.
class ClassSteps {
 public:
  static constexpr u64 kNone = ~u64{0};

  ClassSteps(const Compiled& c, DimensionMask of_class, u64 most_units) : c_(c), steps_(most_units + 1, kNone) {
    for (const int d : bits(of_class))
      for (u32 e = 1; e < 2 * c.size[d] && e <= most_units; ++e)
        if (can_unroll(c.size[d], e)) factors_[d].push_back(e);
    add(of_class, 1, 1);
    least_ = *std::ranges::min_element(steps_);
  }
  u64 operator[](u64 units) const { return units < steps_.size() ? steps_[units] : kNone; }
  u64 least() const { return least_; }  // of any number of units

 private:
  void add(DimensionMask dimensions, u64 units, u64 steps) {
    if (dimensions == 0) {
      steps_[units] = std::min(steps_[units], steps);
      return;
    }
    const int d = *bits(dimensions).begin();
    for (const u64 e : factors_[d]) {
      if (units * e >= steps_.size()) break;
      add(static_cast<DimensionMask>(dimensions & ~dimension_bit(d)), units * e, steps * ceil_div(u64{c_.size[d]}, e));
    }
  }

  const Compiled& c_;
  std::array<std::vector<u32>, kMaxDimensions> factors_;  // [dimension]: what loops over it can make, ascending
  std::vector<u64> steps_;                                // [units]
  u64 least_;
};

bool moves_all(const Compiled& c, DimensionMask dimensions) {
  for (int v = 0; v < c.tensor_count; ++v)
    if ((dimensions & ~c.tensor[v].indexing) != 0 || (dimensions & c.tensor[v].sharing_any) != 0) return false;
  return true;
}

class Unrollings {
 public:
  Unrollings(const Compiled& c, const Mapspace& space, std::size_t most, const std::function<bool(u64)>& can_improve)
      : space_(space), classes_(tensor_classes(c)), most_(most), can_improve_(can_improve) {
    for (const LevelSpace& l : space.levels) units_ *= l.spatial.fanout();
    if (units_ > kMostUnits) return;
    for (const DimensionMask of_class : classes_)
      steps_.emplace_back(c, of_class, units_), stands_.emplace_back(c, space, of_class);
    for (std::size_t k = 0; k < classes_.size(); ++k)
      if (moves_all(c, classes_[k])) free_ = static_cast<u16>(free_ | 1u << k);
  }

  std::vector<ClassUnrolling> run() {
    if (units_ > kMostUnits) return {};
    std::vector<ClassUnrolling> all(1);
    all[0].units.assign(at(space_.level_count()) * classes_.size(), 1);
    all[0].free = free_;
    u64 beyond = units_;  // of the fan-outs that are not looked at yet
    for (int i = 0; i < space_.level_count(); ++i) {
      const SpatialSpace& s = space_.levels[i].spatial;
      if (!s.exists()) continue;
      beyond /= s.fanout();
      std::vector<ClassUnrolling> next;
      const std::vector<ClassUnits> here = of_fanout(s);
      for (const ClassUnrolling& inside : all)
        for (const ClassUnits& units : here) {
          ClassUnrolling u = inside;
          std::ranges::copy(units, u.units.begin() + i * static_cast<int>(classes_.size()));
          u.least_steps = steps(u);
          if (u.least_steps == ClassSteps::kNone || !can_improve_((u.least_steps - 1) / beyond + 1)) continue;
          next.push_back(std::move(u));
          if (next.size() > most_) return {};
        }
      all = std::move(next);
    }
    std::erase_if(all, [&](ClassUnrolling& u) {
      return most_units(u) < space_.least_units || !stands(u) || !can_improve_(u.least_steps);
    });
    std::ranges::stable_sort(all, {}, &ClassUnrolling::least_steps);
    return all;
  }

 private:
  u64 steps(const ClassUnrolling& u) const {
    u64 product = 1;
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      const u64 steps = contains(free_, k) ? steps_[k].least() : steps_[k][of_class(u, k)];
      if (steps == ClassSteps::kNone) return ClassSteps::kNone;
      product *= steps;
    }
    return product;
  }
  // Units that mappings with the unrolling use at most: free classes may fill what the others leave.
  u64 most_units(const ClassUnrolling& u) const {
    u64 most = 1;
    for (std::size_t i = 0; i < space_.levels.size(); ++i) {
      u64 here = 1;
      for (std::size_t k = 0; k < classes_.size(); ++k) here *= u.units[i * classes_.size() + k];
      const u64 all = space_.levels[i].spatial.fanout();
      most *= free_ == 0 ? here : all / here * here;
    }
    return most;
  }
  // Whether the dimensions can make what their classes are to; then with what that leaves at least.
  bool stands(ClassUnrolling& u) {
    u.least_steps = 1;
    u.working.assign(u.units.size(), 1);
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      if (contains(free_, k)) {
        u.least_steps *= u.steps.emplace_back(steps_[k].least());
        continue;
      }
      std::vector<u32> units;
      for (std::size_t i = 0; i < space_.levels.size(); ++i) units.push_back(u.units[i * classes_.size() + k]);
      const ClassStands::Stands& here = stands_[k].of(units);
      if (!here.any()) return false;
      u.least_steps *= u.steps.emplace_back(here.steps);
      for (std::size_t i = 0; i < units.size(); ++i) u.working[i * classes_.size() + k] = here.work[i];
    }
    return true;
  }
  u64 of_class(const ClassUnrolling& u, std::size_t k) const {
    u64 units = 1;
    for (std::size_t i = 0; i < space_.levels.size(); ++i) units *= u.units[i * classes_.size() + k];
    return units;
  }

  // What an axis with this room may make of classes k and later.
  void of_axis(u64 room, DimensionMask allowed, std::size_t k, ClassUnits& now, std::vector<ClassUnits>& out) const {
    if (k == classes_.size()) {
      out.push_back(now);
      return;
    }
    const bool here = (classes_[k] & allowed) != 0 && !contains(free_, k);
    for (u32 e = 1; e <= (here ? room : 1); ++e) {
      if (steps_[k][e] == ClassSteps::kNone) continue;
      now[k] = e;
      of_axis(room / e, allowed, k + 1, now, out);
    }
    now[k] = 1;
  }

  // None if there are too many.
  std::vector<ClassUnits> of_fanout(const SpatialSpace& s) const {
    ClassUnits none(classes_.size(), 1);
    std::vector<ClassUnits> x, y, both;
    of_axis(s.fanout_x, s.allowed_x, 0, none, x);
    of_axis(s.fanout_y, s.allowed_y, 0, none, y);
    if (x.size() * y.size() > kMostPairs) return {};
    for (const ClassUnits& a : x)
      for (const ClassUnits& b : y) {
        both.push_back(a);
        for (std::size_t k = 0; k < a.size(); ++k) both.back()[k] *= b[k];
      }
    std::ranges::sort(both);
    both.erase(std::unique(both.begin(), both.end()), both.end());
    return both;
  }

  const Mapspace& space_;
  const std::vector<DimensionMask> classes_;
  const std::size_t most_;
  const std::function<bool(u64)>& can_improve_;
  u64 units_ = 1;
  std::vector<ClassSteps> steps_;    // [class]
  std::vector<ClassStands> stands_;  // [class]
  u16 free_ = 0;
};

// The ways in which units of one fan-out may stand along the dimensions of a class: as many in all as the unrolling
// says, or, of a free class, as many as the others leave room for.
void stand(const Compiled& c, const Mapspace& space, std::size_t level, DimensionMask dimensions, u64 units, bool free,
           const ClassUnrolling& now, std::vector<ClassUnrolling>& out) {
  const int d = std::countr_zero(dimensions);
  const auto others = static_cast<DimensionMask>(dimensions & (dimensions - 1));
  u64 inside = 1;
  for (std::size_t j = 0; j < level; ++j) inside *= now.along[j][d];
  const u64 tiles = ceil_div(u64{c.size[d]}, inside);
  for (u64 e = others == 0 && !free ? units : 1; e <= units && e < 2 * tiles; ++e) {
    if ((!free && units % e != 0) || !can_make(space, level, d, tiles, e)) continue;
    ClassUnrolling next = now;
    next.along[level][d] = static_cast<u32>(e);
    if (others == 0) out.push_back(std::move(next));
    else stand(c, space, level, others, units / e, free, next, out);
  }
}

}  // namespace

std::vector<ClassUnrolling> unrollings(const Compiled& c, const Mapspace& space, std::size_t most,
                                       const std::function<bool(u64 steps)>& can_improve) {
  return Unrollings(c, space, most, can_improve).run();
}

std::optional<std::vector<ClassUnrolling>> splits(const Compiled& c, const Mapspace& space,
                                                  const ClassUnrolling& unrolling, DimensionMask split,
                                                  std::size_t most) {
  const std::vector<DimensionMask> classes = tensor_classes(c);
  if (classes.empty()) return std::vector{unrolling};
  const std::size_t levels = unrolling.units.size() / classes.size();
  std::vector<ClassUnrolling> all{unrolling};
  all[0].split |= split;
  std::array<u32, kMaxDimensions> none;
  none.fill(1);
  all[0].along.resize(levels, none);
  for (std::size_t k = 0; k < classes.size(); ++k)
    for (std::size_t i = 0; i < levels && (classes[k] & split) != 0; ++i) {
      std::vector<ClassUnrolling> next;
      const bool free = contains(unrolling.free, k);
      for (const ClassUnrolling& before : all) {
        u64 units = before.units[i * classes.size() + k];
        if (free) {
          const SpatialSpace& s = space.levels[i].spatial;
          units = s.fanout();
          for (std::size_t j = 0; j < classes.size(); ++j)
            if (j != k) units /= before.units[i * classes.size() + j];
        }
        stand(c, space, i, classes[k], units, free, before, next);
        if (next.size() > most) return std::nullopt;
      }
      all = std::move(next);
      if (!free) continue;
      for (ClassUnrolling& u : all)
        for (const int d : bits(classes[k])) u.units[i * classes.size() + k] *= u.along[i][d];
    }
  for (ClassUnrolling& u : all) {
    u.least_steps = 1;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      if ((classes[k] & split) != 0) {
        set_exactly(c, classes, k, u);
        u.free = static_cast<u16>(u.free & ~(1u << k));
      }
      u.least_steps *= u.steps[k];
    }
  }
  return all;
}

void set_exactly(const Compiled& c, std::span<const DimensionMask> classes, std::size_t k, ClassUnrolling& u) {
  u.steps[k] = 1;
  for (std::size_t i = 0; i < u.along.size(); ++i) u.working[i * classes.size() + k] = 1;
  for (const int d : bits(classes[k])) {
    u64 all = 1, inside = 1;
    for (const auto& level : u.along) all *= level[d];
    u.steps[k] *= ceil_div(u64{c.size[d]}, all);
    for (std::size_t i = 0; i < u.along.size(); ++i) {
      inside *= u.along[i][d];
      u.working[i * classes.size() + k] *= working_outside(c.size[d], inside, all);
    }
  }
}

}  // namespace heliolite
