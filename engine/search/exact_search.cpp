#include "engine/search/exact_search.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heliolite {
namespace {

// Sums of doubles are not exact; bounds this close to the incumbent count as equal to it.
constexpr double kEqual = 1 - 1e-12;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

ExactIncumbent::Key ExactIncumbent::key_of(const CostBound& bound) const {
  const double cycles = std::max(1.0, std::ceil(bound.cycles * (1 - 1e-9)));
  switch (objective) {
    case Objective::Energy: return {bound.energy, 0};
    case Objective::Delay: return {cycles, bound.energy};
    case Objective::Edp: return {bound.energy * cycles, 0};
    case Objective::Ed2p: return {bound.energy * cycles * cycles, 0};
  }
  return {};
}

bool ExactIncumbent::cuts(const Key& bound) const {
  if (objective != Objective::Delay) return bound.first >= best.first * kEqual;
  return bound.first > best.first || (bound.first == best.first && bound.second >= best.second * kEqual);
}

void ExactIncumbent::offer(const Mapping& mapping, const Cost& cost) {
  if (!answer.offer(objective, mapping, cost)) return;
  const double energy = static_cast<double>(cost.energy.units), cycles = static_cast<double>(cost.cycles);
  switch (objective) {
    case Objective::Energy: best = {energy, 0}; break;
    case Objective::Delay: best = {cycles, energy}; break;
    case Objective::Edp: best = {energy * cycles, 0}; break;
    case Objective::Ed2p: best = {energy * cycles * cycles, 0}; break;
  }
}

// Extends the states of one layer by one level.
struct ExactSearch::Worker {
  const LayerProblem& problem;
  const ExactModel& m;
  const ExactBounds& bounds;
  const std::vector<ExactLayer>& layers;  // [i]: after level i - 1
  ExactIncumbent& incumbent;
  int level;
  ExactLayer& out;
  SearchStatistics& statistics;
  ExactSteps steps{m};
  u32 parent = 0;
  u32 choice = 0;

  const LevelSpace& space() const { return problem.space.levels[at(level)]; }
  bool top() const { return level + 1 == m.levels(); }

  bool cut(const CostBound& bound) { return incumbent.cuts(incumbent.key_of(bound)); }

  void extend(std::size_t k) {
    parent = static_cast<u32>(k);
    choice = 0;
    ExactState s;
    layers[at(level)].get(k, s);
    const ExactFanout& fanout = m.fanout[at(level)];
    if (!fanout.exists) return grow(s);
    const u128 left = m.lattice.full().packed - s.tile.packed;
    ExactBounds::Inside before;
    if (level > 0) before = bounds.inside(s, level - 1, false);
    for (u32 c = 0; c < fanout.choices.size(); ++c) {
      const SpatialChoice& spatial = fanout.choices[c];
      if (!m.lattice.divides(spatial.factor.packed, left)) continue;
      const u32 tile = s.tile.index + spatial.factor.index;
      if (!bounds.reachable(level, tile)) continue;
      if (level > 0) {
        before.compute_cycles =
            bounds.compute_cycles(s.units * spatial.instances, level, m.lattice.full().index - tile);
        if (cut(bounds.at_guess(s, before, level, tile))) continue;
      }
      ExactState next = s;
      steps.unroll(next, level, spatial);
      choice = c;
      grow(next);
    }
  }

  // Every tile of this level over the unrolled one.
  void grow(const ExactState& s) {
    const auto inside = bounds.inside(s, level, true);
    if (cut(bounds.at_unrolled(s, inside, level, s.tile.index))) return;
    if (top()) {
      LatticePoint tile = m.lattice.full();
      if (bounds.reachable(level, s.tile.index)) place(s, tile);
      return;
    }
    LatticePoint tile = s.tile;
    enlarge(s, inside, tile, 0);
  }

