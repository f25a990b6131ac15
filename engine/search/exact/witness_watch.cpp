// Follows a witness through the passes of an exact search and notes what removes it.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/exact/expand.h"
#include "engine/search/exact/layered_pass.h"
#include "engine/search/exact/witness.h"

namespace heliolite {
namespace {

// Bounds are sums of doubles: one may be above the cost that it is a bound of by this factor.
constexpr double kAboveByRounding = 1 + 1e-9;

// Whether a is above b by more than rounding.
bool clearly_above(const ObjectiveKey& a, const ObjectiveKey& b) {
  return a.first > b.first * kAboveByRounding || (a.first == b.first && a.second > b.second * kAboveByRounding);
}

// The node of the stage that came about like this.
template <class Arrival>
std::optional<u32> find(const Frontier& stage, const Arrival& a) {
  for (std::size_t k = 0; k < stage.size(); ++k) {
    const FrontierNode& node = stage.node(k);
    if (node.parent == a.parent && node.choice == a.choice && node.order == a.order && node.tile.index == a.tile &&
        node.servers == a.servers)
      return static_cast<u32>(k);
  }
  return std::nullopt;
}

// The mapping, or the one with the dimensions of the symmetry swapped.
Mapping seen(const FlowCosts& model, const Mapping& mapping, bool swapped) {
  return swapped ? model.symmetry->swapped(mapping, model.problem->space) : mapping;
}

// Whether the last level of the walk has swapped the dimensions.
bool swapped_here(const WitnessWalk& walk) { return walk.swapped() != walk.swapped_before(); }

}  // namespace

WitnessWatch::WitnessWatch(const LayerProblem& problem, const Mapping& witness) : problem_(problem), witness_(witness) {
  report_.cost = problem.model.evaluate(witness).cost;
  report_.value = objective_number(problem.options.objective, report_.cost);
  begin();
}

bool WitnessWatch::in(const KeepRange& keep) const {
  bool inside = true;
  for (std::size_t i = 0; i < keep.must.size(); ++i)
    inside &= (keep.must[i] & ~witness_.keep[i]) == 0 && (witness_.keep[i] & ~keep.may[i]) == 0;
  return inside;
}

void WitnessWatch::begin() {
  followed_ = witness_;
  its_key_ = key_of(witness_);
  arrival_ = {};
  gone_ = false;
  report_.events.clear();
  report_.kept = false;
}

void WitnessWatch::keep_choice_cut(const ObjectiveKey& bound, const ObjectiveKey& limit) {
  searched_ = true;
  check_bound(-1, Rule::KeepBound, "keep choice", bound);
  cut(-1, Rule::KeepBound, "keep choice", bound, limit);
}

void WitnessWatch::cut(int level, Rule rule, std::string what, const ObjectiveKey& bound, const ObjectiveKey& limit) {
  const Objective objective = problem_.options.objective;
  report_.events.push_back(
      {level, rule, std::move(what), key_number(objective, bound), key_number(objective, limit), {}});
  gone_ = true;
}

void WitnessWatch::lost(int level, std::string limit) {
  report_.events.push_back({level, {}, std::move(limit), {}, {}, {}});
  gone_ = true;
}

void WitnessWatch::observe(const PassStage& stage) {
  if (stage.level < 0) {
    begin();
    if (problem_.sound_rules()[Rule::PushIn]) push_in(stage.model);
    arrival_ = {0, 0, stage.model.servers.find(-1, followed_.keep), 0, 0};
    const CostBound root = stage.bounds.at_root(NestSteps(stage.model).root(0, arrival_.servers));
    const ObjectiveKey bound = stage.incumbent.key_of(root);
    if (!find(stage.layers.front(), arrival_)) keep_choice_cut(bound, stage.incumbent.best());
    return;
  }
  searched_ = true;
  if (gone_) return;
  // What the width or the memory left out after the stage before is missing only now.
  const std::optional<u32> found = find(stage.layers[stage.level], arrival_);
  if (!found) return lost(stage.level - 1, "width or memory");
  const u32 parent = *found;
  // Its bound is asked again before it is extended.
  const ObjectiveKey& bound = stage.layers[stage.level].node(parent).key;
  const bool top = stage.level + 1 == stage.model.levels();
  const std::string what = stage.level == 0 ? "root" : "tile";
  check_bound(stage.level - 1, Rule::LatticeBound, what, bound);
  if (!top && problem_.options.rules[Rule::LatticeBound] && stage.incumbent.cuts(bound))
    return cut(stage.level - 1, Rule::LatticeBound, what, bound, stage.incumbent.best());
  look_after(stage, parent);
}

// The mapping followed came to this stage's level as node `parent`.
void WitnessWatch::look_after(const PassStage& stage, u32 parent) {
  WitnessWalk walk(stage.model, stage.bounds, followed_);
  std::vector<WitnessStep> steps;
  for (int level = 0; level <= stage.level; ++level) {
    steps.clear();
    if (!walk.add_level(steps)) return lost(level, "more sliding flows than the search holds");
  }
  for (const WitnessStep& step : steps)
    check_bound(step.level, step.rule, step.bound, stage.incumbent.key_of(step.value));
  const bool top = stage.level + 1 == stage.model.levels();
  if (top && stage.incumbent.found() && !(stage.incumbent.best() < its_key_)) {
    report_.kept = true;
    return;
  }
  arrival_ = {parent, walk.choice(), walk.state().servers, walk.state().tile.index, walk.order()};
  const bool there = !top && find(stage.layers[stage.level + 1], arrival_);
  // The last bound is asked after rule state-dominance.
  if (!there && cut_by(stage, std::span(steps).first(steps.size() - (top ? 0 : 1)))) return;
  if (top) return;  // it was priced, and is worse
  if (walk.swapped()) {
    const auto is_told = [&](const WitnessEvent& e) { return e.level == stage.level && e.rule == Rule::Symmetry; };
    const Mapping swapped = seen(stage.model, followed_, true);
    if (std::ranges::any_of(report_.events, is_told)) followed_ = swapped;
    else stand_in(swapped, {stage.level, Rule::Symmetry, "its dimensions have changed places", {}, {}, {}});
  }
  if (!there) absent(stage, walk, steps.back(), parent);
}

// Each once: every pass comes by again.
void WitnessWatch::error(std::string what) {
  if (std::ranges::find(report_.errors, what) == report_.errors.end()) report_.errors.push_back(std::move(what));
}

void WitnessWatch::check_bound(int level, Rule rule, std::string_view what, const ObjectiveKey& bound) {
  if (!clearly_above(bound, its_key_)) return;
  const Objective objective = problem_.options.objective;
  error(
      fmt::format("rule {}{}: its bound '{}' says that nothing is below {:.10g}, but a mapping that begins like this "
                  "costs {:.10g}",
                  kRuleTable[at(rule)].name, level < 0 ? "" : " at " + level_name(level), what,
                  key_number(objective, bound), key_number(objective, its_key_)));
}

// Notes the first of the bounds that cuts. Before the outermost level the incumbent is what it was when they were
// asked; there it may have become better since.
bool WitnessWatch::cut_by(const PassStage& stage, std::span<const WitnessStep> steps) {
  for (const WitnessStep& step : steps) {
    if (!problem_.options.rules[step.rule] || !stage.incumbent.cuts(step.value)) continue;
    cut(step.level, step.rule, std::string(step.bound), stage.incumbent.key_of(step.value), stage.incumbent.best());
    return true;
  }
  return false;
}

// Moves all that can be moved inside, level by level: the search drops the mapping where something could be. One event
// for each level.
void WitnessWatch::push_in(const FlowCosts& model) {
  for (int level = 1; level < model.levels(); ++level) {
    const Mapping next = all_moved_in(model, followed_, level);
    if (next == followed_) continue;
    stand_in(next, {level, Rule::PushIn, "part of its innermost loop in the level inside", {}, {}, {}});
    level = 0;  // what came to that level may go on
  }
}

// Notes that rule push-in drops it, if that is so. The mapping with the loop inside went another way at the level
// before: it is priced, and not followed.
bool WitnessWatch::pushed_in(const PassStage& stage) {
  if (stage.level == 0 || !problem_.sound_rules()[Rule::PushIn]) return false;
  const Lattice& lattice = stage.model.lattice;
  const PlacedLevel inside = placed_level(stage.model, followed_, stage.level - 1);
  const std::vector<DimensionMask> room = room_inside(stage.model, 0, stage.level, inside);
  std::optional<Mapping> best;
  for (std::size_t a = 0; a < room.size(); ++a) {
    if (room[a] == 0) continue;
    const std::optional<Mapping> next = moved_in(followed_, stage.level, lattice.axes()[a]);
    if (next && problem_.model.evaluate(*next).verdict == Verdict::Fits && (!best || key_of(*next) < key_of(*best)))
      best = next;
  }
  if (!best || clearly_above(key_of(*best), its_key_)) return false;
  stand_in(*best, {stage.level, Rule::PushIn, "part of the innermost loop inside", {}, {}, {}});
  lost(stage.level, "what stands for it has another tile inside and is not followed");
  return true;
}

// No bound has cut it so far, and yet it is not in the stage after the level.
void WitnessWatch::absent(const PassStage& stage, const WitnessWalk& walk, const WitnessStep& tile, u32 parent) {
  if (pushed_in(stage)) return;
  const Mapping before = seen(stage.model, followed_, swapped_here(walk));
  const std::vector<u64> orders = orders_tried(problem_, stage, parent, before, walk);
  if (std::ranges::find(orders, walk.order()) == orders.end()) {
    if (orders.empty()) return lost(stage.level, "constraints of the machine");
    // The cheapest of the orders that are tried stands for it.
    Mapping best = reordered(followed_, stage.level, orders.front());
    for (const u64 order : orders) {
      const Mapping other = reordered(followed_, stage.level, order);
      if (key_of(other) < key_of(best)) best = other;
    }
    best = seen(stage.model, best, swapped_here(walk));  // as when it came to this level
    stand_in(best, {stage.level, Rule::FreeLoops, "another order of the level's loops", {}, {}, {}});
    return look_after(stage, parent);
  }
  WitnessEvent event{stage.level, Rule::StateDominance, "another over the same tile", {}, {}, {}};
  if (const auto node = stage.layers[stage.level + 1].dominator(walk.state())) {
    // Its loops inside, the witness' loops outside.
    const FrontierNode& kept = stage.layers[stage.level + 1].node(*node);
    Mapping next = nest_of(stage.model, stage.layers, stage.level, kept);
    for (int i = stage.level + 1; i < stage.model.levels(); ++i) next.keep[i] = followed_.keep[i];
    for (const Loop& loop : followed_.loops())
      if (loop.level > stage.level) next.add(loop.kind, loop.level, loop.dimension, loop.end);
    arrival_ = {kept.parent, kept.choice, kept.servers, kept.tile.index, kept.order};
    return stand_in(next, std::move(event));
  }
  if (cut_by(stage, {&tile, 1})) return;
  if (!stage.pass.complete) return lost(stage.level, "memory, evaluations or time");
  error(fmt::format("at {} it is lost, and no rule explains it", level_name(stage.level)));
  lost(stage.level, "unknown");
}

ObjectiveKey WitnessWatch::key_of(const Mapping& mapping) const {
  return objective_key(problem_.options.objective, problem_.model.evaluate(mapping).cost);
}

// From here on `next` stands for the mapping followed so far: a sound rule keeps it because it costs no more.
void WitnessWatch::stand_in(const Mapping& next, WitnessEvent event) {
  const Objective objective = problem_.options.objective;
  const ObjectiveKey key = key_of(next);
  event.stand_in = key_number(objective, key);
  const std::string where = fmt::format("rule {} at {}", kRuleTable[at(*event.rule)].name, level_name(event.level));
  if (problem_.model.evaluate(next).verdict != Verdict::Fits) error(where + ": what it keeps instead does not fit");
  else if (clearly_above(key, its_key_))
    error(fmt::format("{}: what it keeps instead costs {:.10g}, what it drops {:.10g}", where, *event.stand_in,
                      key_number(objective, its_key_)));
  report_.events.push_back(std::move(event));
  followed_ = next;
  its_key_ = key;
}

WitnessReport WitnessWatch::report(const LayerAnswer& answer) const {
  WitnessReport out = report_;
  if (!searched_) out.events.push_back({-1, {}, "its keep choice was not searched", {}, {}, {}});
  const Objective objective = problem_.options.objective;
  const double slack = 1 + 1e-12;
  const double value = answer.found ? objective_number(objective, answer.cost) : kNever;
  if (answer.complete && value > out.value * slack)
    out.errors.push_back(
        fmt::format("the answer, {:.10g}, is said to be the optimum, but the witness costs {:.10g}", value, out.value));
  if (answer.lower_bound && *answer.lower_bound > out.value * kAboveByRounding)
    out.errors.push_back(fmt::format("the lower bound, {:.10g}, is above the cost of the witness, {:.10g}",
                                     *answer.lower_bound, out.value));
  return out;
}

}  // namespace heliolite
