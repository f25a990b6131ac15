#include "engine/search/exact/witness.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/search/exact/expand.h"
#include "engine/search/exact/layered_pass.h"

namespace heliolite {
namespace {

// The choice with these factors; by product, unless it matters which are on which axis.
std::optional<u32> find_choice(const FanoutChoices& fanout, const Extents& x, const Extents& y, bool axes) {
  const auto found = std::find_if(fanout.choices.begin(), fanout.choices.end(), [&](const SpatialChoice& s) {
    if (axes) return s.x == x && s.y == y;
    for (int d = 0; d < kMaxDimensions; ++d)
      if (s.factor.extent[d] != x[d] * y[d]) return false;
    return true;
  });
  if (found == fanout.choices.end()) return std::nullopt;
  return static_cast<u32>(found - fanout.choices.begin());
}

}  // namespace

WitnessWalk::WitnessWalk(const FlowCosts& model, const PartialBounds& bounds, const Mapping& mapping)
    : m_(model),
      bounds_(bounds),
      mapping_(mapping),
      steps_(model),
      s_(steps_.root(0, model.servers.find(-1, mapping.keep))) {
  if (!m_.symmetry) return;
  Extents tile;
  tile.fill(1);
  for (const Loop& loop : mapping.loops())
    if (loop.level == 0) tile[loop.dimension] *= loop.end;
  if (m_.levels() > 1 && !m_.symmetry->stands(tile)) swap();
}

void WitnessWalk::swap() {
  mapping_ = m_.symmetry->swapped(mapping_, m_.problem->space);
  steps_.swap(s_);
  order_ = m_.symmetry->swapped(order_);
  swapped_ = !swapped_;
}

bool WitnessWalk::add_level(std::vector<WitnessStep>& out) {
  ++level_;
  choice_ = 0;
  order_ = 0;
  swapped_before_ = swapped_;
  if (!add_unrolling(out)) return false;
  const LatticePoint tile = own_tile();
  ask_of_tile(tile, out);
  if (!add_loops(tile, out)) return false;
  s_.tile = tile;
  const bool top = level_ + 1 == m_.levels();
  if (top) steps_.finish(s_);
  else if (!steps_.start(s_, level_, m_.servers.find(level_, mapping_.keep))) return false;
  if (!top && m_.symmetry && !m_.symmetry->stands(tile.extent)) swap();
  if (!top && m_.compiled->peers == 0 && m_.problem->options.rules[Rule::IdleBandwidth]) steps_.forget_idle(s_, level_);
  auto after = bounds_.inside(s_, {level_, false});
  bounds_.add_cycles(s_, after);
  out.push_back({level_, top ? "sum" : "tile", Rule::LatticeBound, bounds_.at_tile(s_, after, s_.tile.index)});
  return true;
}

bool WitnessWalk::add_unrolling(std::vector<WitnessStep>& out) {
  Extents x, y;
  x.fill(1), y.fill(1);
  for (; loop_ < mapping_.loop_count; ++loop_) {
    const Loop& loop = mapping_.loop[loop_];
    if (loop.level != level_ || !loop.is_spatial()) break;
    (loop.kind == LoopKind::SpatialX ? x : y)[loop.dimension] *= loop.end;
  }
  const FanoutChoices& fanout = m_.fanout[level_];
  if (!fanout.exists) return true;
  const std::optional<u32> found = find_choice(fanout, x, y, fanout.hops || m_.compiled->level[level_].peers != 0);
  if (!found) return false;
  choice_ = *found;
  const SpatialChoice& choice = fanout.choices[choice_];
  if (level_ > 0) {
    auto before = bounds_.inside(s_, {level_ - 1, false});
    bounds_.add_cycles(s_, before);
    out.push_back({level_, "instances", Rule::UsefulInstances, bounds_.at_instances(s_, before, choice.instances)});
    const u64 tile = s_.tile.index + choice.factor.index;
    before.compute_cycles =
        bounds_.compute_cycles(s_.units * choice.instances, level_, m_.lattice.full().index - tile, before.ramps);
    const double energy = UnrollBound(m_, bounds_.tables(), s_, before, level_).energy(choice);
    out.push_back(
        {level_,
         "receivers",
         Rule::LatticeBound,
         {std::max(0.0, energy + bounds_.tables().below(level_, s_.servers, 0, tile)), before.compute_cycles}});
    out.push_back({level_, "unrolling", Rule::LatticeBound, bounds_.at_guess(s_, before, tile)});
  }
  steps_.unroll(s_, level_, choice);
  return true;
}

LatticePoint WitnessWalk::own_tile() const {
  Extents tile = s_.tile.extent;
  for (int k = loop_; k < mapping_.loop_count && mapping_.loop[k].level == level_; ++k)
    tile[mapping_.loop[k].dimension] *= mapping_.loop[k].end;
  return m_.lattice.point(tile);
}

// The unrolled tile, those over it up to the level's own, one axis of the lattice after the other, and that one. At the
// outermost level there is only one tile.
void WitnessWalk::ask_of_tile(const LatticePoint& tile, std::vector<WitnessStep>& out) const {
  auto inside = bounds_.inside(s_, {level_, true});
  bounds_.add_cycles(s_, inside);
  out.push_back({level_, "unrolled", Rule::LatticeBound, bounds_.at_unrolled(s_, inside, s_.tile.index)});
  if (level_ + 1 == m_.levels()) return;
  out.push_back({level_,
                 "tiles",
                 Rule::OwnLoops,
                 {bounds_.tiles_energy(inside, s_.tile, kImpossible, 0), inside.compute_cycles}});
  LatticePoint grown = s_.tile;
  for (const LatticeAxis& axis : m_.lattice.axes())
    while (tile.extent[axis.dimension] / grown.extent[axis.dimension] % axis.prime == 0) {
      grown.index += axis.stride;
      grown.extent[axis.dimension] *= axis.prime;
      out.push_back({level_, "enlarged", Rule::LatticeBound, bounds_.at_unrolled(s_, inside, grown.index)});
    }
  out.push_back({level_, "candidate", Rule::LatticeBound, bounds_.at_candidate(s_, inside, tile.index)});
  out.push_back({level_, "ordered", Rule::OwnLoops,
                 bounds_.at_candidate_ordered(s_, inside, tile, m_.servers.find(level_, mapping_.keep))});
}

// The last loop, and with it the whole tile, is asked about when the flows out of the tile have begun.
bool WitnessWalk::add_loops(const LatticePoint& tile, std::vector<WitnessStep>& out) {
  Extents left;
  for (int d = 0; d < kMaxDimensions; ++d) left[d] = m_.compiled->size[d] / s_.tile.extent[d];
  DimensionMask placed = 0;
  int depth = 0;
  for (; loop_ < mapping_.loop_count && mapping_.loop[loop_].level == level_; ++loop_) {
    const Loop& loop = mapping_.loop[loop_];
    if (contains(placed, loop.dimension)) return false;
    placed |= dimension_bit(loop.dimension);
    left[loop.dimension] /= loop.end;
    steps_.loop(s_, loop.dimension, loop.end, left);
    order_ |= static_cast<u64>(loop.dimension + 1) << (4 * depth++);
    const bool last = loop_ + 1 == mapping_.loop_count || mapping_.loop[loop_ + 1].level != level_;
    if (level_ + 1 == m_.levels() || last) continue;
    auto inside = bounds_.inside(s_, {level_, true});
    bounds_.add_cycles(s_, inside);
    const u32 after = m_.servers.find(level_, mapping_.keep);
    out.push_back({level_, "begun", Rule::OwnLoops, bounds_.at_candidate_ordered(s_, inside, tile, after)});
  }
  return true;
}

Mapping reordered(const Mapping& mapping, int level, u64 order) {
  Mapping out = mapping;
  std::size_t place = 0;
  while (mapping.loop[place].level != level || mapping.loop[place].is_spatial()) ++place;
  for (; order != 0; order >>= 4, ++place) {
    const auto is_next = [&](const Loop& loop) {
      return loop.level == level && !loop.is_spatial() && loop.dimension + 1u == (order & 15);
    };
    out.loop[place] = *std::ranges::find_if(mapping.loops(), is_next);
  }
  return out;
}

// By the search's own expansion of the one parent, with this unrolling and tile only, and no rule but free-loops.
std::vector<u64> orders_tried(const LayerProblem& problem, const PassStage& stage, u32 parent, const Mapping& mapping,
                              const WitnessWalk& walk) {
  if (!problem.sound_rules()[Rule::FreeLoops]) return {walk.order()};
  LayerProblem only = problem;
  only.options = {};
  only.options.objective = problem.options.objective;
  for (const RuleInfo& info : kRuleTable) only.options.rules.set(info.rule, info.rule == Rule::FreeLoops);
  TemporalSpace& temporal = only.space.levels[stage.level].temporal;
  for (FactorLimit& limit : temporal.factor) limit = {1, 1};
  for (const Loop& loop : mapping.loops())
    if (loop.level == stage.level && !loop.is_spatial()) temporal.factor[loop.dimension] = {loop.end, loop.end};
  FlowCosts model = stage.model;
  std::vector<FanoutChoices> fanouts(model.fanout.begin(), model.fanout.end());
  std::vector<SpatialChoice>& choices = fanouts[stage.level].choices;
  if (!choices.empty()) choices = std::vector<SpatialChoice>{choices[walk.choice()]};
  model.fanout = fanouts;
  Incumbent none(problem.options.objective, {});
  Frontier out(stage.model, stage.level);
  Expander expander(only, model, stage.bounds, stage.layers, stage.level, none, out, ~std::size_t{0});
  expander.extend(parent, SearchBudget(only.options), ~u64{0});
  std::vector<u64> orders;
  for (std::size_t k = 0; k < out.size(); ++k)
    if (out.node(k).servers == walk.state().servers) orders.push_back(out.node(k).order);
  return orders;
}

Mapping all_moved_in(const FlowCosts& model, const Mapping& mapping, int level) {
  Mapping out = mapping;
  for (bool moved = true; moved;) {
    moved = false;
    const std::vector<DimensionMask> room = room_inside(model, 0, level, placed_level(model, out, level - 1));
    const auto loops = out.loops();
    const auto innermost =
        std::ranges::find_if(loops, [&](const Loop& l) { return l.level == level && !l.is_spatial(); });
    for (std::size_t a = 0; a < room.size() && innermost != loops.end() && !moved; ++a) {
      const LatticeAxis& axis = model.lattice.axes()[a];
      if (room[a] == 0 || axis.dimension != innermost->dimension || innermost->end % axis.prime != 0) continue;
      out = *moved_in(out, level, axis);
      moved = true;
    }
  }
  return out;
}

}  // namespace heliolite