  void enlarge(const ExactState& s, const ExactBounds::Inside& inside, LatticePoint& tile, std::size_t first) {
    if (bounds.possible(level, tile.index) && !cut(bounds.at_candidate(s, inside, level, tile.index)) &&
        !cut(bounds.at_candidate_ordered(s, inside, level, tile)))
      place(s, tile);
    const auto axes = m.lattice.axes();
    for (std::size_t a = first; a < axes.size(); ++a) {
      const LatticeAxis& axis = axes[a];
      if (!(space().temporal.allowed >> axis.dimension & 1)) continue;
      LatticePoint next = tile;
      next.packed += axis.step;
      if (!m.lattice.divides(next.packed, m.lattice.full().packed)) continue;
      next.index += axis.stride;
      next.extent[axis.dimension] *= axis.prime;
      if (next.extent[axis.dimension] / s.tile.extent[axis.dimension] > space().temporal.factor[axis.dimension].max)
        continue;
      if (!bounds.reachable(level, next.index)) continue;
      if (cut(bounds.at_unrolled(s, inside, level, next.index))) continue;
      enlarge(s, inside, next, a);
    }
  }

  // The loops of the level, in every order that matters.
  void place(const ExactState& s, const LatticePoint& tile) {
    Extents factor, left;
    DimensionMask loops = 0;
    for (int d = 0; d < kMaxDimensions; ++d) {
      factor[at(d)] = tile.extent[at(d)] / s.tile.extent[at(d)];
      left[at(d)] = m.compiled->size[at(d)] / s.tile.extent[at(d)];
      if (factor[at(d)] > 1) loops |= static_cast<DimensionMask>(1u << d);
    }
    for (int d = 0; d < m.compiled->dimension_count; ++d)
      if (!space().temporal.factor[at(d)].allows(factor[at(d)])) return;
    ExactState next = s;
    u64 order = 0;
    int depth = 0;
    for (u8 d : space().temporal.order.dimensions())
      if (loops >> d & 1) add_loop(next, d, factor, left, loops, order, depth);
    arrange(next, tile, factor, left, loops, order, depth);
  }

  void add_loop(ExactState& s, int d, const Extents& factor, Extents& left, DimensionMask& loops, u64& order,
                int& depth) {
    left[at(d)] /= factor[at(d)];
    steps.loop(s, d, factor[at(d)], left);
    loops &= static_cast<DimensionMask>(~(1u << d));
    order |= static_cast<u64>(d + 1) << (4 * depth++);
  }

  void arrange(ExactState s, const LatticePoint& tile, const Extents& factor, Extents left, DimensionMask loops,
               u64 order, int depth) {
    unsigned moved_by = 0;  // loops that some flow in place depends on
    bool moving = false;
    for (unsigned open = s.in_place; open != 0; open &= open - 1)
      moved_by |= m.compiled->tensor[at(std::countr_zero(open))].indexing;
    for (int f = 0; f < s.sliding_count; ++f) {
      moving |= s.sliding[at(f)].moving;
      moved_by |= m.compiled->tensor[s.sliding[at(f)].tensor].indexing;
    }
    // Loops that move nothing in place come first; while a flow is moving it is not known where they serve best.
    if (!moving)
      for (unsigned free = loops & ~moved_by; free != 0; free &= free - 1)
        add_loop(s, std::countr_zero(free), factor, left, loops, order, depth);
    if (loops == 0) return finish(s, tile, order);
    for (unsigned next = loops; next != 0; next &= next - 1) {
      ExactState with = s;
      Extents with_left = left;
      DimensionMask with_loops = loops;
      u64 with_order = order;
      int with_depth = depth;
      add_loop(with, std::countr_zero(next), factor, with_left, with_loops, with_order, with_depth);
      arrange(with, tile, factor, with_left, with_loops, with_order, with_depth);
    }
  }

  void finish(ExactState& s, const LatticePoint& tile, u64 order) {
    ++statistics.evaluated;
    s.tile = tile;
    ExactNode node;
    node.order = order;
    node.parent = parent;
    node.choice = choice;
    if (top()) {
      steps.finish(s);
      const auto inside = bounds.inside(s, level, false);
      if (!cut(bounds.at_tile(s, inside, level, tile.index))) complete(node);
      return;
    }
    if (!steps.start(s, level)) return;
    const auto inside = bounds.inside(s, level, false);
    const auto key = incumbent.key_of(bounds.at_tile(s, inside, level, tile.index));
    if (incumbent.cuts(key)) return;
    node.bound = key.first;
    node.second = key.second;
    out.add(s, node, true);
  }

