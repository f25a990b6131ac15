#include "engine/search/imperfect/imperfect_bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"
#include "engine/search/imperfect/imperfect_boundary.h"

namespace heliolite {
namespace {

constexpr double kBoundRounding = 1 - 1e-9;  // sums and averages of doubles, here and in the cost model

// Words of the tensor over one dimension of each rank, the largest: every other dimension may stay where it is.
double covered_words(const CompiledTensor& t, const Compiled& c) {
  if (t.entangled) return 1;
  std::array<u64, kMaxRanks> most;
  most.fill(1);
  for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& term = t.by_dimension[k];
    most[term.rank] = std::max<u64>(most[term.rank], c.size[term.dimension]);
  }
  double words = 1;
  for (int r = 0; r < t.rank_count; ++r) words *= static_cast<double>(most[r]);
  return words;
}

// What a tensor moves at least at a level that must keep it, all instances together.
struct LeastWords {
  int tensor = 0;
  bool is_output = false;
  double covered = 0;       // every word comes by once
  double for_macs = 0;      // what the MACs ask for, where nothing inside keeps the tensor
  double fills = 0;         // never hidden
  double first_writes = 0;  // reads of an output that are elided at most
};

// A level as the bound sees it.
struct LevelBound {
  double outside = 1, inside = 1;  // product of the fan-outs outside the level; of its own and those inside it
  std::vector<LeastWords> tensor;  // those that it must keep
};

class Bound {
 public:
  Bound(const CostModel& model, const Mapspace& space, const KeepRange& keep, const std::function<bool()>& is_over)
      : model_(model), c_(model.compiled()), steps_(static_cast<double>(least_imperfect_steps(c_, space))) {
    double units = 1;
    for (int i = 0; i < c_.level_count; ++i) {
      units *= static_cast<double>(c_.level[i].fanout());
      level_[i].inside = units;
    }
    units_ = units;
    TensorMask inside = 0;
    for (int i = 0; i < c_.level_count; ++i) {
      level_[i].outside = units / level_[i].inside;
      for (int v = 0; v < c_.tensor_count; ++v)
        if (contains(keep.must[i], v)) level_[i].tensor.push_back(least_words(i, v, !contains(inside, v), keep));
      inside |= keep.may[i];
    }
    refetch_ = least_refetch_units(model, space, keep, is_over);
    for (int i = 0; i < c_.level_count; ++i)
      if (level_[i].outside == 1) steps_ = std::max(steps_, bandwidth_cycles(i));
  }

  // Over all numbers u of units that can be at work on average. Between two of the grid, energy is taken at the lower
  // and cycles at the upper one.
  double value(Objective objective) const {
    if (info(objective).energy_power == 0) return steps_;
    constexpr double kGrid = 1.002;
    double least = std::numeric_limits<double>::infinity();
    for (double from = 1; from <= units_; from *= kGrid) {
      const double to = std::min(from * kGrid, units_);
      const double cycles = std::max(steps_, static_cast<double>(c_.macs) / to);
      least = std::min(least, objective_number(objective, energy(from), cycles));
    }
    return least * kBoundRounding;
  }

 private:
  LeastWords least_words(int i, int v, bool serves_macs, const KeepRange& keep) const {
    const CompiledTensor& t = c_.tensor[v];
    const LevelBound& level = level_[i];
    const bool outermost = i + 1 == c_.level_count;
    const double touched = static_cast<double>(touched_words(t, c_)), covered = covered_words(t, c_);
    // Nothing is unrolled between this level and one that keeps the tensor: what goes in is what goes out.
    const bool passes = level.outside == 1 && i > 0 && c_.level[i].fanout() == 1 && contains(keep.must[i - 1], v);
    LeastWords n;
    n.tensor = v;
    n.is_output = t.is_output;
    n.covered = passes ? touched : covered;
    if (serves_macs) n.for_macs = static_cast<double>(c_.macs) / level.inside;
    if (t.is_output) n.first_writes = static_cast<double>(t.words) * level.outside;
    else if (!outermost && level.outside == 1) n.fills = touched;
    return n;
  }

  // Of the instances in use the cost model counts whole ones; the last context may hide work (docs).
  static double counted(double units) { return units >= 2 ? (units - 1) / units : 0.5; }

  // Of what is moved, the share that counts show at least with `units` at work: last contexts may hide the rest.
  double shown(double units) const {
    return units_ == 1 ? 1 : std::max(units / units_, std::pow(units_, std::log2(0.75)));
  }

  // pJ at least with `units` compute units at work on average.
  double energy(double units) const {
    const double macs = static_cast<double>(c_.macs) * shown(units);
    double sum = (units_ == 1 ? macs : std::max(0.0, macs * counted(units) - 1)) * static_cast<double>(c_.op_units);
    sum += refetch_;
    for (int i = 0; i < c_.level_count; ++i)
      for (const LeastWords& n : level_[i].tensor) sum += level_energy(i, n, units);
    return Energy{1}.picojoules() * sum;
  }

  // Reads of an input, updates of an output, all instances together.
  double accesses(int i, const LeastWords& n, double units) const {
    const LevelBound& level = level_[i];
    if (level.outside == 1) return std::max(n.covered, n.for_macs * shown(units));
    return std::max(n.covered, n.for_macs) * shown(units) * counted(units / level.inside);
  }

