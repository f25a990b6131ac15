#include "engine/search/exact/fanout.h"

#include <algorithm>
#include <unordered_set>

#include "engine/base/integers.h"
#include "engine/model/multicast.h"
#include "engine/model/nest.h"
#include "engine/model/temporal_traffic.h"
#include "engine/space/footprint.h"

namespace heliolite {

namespace {

// Whether some of the dimensions are unrolled.
bool unrolls(const Extents& factor, DimensionMask dimensions) {
  for (const int d : bits(dimensions))
    if (factor[d] > 1) return true;
  return false;
}

// Whether receivers may overlap: two dimensions of one rank are unrolled.
bool receivers_overlap(const CompiledTensor& t, const Extents& factor) {
  if (!t.sliding && !t.entangled) return false;
  if (t.entangled) return true;
  for (int r = 0; r < t.rank_count; ++r) {
    int unrolled = 0;
    for (const int d : bits(t.sharing[r]))
      if (factor[d] > 1) ++unrolled;
    if (unrolled > 1) return true;
  }
  return false;
}

// Sets the hops of the tensors whose hops do not depend on the tile.
void add_hops(const LayerProblem& problem, int level, SpatialChoice& s) {
  const Extents unit = unit_extents();
  for (int v = 0; v < problem.model.compiled().tensor_count; ++v)
    if (!contains(s.slides, v)) s.hop_units[v] = hop_units(problem, level, s, v, unit);
}

// The unrolling by `factor` over the fan-out below `level`, of which `x` and `y` (by dimension) lie along its axes.
SpatialChoice make_spatial_choice(const LayerProblem& problem, int level, const LatticePoint& factor, const Extents& x,
                                  const Extents& y) {
  const Compiled& c = problem.model.compiled();
  SpatialChoice out;
  out.factor = factor;
  out.x = x;
  out.y = y;
  out.spread.fill(1);
  for (int d = 0; d < c.dimension_count; ++d) {
    out.instances *= factor.extent[d];
    for (int v = 0; v < c.tensor_count; ++v)
      if (contains(c.tensor[v].indexing, d)) out.spread[v] *= factor.extent[d];
  }
  for (int v = 0; v < c.tensor_count; ++v)
    if (receivers_overlap(c.tensor[v], factor.extent)) out.slides |= static_cast<TensorMask>(1u << v);
  for (const int v : bits(c.level[level].peers))
    if (level == 0 ? out.instances > 1 : unrolls(factor.extent, c.tensor[v].sharing_any))
      out.peers |= static_cast<TensorMask>(1u << v);
  out.slides |= out.peers;
  for (int v = 0; v < c.tensor_count; ++v) {
    const CompiledTensor& t = c.tensor[v];
    if (t.is_output) out.reducing = t.term_count != 0 || t.entangled ? out.instances : out.instances / out.spread[v];
  }
  if (c.level[level].hops_cost) add_hops(problem, level, out);
  return out;
}

}  // namespace

double least_spread(const CompiledTensor& t, const SpatialChoice& s) {
  double receivers = 1;
  if (t.entangled) {
    for (const int d : bits(t.indexing)) receivers = std::max<double>(receivers, s.factor.extent[d]);
    return receivers / s.instances;
  }
  for (int r = 0; r < t.rank_count; ++r) {
    double most = 1;
    for (int k = 0; k < t.first_of[kMaxDimensions]; ++k)
      if (t.by_dimension[k].rank == r) most = std::max<double>(most, s.factor.extent[t.by_dimension[k].dimension]);
    receivers *= most;
  }
  return receivers / s.instances;
}

namespace {

// That least ratio with words from peers. Where receivers stand in a row along a move, some have nobody before
// them: at least one for each place across it, so that one rank at most counts as one receiver.
double least_peer_spread(const CompiledTensor& t, const SpatialChoice& s) {
  if (t.entangled) return 1 / s.instances;
  double longest = 1;
  for (int r = 0; r < t.rank_count; ++r)
    for (const int d : bits(t.sharing[r])) longest = std::max<double>(longest, s.factor.extent[d]);
  return least_spread(t, s) / longest;
}

}  // namespace

double hop_units(const LayerProblem& problem, int level, const SpatialChoice& choice, int v, const Extents& tile) {
  const Compiled& c = problem.model.compiled();
  // Tiles do not say which words these are, or that they are paid.
  if (!carries_tiles(c, level, v) || !all_words_cross(c, level, v)) return 0;
  Mapping mapping;
  mapping.level_count = static_cast<u8>(c.level_count);
  for (int d = 0; d < c.dimension_count; ++d)
    if (tile[d] > 1) mapping.add(LoopKind::Temporal, 0, d, tile[d]);
  for (LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY})
    for (u8 d : canonical_order(problem.space, problem.space.levels[level].spatial.order))
      mapping.add(axis, level, d, (axis == LoopKind::SpatialX ? choice.x : choice.y)[d]);
  const Nest nest(c, mapping);
  thread_local std::vector<ReceiverGroups> groups;
  receiver_groups(c.tensor[v], nest, level, c.level[level], groups);
  u64 half_hops = 0;
  for (const ReceiverGroups& g : groups) half_hops += g.half_hops;
  return 0.5 * static_cast<double>(half_hops) * static_cast<double>(c.level[level].units[v].hop) *
         static_cast<double>(c.pass.passes);
}

