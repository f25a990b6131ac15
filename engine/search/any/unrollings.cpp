#include "engine/search/any/unrollings.h"

#include <algorithm>

namespace heliolite {

std::vector<DimensionMask> tensor_classes(const Compiled& c) {
  std::vector<TensorMask> of;
  std::vector<DimensionMask> out;
  for (int d = 0; d < c.dimension_count; ++d) {
    if (c.size[at(d)] == 1) continue;
    TensorMask tensors = 0;
    for (int v = 0; v < c.tensor_count; ++v)
      if (contains(c.tensor[at(v)].indexing, d)) tensors = static_cast<TensorMask>(tensors | 1u << v);
    const auto known = std::ranges::find(of, tensors);
    if (known != of.end()) out[at(known - of.begin())] |= dimension_bit(d);
    else of.push_back(tensors), out.push_back(dimension_bit(d));
  }
  return out;
}

namespace {

using ClassUnits = std::vector<u32>;           // [class]
constexpr std::size_t kMostPairs = 1'000'000;  // of what X and Y of a fan-out may be
constexpr u64 kMostUnits = 100'000;            // of all fan-outs together

// [units]: the least steps that so many units along a class of dimensions leave; kNone: they cannot be.
class ClassSteps {
 public:
  static constexpr u64 kNone = ~u64{0};

  ClassSteps(const Compiled& c, DimensionMask of_class, u64 most_units) : c_(c), steps_(most_units + 1, kNone) {
    add(of_class, 1, 1);
  }
  u64 operator[](u64 units) const { return units < steps_.size() ? steps_[units] : kNone; }

 private:
  void add(DimensionMask dimensions, u64 units, u64 steps) {
    if (dimensions == 0) {
      steps_[units] = std::min(steps_[units], steps);
      return;
    }
    const int d = *bits(dimensions).begin();
    // Several loops may have up to twice as many units as there are iterations.
    for (u64 e = 1; e < u64{2} * c_.size[at(d)] && units * e < steps_.size(); ++e)
      add(static_cast<DimensionMask>(dimensions & ~dimension_bit(d)), units * e,
          steps * ((c_.size[at(d)] - 1) / e + 1));
  }

  const Compiled& c_;
  std::vector<u64> steps_;
};

class Unrollings {
 public:
  Unrollings(const Compiled& c, const Mapspace& space, std::size_t most, const std::function<bool(u64)>& worth)
      : space_(space), classes_(tensor_classes(c)), most_(most), worth_(worth) {
    for (const LevelSpace& l : space.levels) units_ *= l.spatial.fanout_x * l.spatial.fanout_y;
    if (units_ > kMostUnits) return;
    for (const DimensionMask of_class : classes_) steps_.emplace_back(c, of_class, units_);
  }

  std::vector<ClassUnrolling> run() {
    if (units_ > kMostUnits) return {};
    std::vector<ClassUnrolling> all(1);
    all[0].units.assign(at(space_.level_count()) * classes_.size(), 1);
    u64 beyond = units_;  // of the fan-outs that are not looked at yet
    for (int i = 0; i < space_.level_count(); ++i) {
      const SpatialSpace& s = space_.levels[at(i)].spatial;
      if (!s.exists()) continue;
      beyond /= s.fanout_x * s.fanout_y;
      std::vector<ClassUnrolling> next;
      const std::vector<ClassUnits> here = of_fanout(s);
      for (const ClassUnrolling& inside : all)
        for (const ClassUnits& units : here) {
          ClassUnrolling u = inside;
          std::ranges::copy(units, u.units.begin() + i * static_cast<int>(classes_.size()));
          u.least_steps = steps(u);
          if (u.least_steps == ClassSteps::kNone || !worth_((u.least_steps - 1) / beyond + 1)) continue;
          next.push_back(std::move(u));
          if (next.size() > most_) return {};
        }
      all = std::move(next);
    }
    std::ranges::stable_sort(all, {}, &ClassUnrolling::least_steps);
    return all;
  }

 private:
  u64 steps(const ClassUnrolling& u) const {
    u64 product = 1;
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      u64 units = 1;
      for (std::size_t i = 0; i < space_.levels.size(); ++i) units *= u.units[i * classes_.size() + k];
      if (steps_[k][units] == ClassSteps::kNone) return ClassSteps::kNone;
      product *= steps_[k][units];
    }
    return product;
  }

  // What an axis of so much room may make of classes k and later.
  void of_axis(u64 room, DimensionMask allowed, std::size_t k, ClassUnits& now, std::vector<ClassUnits>& out) const {
    if (k == classes_.size()) {
      out.push_back(now);
      return;
    }
    const bool here = (classes_[k] & allowed) != 0;
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
  const std::function<bool(u64)>& worth_;
  u64 units_ = 1;
  std::vector<ClassSteps> steps_;  // [class]
};

}  // namespace

std::vector<ClassUnrolling> unrollings(const Compiled& c, const Mapspace& space, std::size_t most,
                                       const std::function<bool(u64 steps)>& worth) {
  return Unrollings(c, space, most, worth).run();
}

}  // namespace heliolite
