#include "engine/search/exact/expand.h"

#include <cmath>

#include "engine/base/integers.h"

// One level is added to a partial mapping in these steps; the numbers stand again where the step is taken:
//   1. instances     unrollings with too few instances are not looked at (rule useful-instances)
//   2. fan-out       each unrolling of the fan-out below the level: expand_loops.cpp
//   3. room          what does not fit, or cannot be completed, goes
//   4. lattice bound what is placed and the least of everything outside cost too much (rule lattice-bound)
//   5. tile          each tile of the level, one axis of the lattice after the other
//   6. own loops     the level's loops cost too much in every order (rule own-loops)
//   7. orders        each order of the level's loops that can matter (rules free-loops, push-in): expand_loops.cpp
//   8. dominance     another over the same tile is nowhere dearer (rules idle-bandwidth, state-dominance)
//   9. leaf          a complete mapping is priced by the cost model; others join the frontier

namespace heliolite {
struct Expander::Grown {
  const PartialMapping& s;
  const PartialBounds::Inside& inside;
  double limit;     // energy units from which on nothing here can beat the incumbent
  bool bandwidths;  // limit the cycles, and not the compute units alone
};

Expander::Expander(const LayerProblem& problem, const FlowCosts& model, const PartialBounds& bounds,
                   const std::vector<Frontier>& layers, int level, Incumbent& incumbent, Frontier& out,
                   std::size_t most_bytes)
    : problem_(problem),
      m_(model),
      bounds_(bounds),
      layers_(layers),
      level_(level),
      incumbent_(incumbent),
      out_(out),
      most_bytes_(most_bytes),
      rules_(problem.sound_rules()),
      least_units_(static_cast<double>(problem.space.least_units)),
      steps_(model),
      machines_tried_(model.machine.size()) {
  double most_outside = 1;
  for (int i = level + 1; i < model.levels(); ++i)
    if (const FanoutChoices& outer = model.fanout[i]; outer.exists && !outer.choices.empty())
      most_outside *= outer.choices.front().instances;
  least_units_ = std::ceil(least_units_ / most_outside);
}

bool Expander::extend(std::size_t k, const SearchBudget& budget, u64 evaluations) {
  budget_ = &budget;
  last_evaluation_ = evaluations;
  parent_ = static_cast<u32>(k);
  choice_ = 0;
  overflow_ = false;
  stopped_ |= budget.over();
  if (stopped_) return false;
  PartialMapping s(m_.compiled->tensor_count, m_.channels.size());
  layers_[level_].get(k, s);
  find_growable_axes(layers_[level_].node(k));
  if (m_.fanout[level_].exists) unroll(s);
  else grow(s);
  return !stopped_ && !overflow_;
}

bool Expander::cut(Rule rule, const CostBound& bound) {
  return gate().prunes(rule, [&] { return incumbent_.cuts(bound); });
}

// Cuts where energy alone decides; `limit` is the incumbent's for the cycles known.
bool Expander::cut_energy(double energy, double limit) {
  return gate().prunes(Rule::LatticeBound, [&] { return energy >= limit; });
}

bool Expander::interrupted() {
  constexpr u64 kClockEvery = 16;  // with many levels left open what lies between two questions takes 10 ms
  stopped_ |= budget_->stopped() || (++asked_ % kClockEvery == 0 && budget_->over());
  stopped_ |= statistics_.evaluated >= last_evaluation_;
  return stopped_;
}

// Along which axes the tile of the level inside can grow by a loop around those that it has (rule push-in).
void Expander::find_growable_axes(const FrontierNode& parent) {
  room_.assign(m_.lattice.axes().size(), 0);
  if (level_ == 0 || !gate().on(Rule::PushIn)) return;
  const FrontierNode& before = layers_[level_ - 1].node(parent.parent);
  PlacedLevel inside{before.tile, parent.tile, parent.order, before.servers};
  const FrontierNode* placed = &parent;
  for (int i = level_ - 1; i >= 0; --i) {
    placed = &layers_[i].node(placed->parent);
    inside.moving |= m_.starting(i, m_.servers.kept(i, placed->servers));
  }
  if (const FanoutChoices& fanout = m_.fanout[level_ - 1]; fanout.exists)
    inside.unrolled = Lattice::product(inside.unrolled, fanout.choices[parent.choice].factor);
  if (parent.swapped) inside.unrolled = m_.lattice.point(m_.symmetry->swapped(inside.unrolled.extent));
  if (m_.level[level_ - 1].shares_inside) inside.room = before.room;
  room_ = room_inside(m_, parent.machine, level_, inside);
}

// Every tile of this level over the unrolled one.
void Expander::grow(const PartialMapping& s) {
  // Step 3.
  if (interrupted() || !bounds_.reachable(level_, s.servers, s.tile.index) ||
      !m_.holds(s.machine, level_, s.servers, s.tile.extent))
    return;
  // Step 4.
  auto inside = bounds_.inside(s, {level_, true});
  double limit = incumbent_.energy_limit(inside.compute_cycles);
  if (cut_energy(bounds_.unrolled_energy(inside, s.tile.index), limit)) return;
  const bool bandwidths = bounds_.add_cycles(s, inside);
  const CostBound whole = bounds_.at_unrolled(s, inside, s.tile.index);
  if (cut(Rule::LatticeBound, whole)) return;
  if (gate().on(Rule::LatticeBound)) limit = incumbent_.energy_limit(whole.cycles);
  if (top()) return place(s, m_.lattice.full(), loops_of(s, m_.lattice.full()));
  const auto every_tile_too_dear = [&] { return bounds_.tiles_energy(inside, s.tile, limit, limit) >= limit; };
  if (gate().prunes(Rule::OwnLoops, every_tile_too_dear)) return;
  // Step 5.
  LatticePoint tile = s.tile;
  limit_ = limit;
  enlarge({s, inside, limit, bandwidths}, tile, 0, {});
}

// Whether the tile with the dimensions of a symmetry swapped stands for this one. Only the loops directly around the
// MACs, which have no tile yet, reach both tiles from the same partial mapping.
bool Expander::symmetry_cut(const LatticePoint& tile) {
  if (level_ > 0 || !m_.symmetry) return false;
  return gate().prunes(Rule::Symmetry, [&] { return !m_.symmetry->stands(tile.extent); });
}

// `loops`: those that have made the tile so far.
void Expander::enlarge(const Grown& from, LatticePoint& tile, std::size_t first_axis, TileLoops loops) {
  if (interrupted()) return;
  const ExactLevel& level = m_.level[level_];
  if (level.shares_inside && !m_.has_room(level_, m_.servers.kept(level_, from.s.servers), from.s.room, tile.extent))
    return;
  const auto every_order_pushed = [&] { return loops.pushable == loops.all && !NestSteps::peers_open(from.s); };
  if (bounds_.possible(level_, from.s.servers, tile) && !symmetry_cut(tile) && !needless(from.s, tile) &&
      !swaps_with_inside(from.s, loops.all) && (loops.all == 0 || !gate().prunes(Rule::PushIn, every_order_pushed)) &&
      !candidate_cut(from, tile))
    place(from.s, tile, loops);
  const auto axes = m_.lattice.axes();
  for (std::size_t a = first_axis; a < axes.size(); ++a) {
    const LatticeAxis& axis = axes[a];
    if (!contains(space().temporal.allowed, axis.dimension)) continue;
    LatticePoint next = tile;
    next.packed += axis.step;
    if (!m_.lattice.divides(next.packed, m_.lattice.full().packed)) continue;
    next.index += axis.stride;
    next.extent[axis.dimension] *= axis.prime;
    if (next.extent[axis.dimension] / from.s.tile.extent[axis.dimension] > space().temporal.factor[axis.dimension].max)
      continue;
    if (!bounds_.reachable(level_, from.s.servers, next.index)) continue;
    if (!m_.holds(from.s.machine, level_, from.s.servers, next.extent)) continue;
    if (level.shares_inside && !m_.has_room(level_, m_.servers.kept(level_, from.s.servers), from.s.room, next.extent))
      continue;
    if (cut_energy(bounds_.unrolled_energy(from.inside, next.index), from.limit)) continue;
    if (from.bandwidths && cut(Rule::LatticeBound, bounds_.at_unrolled(from.s, from.inside, next.index))) continue;
    TileLoops with = loops;
    with.all |= dimension_bit(axis.dimension);
    with.pushable |= room_[a];
    enlarge(from, next, a, with);
  }
}

// Whether a store could as well stand inside the store that it shares its room with, because none of these loops
// between the two moves its tile: then another order of the stores has the mapping.
bool Expander::swaps_with_inside(const PartialMapping& s, DimensionMask loops) {
  if (!m_.level[level_].shares_inside) return false;
  const u32 before = layers_[level_ - 1].node(layers_[level_].node(parent_).parent).servers;
  return gate().prunes(Rule::StoreOrder, [&] {
    const TensorMask kept = m_.servers.kept(level_, s.servers);
    DimensionMask moving = 0;
    for (const int v : bits(kept)) moving |= m_.compiled->tensor[v].indexing;
    return kept < m_.servers.kept(level_ - 1, before) && (loops & moving) == 0;
  });
}

// Whether the tile is looked at on a machine with a smaller memory.
bool Expander::needless(const PartialMapping& s, const LatticePoint& tile) {
  return problem_.family &&
         gate().prunes(Rule::SmallestMemory, [&] { return m_.needless(s.machine, level_, s.servers, tile.extent); });
}

// Step 6, after step 4 for this tile: cheap questions first. Lists in after_ which servers its flows may still go to.
bool Expander::candidate_cut(const Grown& from, const LatticePoint& tile) {
  if (cut_energy(bounds_.candidate_energy(from.inside, tile.index), from.limit)) return true;
  std::vector<u32>& after = after_.front();
  const auto ordered_too_dear = [&] {
    bounds_.ordered_energy(from.s, from.inside, tile, from.limit, m_.servers.next(level_, from.s.servers), after);
    return after.empty();
  };
  if (gate().prunes(Rule::OwnLoops, ordered_too_dear)) return true;
  if (!gate().on(Rule::OwnLoops)) {
    const auto all = m_.servers.next(level_, from.s.servers);
    after.assign(all.begin(), all.end());
  }
  if (!from.bandwidths) return false;
  if (cut(Rule::LatticeBound, bounds_.at_candidate(from.s, from.inside, tile.index))) return true;
  std::erase_if(after, [&](u32 servers) {
    return gate().prunes(Rule::OwnLoops, [&] {
      return incumbent_.cuts(bounds_.at_candidate_ordered(from.s, from.inside, tile, servers));
    });
  });
  return after.empty();
}

// Step 8 for each way to go on.
void Expander::finish(PartialMapping& s, const Loops& loops, const LatticePoint& tile) {
  s.tile = tile;
  const std::vector<u32>& after = after_[loops.depth];
  if (top() || after.size() == 1) return join(s, top() ? 0 : after.front(), loops.order);
  for (const u32 servers : after) {
    PartialMapping next = s;
    join(next, servers, loops.order);
  }
}

void Expander::join(PartialMapping& s, u32 servers, u64 order) {
  ++statistics_.evaluated;
  FrontierNode node;
  node.order = order;
  node.parent = parent_;
  node.choice = choice_;
  node.machine = s.machine;
  if (top()) steps_.finish(s);
  else overflow_ |= !steps_.start(s, level_, servers);
  if (overflow_) return;
  if (!top() && m_.symmetry && !m_.symmetry->stands(s.tile.extent)) {
    steps_.swap(s);
    node.order = m_.symmetry->swapped(order);
    node.swapped = true;
    gate().pruned(Rule::Symmetry, 1);
  }
  if (misses_peers(s)) return;
  // Step 8.
  if (!top() && m_.compiled->peers == 0)
    gate().prunes(Rule::IdleBandwidth, [&] { return steps_.forget_idle(s, level_) > 0; });
  // Most states are dominated, and it takes less to see that than to bound them.
  if (!top() && gate().prunes(Rule::StateDominance, [&] { return out_.dominated(s); })) return;
  auto inside = bounds_.inside(s, {level_, false});
  CostBound bound = bounds_.at_tile(s, inside, s.tile.index);
  if (cut(Rule::LatticeBound, bound)) return;
  if (bounds_.add_cycles(s, inside)) {
    bound = bounds_.at_tile(s, inside, s.tile.index);
    if (cut(Rule::LatticeBound, bound)) return;
  }
  // Step 9.
  if (top()) {
    node.tile = s.tile;
    return complete(node);
  }
  node.key = incumbent_.key_of(bound);
  const Frontier::Added added = out_.add(s, node, gate().on(Rule::StateDominance));
  gate().pruned(Rule::StateDominance, added.dropped);
  if (added && out_.bytes() > most_bytes_) left_out_ = std::min(left_out_, out_.shrink(most_bytes_ / 2));
}

// Whether no completion has the words from peers for which alone this range is searched.
bool Expander::misses_peers(const PartialMapping& s) {
  const int fanout = m_.peer_fanout;
  return fanout >= 0 && fanout <= level_ && gate().prunes(Rule::PeersOnly, [&] {
    return !contains(s.peers.fanouts, fanout) && !NestSteps::may_use_peers(s, fanout);
  });
}

void Expander::complete(const FrontierNode& last) {
  const Mapping mapping = nest_of(m_, layers_, level_, last);
  const Evaluation e = problem_.price(last.machine, mapping);
  if (e.verdict == Verdict::Fits && incumbent_.offer(mapping, e.cost, last.machine))
    problem_.report_progress(objective_number(problem_.options.objective, e.cost), 0);
}

}  // namespace heliolite