double distinct_receivers(const CompiledTensor& t, const SpatialChoice& choice, const Extents& tile) {
  // The loops over X and Y of a dimension are one loop whose step is the tile.
  if (!t.entangled) {
    double n = 1;
    bool closed = true;
    for (int r = 0; r < t.rank_count && closed; ++r) {
      std::array<u64, 2> step{1, 1}, ends{1, 1};
      int count = 0;
      for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
        const CompiledTerm& term = t.by_dimension[k];
        if (term.rank != r || choice.factor.extent[term.dimension] == 1) continue;
        if (count == 2) {
          closed = false;
          break;
        }
        step[count] = static_cast<u64>(term.coefficient) * tile[term.dimension];
        ends[count++] = choice.factor.extent[term.dimension];
      }
      n *= static_cast<double>(count < 2 ? ends[0] : distinct_sums(step[0], ends[0], step[1], ends[1]));
    }
    if (closed) return n;
  }
  // By listing the offsets.
  std::vector<std::array<i64, kMaxRanks>> offsets{{}};
  for (int d = 0; d < kMaxDimensions; ++d) {
    if (!contains(t.indexing, d) || choice.factor.extent[d] == 1) continue;
    const NestLoop loop{choice.factor.extent[d], tile[d], static_cast<u8>(d)};
    detail::TileMove move;
    move.add(t, loop);
    const std::size_t before = offsets.size();
    for (u64 e = 1; e < loop.end; ++e)
      for (std::size_t k = 0; k < before; ++k) {
        std::array<i64, kMaxRanks> point = offsets[k];
        for (int r = 0; r < t.rank_count; ++r) point[r] += static_cast<i64>(e) * move.by[r];
        offsets.push_back(point);
      }
  }
  std::sort(offsets.begin(), offsets.end());
  return static_cast<double>(std::unique(offsets.begin(), offsets.end()) - offsets.begin());
}
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
  for (int v = 0; v < c.tensor_count; ++v) out.least_spread[v].assign(grid.cells(), 1);
  for (const SpatialChoice& s : out.choices) {
    std::array<double, kMaxTensors> spreads{};
    for (int v = 0; v < c.tensor_count; ++v) {
      const auto t = at(v);
      spreads[t] = contains(s.peers, v) ? least_peer_spread(c.tensor[v], s) : least_spread(c.tensor[v], s);
      double& least = out.least_spread[t][grid.cell(s.factor.index)];
      least = std::min(least, spreads[t]);
      out.most_receivers[t] = std::max(out.most_receivers[t], c.tensor[v].entangled ? s.instances : s.spread[t]);
    }
    join(spreads, out.joint_spreads);
    out.most_reducing = std::max(out.most_reducing, s.reducing);
  }
  for (int v = 0; v < c.tensor_count; ++v) grid.min_over_divisors(out.least_spread[v]);
  out.most_instances.assign(grid.cells(), 1);
  for (const SpatialChoice& s : out.choices) {
    double& most = out.most_instances[grid.cell(s.factor.index)];
    most = std::max(most, s.instances);
  }
  grid.max_over_divisors(out.most_instances);
}

// Each fan-out's most instances become those of it and all outside it, over which it divides what is left between them.
// Choices with most instances come first, and the outside does not have more the less is left to it: what follows a
// choice that is too few even with all of it is not looked at.
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
        const double most_outside = outside->most_instances[cell];
        if (!together) most *= most_outside;
        else most = 1;
        for (std::size_t k = 0; together && k < fanout.choices.size(); ++k) {
          const SpatialChoice& choice = fanout.choices[k];
          if (choice.instances * most_outside <= most) break;
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
    const SpatialSpace& space = problem_.space.levels[i].spatial;
    out.exists = c_.level[i].fanout() > 1;
    out.most_receivers.fill(1);
    if (!out.exists) return out;
    out.hops = c_.level[i].hops_cost || c_.level[i].routers_cost;
    list_axis(space, space.allowed_x, space.fanout_x);
    const std::vector<LatticePoint> along_x = std::move(axis_);
    axis_.clear();
    list_axis(space, space.allowed_y, space.fanout_y);
    const bool places = out.hops || c_.level[i].peers != 0;  // it matters which unit is where
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
      if (!space.factor[d].allows(both.extent[d])) return false;
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
