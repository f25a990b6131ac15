#include "engine/search/exact/fanout.h"

#include <algorithm>
#include <unordered_set>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// A list that grows holds its elements twice for a moment.
u64 bytes_of_choices(std::size_t count) { return 2 * count * sizeof(SpatialChoice); }

// Adds the spreads of a choice unless others are nowhere above them; drops those that are nowhere below them.
void join(const std::array<double, kMaxTensors>& spreads, std::vector<std::array<double, kMaxTensors>>& known) {
  const auto nowhere_above = [](const auto& a, const auto& b) { return std::ranges::equal(a, b, std::less_equal{}); };
  if (std::ranges::any_of(known, [&](const auto& other) { return nowhere_above(other, spreads); })) return;
  std::erase_if(known, [&](const auto& other) { return nowhere_above(spreads, other); });
  known.push_back(spreads);
}

// The extremes over all choices of a fan-out. What is left in a cell is at most its last point, which is divided by all
// choices of the cell and of those with divisors of it.
void summarize(const Compiled& c, const LatticeGrid& grid, FanoutChoices& out) {
  for (int v = 0; v < c.tensor_count; ++v) out.least_spread[at(v)].assign(grid.cells(), 1);
  for (const SpatialChoice& s : out.choices) {
    std::array<double, kMaxTensors> spreads{};
    for (int v = 0; v < c.tensor_count; ++v) {
      const auto t = at(v);
      spreads[t] = contains(s.linked, v) ? least_linked_spread(c.tensor[v], s) : least_spread(c.tensor[v], s);
      double& least = out.least_spread[t][grid.cell(s.factor.index)];
      least = std::min(least, spreads[t]);
      out.most_receivers[t] = std::max(out.most_receivers[t], c.tensor[v].entangled ? s.instances : s.spread[t]);
    }
    join(spreads, out.joint_spreads);
    out.most_reducing = std::max(out.most_reducing, s.reducing);
  }
  for (int v = 0; v < c.tensor_count; ++v) grid.min_over_divisors(out.least_spread[at(v)]);
  out.most_instances.assign(grid.cells(), 1);
  for (const SpatialChoice& s : out.choices) {
    double& most = out.most_instances[grid.cell(s.factor.index)];
    most = std::max(most, s.instances);
  }
  grid.max_over_divisors(out.most_instances);
}

// Each fan-out's most instances become those of it and all outside it, over which it divides what is left between them.
void join_instances(const Lattice& lattice, std::vector<FanoutChoices>& fanouts) {
  constexpr u64 kMost = 10'000'000;  // choices times cells; of more than that each fan-out counts for itself
  const LatticeGrid& grid = lattice.grid();
  const FanoutChoices* outside = nullptr;
  for (std::size_t i = fanouts.size(); i-- > 0;) {
    FanoutChoices& fanout = fanouts[i];
    if (!fanout.exists) continue;
    if (outside != nullptr) {
      const bool together = fanout.choices.size() * grid.cells() <= kMost;
      grid.visit([&](u64 cell, const LatticePoint&, const LatticePoint& left) {
        double& most = fanout.most_instances[cell];
        if (!together) most *= outside->most_instances[cell];
        else most = 1;
        for (std::size_t k = 0; together && k < fanout.choices.size(); ++k) {
          const SpatialChoice& choice = fanout.choices[k];
          if (!lattice.divides(choice.factor.packed, left.packed)) continue;
          most =
              std::max(most, choice.instances * outside->most_instances[grid.cell(left.index - choice.factor.index)]);
        }
      });
    }
    outside = &fanout;
  }
}

class FanoutMaker {
 public:
  FanoutMaker(const LayerProblem& problem, const Lattice& lattice, u64 most_bytes)
      : problem_(problem), c_(problem.model.compiled()), lattice_(lattice), left_(most_bytes) {}

  bool too_large() const { return too_large_; }

  FanoutChoices run(int i) {
    FanoutChoices out = list(i);
    const u64 used = bytes({&out, 1});
    too_large_ |= used > left_;
    left_ -= std::min(used, left_);
    return out;
  }

