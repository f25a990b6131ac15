// The passes over one range of the mapspace, until nothing below the incumbent is left in it, or a budget ends them.
#include "engine/search/exact/layered_pass.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/search/core/compulsory.h"
#include "engine/search/exact/exact.h"
#include "engine/search/exact/rest_bounds.h"

namespace heliolite {
namespace {

constexpr u64 kMostCoarseValues = 4'000'000;  // of the tables of one channel, all levels together
constexpr u64 kFewestCells = 1024;            // worth a try with less

}  // namespace

bool coarse_tables_are_large(const LayerProblem& problem, const Lattice& lattice,
                             std::span<const FanoutChoices> fanouts) {
  const Compiled& c = problem.model.compiled();
  const KeepRange keep = problem.keep_range();
  if (!lattice.grid().coarse() || !ServerSets::few(keep, c.level_count, c.tensor_count)) return false;
  const FlowCosts model = make_flow_costs(problem, keep, lattice, fanouts);
  u64 sets = 0;
  for (int i = 0; i < c.level_count; ++i) sets += model.servers.count(i - 1);
  return lattice.grid().cells() * sets > kMostCoarseValues ||
         bytes(fanouts) + RestBounds::bytes(model) > problem.options.memory_bytes / 2;
}

std::optional<Lattice> with_coarser_grid(const Lattice& lattice) {
  if (lattice.grid().cells() <= kFewestCells) return std::nullopt;
  return Lattice(lattice.full().extent, kMaxDimensions, {0, lattice.grid().cells() / 4});
}

namespace {

constexpr u64 kLeastStates = u64{1} << 20;  // bytes that the tables must leave for states

std::shared_ptr<const std::vector<FanoutChoices>> all_fanouts(const LayerProblem& problem, const Lattice& lattice) {
  return std::make_shared<const std::vector<FanoutChoices>>(
      make_fanout_choices(problem, lattice, problem.options.memory_bytes));
}

}  // namespace

RangeTables::RangeTables(const LayerProblem& problem, const GridLimits& limits)
    : problem_(problem),
      lattice_(problem.model.compiled().size, problem.model.compiled().dimension_count, limits),
      fanouts_(all_fanouts(problem, lattice_)),
      sites_(std::make_shared<PeerSites>()) {
  while ((fanouts_->empty() || coarse_tables_are_large(problem_, lattice_, *fanouts_)) && coarsen()) {
  }
}

bool RangeTables::coarsen() {
  std::optional<Lattice> next = with_coarser_grid(lattice_);
  if (!next) return false;
  lattice_ = *std::move(next);
  fanouts_ = all_fanouts(problem_, lattice_);
  return true;
}

double RangeTables::most_instances() const {
  const auto first = std::ranges::find_if(*fanouts_, [](const FanoutChoices& f) { return f.exists; });
  return first == fanouts_->end() ? 1 : first->most_instances[lattice_.grid().cell(lattice_.full().index)];
}

std::optional<PreparedRange> RangeTables::prepare(const SearchRange& range, u64 held, bool cycles_only,
                                                  const std::function<bool()>& stop) const {
  // Step 1. The fan-outs and the flows of the range.
  const Compiled& c = problem_.model.compiled();
  if (!ServerSets::few(range.keep, c.level_count, c.tensor_count)) return std::nullopt;
  PreparedRange out;
  out.fanouts = fanouts_;
  if (!range.unrollings.empty())
    out.fanouts =
        std::make_shared<const std::vector<FanoutChoices>>(with_choices(c, lattice_, *fanouts_, range.unrollings));
  FlowCosts model = make_flow_costs(problem_, range.keep, lattice_, *out.fanouts, cycles_only);
  model.peer_fanout = range.peer_fanout;
  if (c.peers != 0) model.sites = sites_;
  // Step 2. The tables, if there is memory for them and some states.
  out.bytes = (out.fanouts == fanouts_ ? 0 : bytes(*out.fanouts)) + RestBounds::bytes(model);
  const u64 used = held + bytes(*fanouts_) + out.bytes;
  if (used + kLeastStates > problem_.options.memory_bytes) return std::nullopt;
  std::shared_ptr<const RestBounds> kept;
  if (problem_.kept_tables) kept = problem_.kept_tables->of(problem_, model, out.fanouts, stop);
  out.passes = std::make_unique<LayeredPass>(problem_, std::move(model), problem_.options.memory_bytes - used, stop,
                                             std::move(kept));
  return out;
}

namespace {

constexpr u64 kFirstEvaluations = 4'000'000;  // of a pass that leaves nothing out, before limits are tried
constexpr double kWideShare = 0.85;           // of the time that is left, for such a pass
constexpr int kMostLimits = 24;               // passes below a limit, one after the other

// A key that is `share` of the way from a to b; a < b.
ObjectiveKey between(const ObjectiveKey& a, const ObjectiveKey& b, double share) {
  if (a.first == b.first) return {a.first, a.second + (b.second - a.second) * share};
  const double first = a.first + (b.first - a.first) * share;
  // Whole cycles: nothing is between two of them.
  return {std::min(std::ceil(first), b.first), 0};
}

}  // namespace

SearchEnd exhausted_reason(const SearchBudget& budget, u64 evaluated) {
  if (const SearchEnd end = budget.end(evaluated); end != SearchEnd::Done) return end;
  return budget.evaluations_left(evaluated) < kEvaluationSlack ? SearchEnd::Evaluations : SearchEnd::Done;
}

u64 RangePasses::evaluated() const { return search_.statistics().evaluated; }

PassEnd RangePasses::pass(std::size_t width, const SearchBudget& budget) {
  const PassEnd out = search_.run(width, budget, incumbent_, watch_, observe_);
  proven_ = std::max(proven_, out.least_left);
  return out;
}

SearchEnd RangePasses::run(const std::function<bool()>& in_parts) {
  // Who follows a witness wants to see what happens to it in one pass to the end.
  if (observe_) {
    pass(kNarrow, budget_);
    return wide();
  }
  const PassEnd narrow = pass(kNarrow, budget_.at_most(before_parts_));
  if (incumbent_.cuts(proven_)) return SearchEnd::Done;
  if (narrow.by_budget && exhausted_reason(budget_, evaluated()) == SearchEnd::Done) {
    if (in_parts()) return SearchEnd::Done;
    pass(kNarrow, budget_);
  }
  if (const SearchEnd end = exhausted_reason(budget_, evaluated()); end != SearchEnd::Done) return end;
  const PassEnd first = pass(LayeredPass::kAnyWidth, budget_.at_most(evaluated() + before_parts_));
  if (first.complete || incumbent_.cuts(proven_)) return SearchEnd::Done;
  if (!first.by_budget && !first.by_memory) return SearchEnd::Flows;
  if (exhausted_reason(budget_, evaluated()) == SearchEnd::Done && in_parts()) return SearchEnd::Done;
  return wide();
}

// Passes that leave nothing out, until one is complete. One that becomes long is given up for passes below a limit
// (rise), and tried again with more evaluations: mostly it is then a better incumbent's.
SearchEnd RangePasses::wide() {
  for (u64 most = kFirstEvaluations;; most *= 4) {
    const u64 before = evaluated();
    if (incumbent_.cuts(proven_)) return SearchEnd::Done;
    if (const SearchEnd end = budget_.end(before); end != SearchEnd::Done) return end;
    const bool to_the_end = static_cast<bool>(observe_) || std::isinf(incumbent_.best().first);
    const u64 share = std::min(most, budget_.evaluations_left(before) / 4 * 3);
    const SearchBudget part = to_the_end ? budget_ : budget_.at_most(before + share).part_of_time(kWideShare);
    const PassEnd end = pass(LayeredPass::kAnyWidth, part);
    if (end.complete || incumbent_.cuts(proven_)) return SearchEnd::Done;
    if (!end.by_budget && !end.by_memory) return SearchEnd::Flows;
    if (!to_the_end) rise(evaluated() + most);
    if (!end.by_budget && !incumbent_.cuts(proven_)) return SearchEnd::Memory;
    if (!to_the_end && evaluated() > before) continue;
    const SearchEnd why = budget_.end(evaluated());
    if (why != SearchEnd::Done) return why;
    return budget_.limits_evaluations() ? SearchEnd::Evaluations : SearchEnd::Time;
  }
}

// Raises what is proven by passes that look only below a limit between it and the incumbent: the lower the limit, the
// less they have to look at. One that finds nothing proves its limit, one that finds something has the optimum of the
// range. Prices mappings until the search has priced `most`.
void RangePasses::rise(u64 most) {
  double share = 0.5;  // of the way to the incumbent
  for (int k = 0; k < kMostLimits && !incumbent_.cuts(proven_); ++k) {
    if (evaluated() >= most || budget_.end(evaluated()) != SearchEnd::Done) return;
    Incumbent below = incumbent_.below(between(proven_, incumbent_.best(), share));
    const SearchBudget part = budget_.at_most(evaluated() + (most - evaluated() + 1) / 2).part_of_time(0.5);
    const PassEnd pass = search_.run(LayeredPass::kAnyWidth, part, below, watch_, {});
    incumbent_.offer(below);
    proven_ = std::max(proven_, std::min(below.best(), pass.least_left));
    if (!pass.complete) share /= 4;
  }
}

namespace {

// Times what every mapping costs: answers that are not above are left as they are.
constexpr double kFarGap = 1.05;
// An answer that is not above this many times the least bound of what a pass left out needs no wider one.
constexpr double kCloseGap = 1.04;

// Partial mappings that a pass keeps after each level, of each set of servers.
constexpr std::size_t kWidths[] = {16, 512, 4096};
// Each of them may go on with any tile: no pass but the first has a chance of more such pairs.
constexpr u64 kMostTilePairs = u64{1} << 30;
constexpr u64 kMostEvaluations = 400'000;  // of all passes together

// Tiles up to which there are passes; numbers of a table up to which each tile has some of its own, one for each set of
// servers; and the cells of the grid where that were more.
constexpr u64 kMostLatticeTiles = u64{1} << 19, kMostNumbers = u64{1} << 20, kCells = u64{1} << 12;

// A layer of more tiles has passes that take long, or are cut short.
constexpr u64 kFewLatticeTiles = u64{1} << 14;

u64 tiles(const LayerProblem& problem) {
  const Compiled& c = problem.model.compiled();
  return Lattice(c.size, c.dimension_count, {~u64{0}, 1}).points();
}

bool may_be_far(const LayerProblem& problem, const LayerAnswer& start) {
  const Objective objective = problem.options.objective;
  const Cost least = compulsory_cost(problem.model, problem.keep_range()).whole;
  return objective_number(objective, start.cost) > kFarGap * objective_number(objective, least);
}

// None: the tables would take much longer than the search before, or there are too many ways to keep tensors.
std::optional<GridLimits> table_limits(const LayerProblem& problem) {
  const Compiled& c = problem.model.compiled();
  const KeepRange keep = problem.keep_range();
  if (tiles(problem) > kMostLatticeTiles) return std::nullopt;
  if (!ServerSets::few(keep, c.level_count, c.tensor_count)) return std::nullopt;
  const ServerSets servers(keep, c.level_count, c.tensor_count);
  u64 sets = 1;
  for (int i = 0; i < c.level_count; ++i) sets = std::max<u64>(sets, servers.count(i - 1));
  return GridLimits{kMostNumbers / sets, kCells};
}

// One pass after the other, each wider, until what they left out cannot be much better. The first looks for everything
// below the answer, the others for what is well below.
void widening_passes(LayeredPass& search, u64 tile_count, const SearchBudget& user, Incumbent& incumbent) {
  const bool limited = user.limits_evaluations();
  const SearchBudget budget = user.at_most(kMostEvaluations);
  ObjectiveKey limit = incumbent.best();
  for (const std::size_t width : kWidths) {
    if (width != kWidths[0] && width * tile_count > kMostTilePairs) return;
    if (exhausted_reason(budget, search.statistics().evaluated) != SearchEnd::Done) return;
    Incumbent below = incumbent.below(limit);
    const PassEnd end = search.run(width, budget, below, {});
    incumbent.offer(below);
    // What a user's budget has cut short is where a larger one goes on.
    if (end.complete || (end.by_budget && limited)) return;
    limit = {incumbent.best().first / kCloseGap, 0};
    if (!(end.least_left < limit)) return;
  }
}

}  // namespace

bool narrow_search_is_quick(const LayerProblem& problem) {
  return tiles(problem) <= kFewLatticeTiles && table_limits(problem).has_value();
}

LayerAnswer narrow_search(const LayerProblem& problem, const LayerAnswer& start, const SearchBudget& budget) {
  LayerAnswer out = start;
  const Gate gate(problem.options.rules, out.statistics.rules);
  if (!gate.on(Rule::Refine) || exhausted_reason(budget, 0) != SearchEnd::Done || !may_be_far(problem, start))
    return out;
  const std::optional<GridLimits> limits = table_limits(problem);
  if (!limits) return out;
  const RangeTables tables(problem, *limits);
  if (tables.fanouts().empty()) return out;
  const auto prepared = tables.prepare({problem.keep_range()}, 0, false, [&] { return budget.over(); });
  if (!prepared || !prepared->passes->ready()) return out;
  Incumbent incumbent(problem.options.objective, {});
  incumbent.offer(start.mapping, start.cost, start.machine);
  widening_passes(*prepared->passes, tables.lattice().points(), budget, incumbent);
  out.statistics += prepared->passes->statistics();
  const LayerAnswer& found = incumbent.answer();
  out.offer(problem.options.objective, found.mapping, found.cost, found.machine);
  gate.pruned(Rule::Refine, out.value < start.value ? 1 : 0);
  return out;
}

}  // namespace heliolite