  void complete(const ExactNode& last) {
    std::vector<const ExactNode*> path(at(m.levels()));
    path.back() = &last;
    for (int i = level; i-- > 0;) path[at(i)] = &layers[at(i) + 1].node(path[at(i) + 1]->parent);
    Mapping mapping;
    mapping.level_count = static_cast<u8>(m.levels());
    Extents tile;
    tile.fill(1);
    for (int i = 0; i <= level; ++i) {
      mapping.keep[at(i)] = m.keep[at(i)];
      Extents factor = i == level ? m.lattice.full().extent : path[at(i)]->tile.extent;
      for (int d = 0; d < kMaxDimensions; ++d) factor[at(d)] /= tile[at(d)];
      if (m.fanout[at(i)].exists) {
        const SpatialChoice& spatial = m.fanout[at(i)].choices[path[at(i)]->choice];
        for (LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY})
          for (u8 d : spatial_order(problem.space, i))
            mapping.add(axis, i, d, (axis == LoopKind::SpatialX ? spatial.x : spatial.y)[d]);
        for (int d = 0; d < kMaxDimensions; ++d) {
          factor[at(d)] /= spatial.factor.extent[at(d)];
          tile[at(d)] *= spatial.factor.extent[at(d)];
        }
      }
      for (u64 order = path[at(i)]->order; order != 0; order >>= 4) {
        const int d = static_cast<int>(order & 15) - 1;
        mapping.add(LoopKind::Temporal, i, d, factor[at(d)]);
        tile[at(d)] *= factor[at(d)];
      }
    }
    const Evaluation e = problem.model.evaluate(mapping);
    if (e.verdict == Verdict::Fits) incumbent.offer(mapping, e.cost);
  }
};

ExactSearch::ExactSearch(const LayerProblem& problem, const std::array<TensorMask, kMaxLevels>& keep,
                         const Lattice& lattice)
    : problem_(problem), model_(make_exact_model(problem, keep, lattice)), bounds_(model_) {}

CostBound ExactSearch::root_bound() const {
  const ExactSteps steps(model_);
  const ExactState root = steps.root();
  // Before the fan-out below level 0 nothing is known but the MACs' own flows.
  return bounds_.at_root(root);
}

ExactPass ExactSearch::run(std::size_t width, ExactIncumbent& incumbent) {
  ExactPass pass;
  pass.complete = true;
  std::vector<ExactLayer> layers(at(model_.levels()) + 1, ExactLayer(model_));
  layers[0].add(ExactSteps(model_).root(), {}, false);
  for (int level = 0; level < model_.levels(); ++level) {
    ExactLayer& out = layers[at(level) + 1];
    Worker worker{problem_, model_, bounds_, layers, incumbent, level, out, statistics_};
    for (std::size_t k = 0; k < layers[at(level)].size(); ++k) {
      const ExactNode& node = layers[at(level)].node(k);
      if (level > 0 && incumbent.cuts({node.bound, node.second})) continue;
      worker.extend(k);
    }
    out.compact();
    if (out.size() <= width) continue;
    // Keep the most promising.
    std::vector<u32> order(out.size());
    for (u32 k = 0; k < order.size(); ++k) order[k] = k;
    const auto less = [&](u32 a, u32 b) {
      const ExactNode &x = out.node(a), &y = out.node(b);
      return std::tie(x.bound, x.second, a) < std::tie(y.bound, y.second, b);
    };
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(width), order.end(), less);
    for (std::size_t k = width; k < order.size(); ++k) {
      const ExactNode& node = out.node(order[k]);
      const ExactIncumbent::Key key{node.bound, node.second};
      if (std::tie(key.first, key.second) < std::tie(pass.least_dropped.first, pass.least_dropped.second))
        pass.least_dropped = key;
      out.drop(order[k]);
    }
    pass.complete = false;
    out.compact();
  }
  return pass;
}

}  // namespace heliolite