  double level_energy(int i, const LeastWords& n, double units) const {
    const CompiledLevel& level = c_.level[i];
    const double rounding = units_ == 1 ? 0 : 0.5 * level_[i].outside;
    const double words = std::max(0.0, accesses(i, n, units) - rounding);
    const double reads = n.is_output ? std::max(0.0, words - rounding - n.first_writes) : words;
    const double energy = least_access_units(level, n.tensor, {reads, n.fills, n.is_output ? words : 0});
    const auto instances = static_cast<double>(model_.architecture().levels[at(i)].instances);
    const double shared = std::min(1.0, static_cast<double>(level.clusters) / instances);
    return energy * shared;
  }

  // Of a level with one instance.
  double bandwidth_cycles(int i) const {
    const CompiledLevel& level = c_.level[i];
    double reads = 0, writes = 0;  // parts of words
    double hidden = 0;             // a word of each tensor
    for (int v = 0; v < c_.tensor_count; ++v) hidden += static_cast<double>(level.taken(v, 1));
    for (const LeastWords& n : level_[i].tensor) {
      const double words = accesses(i, n, 1), size = static_cast<double>(level.taken(n.tensor, 1));
      reads += (n.is_output ? std::max(0.0, words - n.first_writes) : words) * size;
      writes += (n.fills + (n.is_output ? words : 0)) * size;
    }
    if (units_ > 1) reads = std::max(0.0, reads - hidden), writes = std::max(0.0, writes - hidden);
    return std::floor(port_cycles(level, reads, writes) * kBoundRounding);
  }

  const CostModel& model_;
  const Compiled& c_;
  double steps_, units_ = 1;
  double refetch_ = 0;  // energy units between the two outermost levels
  std::array<LevelBound, kMaxLevels> level_;
};

// Branch and bound over the axes of all fan-outs and the dimensions allowed there.
class LeastSteps {
 public:
  LeastSteps(const Compiled& c, const Mapspace& space) : c_(c), one_axis_(space.one_axis_per_dimension) {
    for (int i = 0; i < space.level_count(); ++i) {
      const SpatialSpace& s = space.levels[at(i)].spatial;
      add_axis(i, s.fanout_x, s.allowed_x & space.non_unit);
      add_axis(i, s.fanout_y, s.allowed_y & space.non_unit);
    }
    for (std::size_t a = axes_.size(); a-- > 0;) {
      axes_[a].beyond = units_;
      units_ *= static_cast<double>(axes_[a].fanout);
    }
    left_ = c.size;
    unrolled_at_.fill(-1);
  }

  // 0: too many unrollings.
  u64 run() {
    next_axis(0);
    return nodes_ > kMostNodes ? 0 : static_cast<u64>(best_ * kBoundRounding);
  }

  // MACs over all units.
  u64 plain() const { return static_cast<u64>(std::ceil(static_cast<double>(c_.macs) / units_ * kBoundRounding)); }

 private:
  static constexpr u64 kMostNodes = 1'000'000;

  struct Axis {
    int level;
    u64 fanout;
    DimensionMask allowed;
    double beyond = 1;  // product of the fan-outs of later axes
  };

  void add_axis(int level, u64 fanout, DimensionMask allowed) {
    if (fanout > 1 && allowed != 0) axes_.push_back({level, fanout, allowed});
  }

  double steps() const {
    double product = 1;
    for (int d = 0; d < c_.dimension_count; ++d) product *= static_cast<double>(left_[d]);
    return product;
  }

  void next_axis(std::size_t a) {
    if (a == axes_.size()) best_ = std::min(best_, steps());
    else search(a, 0, axes_[a].fanout);
  }

  // Dimensions d and later on axis a, where there is `room` left.
  void search(std::size_t a, int d, u64 room) {
    if (++nodes_ > kMostNodes) return;
    const Axis& axis = axes_[a];
    if (steps() / static_cast<double>(room) / axis.beyond >= best_)
      return;  // a factor f divides the steps by f at most
    if (d == c_.dimension_count || room == 1) return next_axis(a + 1);
    if (!contains(axis.allowed, d) || (one_axis_ && unrolled_at_[d] == axis.level)) return search(a, d + 1, room);
    const u32 left = left_[d];
    const int before = unrolled_at_[d];
    for (u64 f = std::min<u64>(room, left); f >= 1; --f) {
      const u64 rest = (left + f - 1) / f;
      f = (left + rest - 1) / rest;  // the least factor with as few steps leaves the most room
      left_[d] = static_cast<u32>(rest);
      if (f > 1) unrolled_at_[d] = axis.level;
      search(a, d + 1, room / f);
      unrolled_at_[d] = before;
    }
    left_[d] = left;
  }

  const Compiled& c_;
  bool one_axis_;
  std::vector<Axis> axes_;
  std::array<u32, kMaxDimensions> left_{};  // of each dimension: steps that remain
  std::array<int, kMaxDimensions> unrolled_at_{};
  double units_ = 1, best_ = std::numeric_limits<double>::infinity();
  u64 nodes_ = 0;
};

}  // namespace

u64 least_imperfect_steps(const Compiled& c, const Mapspace& space) {
  LeastSteps search(c, space);
  return std::max(search.plain(), search.run());
}

double imperfect_lower_bound(const CostModel& model, const Mapspace& space, const KeepRange& keep, Objective objective,
                             const std::function<bool()>& is_over) {
  return Bound(model, space, keep, is_over).value(objective);
}

}  // namespace heliolite