 private:
  FanoutChoices list(int i) {
    FanoutChoices out;
    const SpatialSpace& space = problem_.space.levels[at(i)].spatial;
    out.exists = c_.level[i].fanout() > 1;
    out.most_receivers.fill(1);
    if (!out.exists) return out;
    out.hops = c_.level[i].hops_cost || c_.level[i].routers_cost;
    list_axis(space, space.allowed_x, space.fanout_x);
    const std::vector<LatticePoint> along_x = std::move(axis_);
    axis_.clear();
    list_axis(space, space.allowed_y, space.fanout_y);
    const bool places = out.hops || c_.level[i].linked != 0;  // it matters which unit is where
    std::unordered_set<u64> known;
    for (const LatticePoint& x : along_x)
      for (const LatticePoint& y : axis_) {
        if (!lattice_.divides(y.packed, lattice_.full().packed - x.packed)) continue;
        if (!places && known.contains(x.index + y.index)) continue;
        const LatticePoint both = Lattice::product(x, y);
        if (!allowed(space, x, y, both) || !in_subset(i, x, y)) continue;
        if (!places) known.insert(both.index);
        too_large_ |= bytes_of_choices(out.choices.size() + 1) > left_;
        if (too_large_) return out;
        out.choices.push_back(make_spatial_choice(problem_, i, both, x.extent, y.extent));
      }
    std::stable_sort(out.choices.begin(), out.choices.end(),
                     [](const SpatialChoice& a, const SpatialChoice& b) { return a.instances > b.instances; });
    summarize(c_, lattice_.grid(), out);
    return out;
  }

  // Points that fit one axis.
  void list_axis(const SpatialSpace& space, DimensionMask allowed, u64 fanout) {
    axis_.clear();
    extend_axis(space, LatticePoint(), 0, allowed, fanout);
  }
  void extend_axis(const SpatialSpace& space, const LatticePoint& point, std::size_t first, DimensionMask allowed,
                   u64 room) {
    axis_.push_back(point);
    const auto axes = lattice_.axes();
    for (std::size_t a = first; a < axes.size(); ++a) {
      const LatticeAxis& axis = axes[a];
      if (!contains(allowed, axis.dimension) || axis.prime > room) continue;
      LatticePoint next = point;
      next.index += axis.stride;
      next.packed += axis.step;
      next.extent[axis.dimension] *= axis.prime;
      if (!lattice_.divides(next.packed, lattice_.full().packed)) continue;
      if (next.extent[axis.dimension] > space.factor[axis.dimension].max) continue;
      extend_axis(space, next, a, allowed, room / axis.prime);
    }
  }

  bool allowed(const SpatialSpace& space, const LatticePoint& x, const LatticePoint& y,
               const LatticePoint& both) const {
    for (int d = 0; d < c_.dimension_count; ++d) {
      if (problem_.space.one_axis_per_dimension && x.extent[d] > 1 && y.extent[d] > 1) return false;
      if (!space.factor[at(d)].allows(both.extent[d])) return false;
    }
    return true;
  }

  bool in_subset(int level, const LatticePoint& x, const LatticePoint& y) const {
    const UnrollingSubset* const subset = problem_.unrollings.get();
    return subset == nullptr || subset->level != level || subset->has(x.extent, y.extent);
  }

  const LayerProblem& problem_;
  const Compiled& c_;
  const Lattice& lattice_;
  u64 left_;  // bytes
  bool too_large_ = false;
  std::vector<LatticePoint> axis_;
};

}  // namespace

std::vector<FanoutChoices> make_fanout_choices(const LayerProblem& problem, const Lattice& lattice, u64 most_bytes) {
  FanoutMaker maker(problem, lattice, most_bytes);
  std::vector<FanoutChoices> out;
  for (int i = 0; i < problem.model.compiled().level_count && !maker.too_large(); ++i) out.push_back(maker.run(i));
  if (maker.too_large()) out.clear();
  join_instances(lattice, out);
  return out;
}

std::vector<FanoutChoices> with_choices(const Compiled& c, const Lattice& lattice, std::span<const FanoutChoices> all,
                                        std::span<const std::vector<u32>> kept) {
  std::vector<FanoutChoices> out(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    out[i].exists = all[i].exists;
    out[i].hops = all[i].hops;
    out[i].most_receivers.fill(1);
    if (!all[i].exists) continue;
    for (const u32 k : kept[i]) out[i].choices.push_back(all[i].choices[k]);
    summarize(c, lattice.grid(), out[i]);
  }
  join_instances(lattice, out);
  return out;
}

u64 bytes(std::span<const FanoutChoices> fanouts) {
  u64 sum = 0;
  for (const FanoutChoices& fanout : fanouts) {
    sum += bytes_of_choices(fanout.choices.size()) + fanout.most_instances.size() * sizeof(double);
    for (const std::vector<double>& spread : fanout.least_spread) sum += spread.size() * sizeof(double);
  }
  return sum;
}

}  // namespace heliolite
