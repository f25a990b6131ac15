#include "engine/search/exact/narrow_search.h"

#include <algorithm>
#include <optional>

#include "engine/search/core/compulsory.h"
#include "engine/search/exact/range_passes.h"
#include "engine/search/exact/range_tables.h"

namespace heliolite {
namespace {

// Times what every mapping costs: answers that are not above are left as they are.
constexpr double kFar = 1.05;
// An answer that is not above this many times the least bound of what a pass left out needs no wider one.
constexpr double kClose = 1.04;

// Partial mappings that a pass keeps after each level, of each set of servers.
constexpr std::size_t kWidths[] = {16, 512, 4096};
// Each of them may go on with any tile: no pass but the first has a chance of more such pairs.
constexpr u64 kMostPairs = u64{1} << 30;
constexpr u64 kMostEvaluations = 400'000;  // of all passes together

// Tiles up to which there are passes; numbers of a table up to which each tile has some of its own, one for each set of
// servers; and the cells of the grid where that were more.
constexpr u64 kMostTiles = u64{1} << 19, kMostNumbers = u64{1} << 20, kCells = u64{1} << 12;

// A layer of more tiles has passes that take long, or are cut short.
constexpr u64 kFewTiles = u64{1} << 14;

u64 tiles(const LayerProblem& problem) {
  const Compiled& c = problem.model.compiled();
  return Lattice(c.size, c.dimension_count, {~u64{0}, 1}).points();
}

bool may_be_far(const LayerProblem& problem, const LayerAnswer& start) {
  const Objective objective = problem.options.objective;
  const Cost least = compulsory_cost(problem.model, problem.keep_range()).whole;
  return objective_number(objective, start.cost) > kFar * objective_number(objective, least);
}

// None: the tables would take much longer than the search before, or there are too many ways to keep tensors.
std::optional<GridLimits> table_limits(const LayerProblem& problem) {
  const Compiled& c = problem.model.compiled();
  const KeepRange keep = problem.keep_range();
  if (tiles(problem) > kMostTiles) return std::nullopt;
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
    if (width != kWidths[0] && width * tile_count > kMostPairs) return;
    if (spent(budget, search.statistics().evaluated) != SearchEnd::Done) return;
    Incumbent below = incumbent.below(limit);
    const PassEnd end = search.run(width, budget, below, {});
    incumbent.offer(below);
    // What a user's budget has cut short is where a larger one goes on.
    if (end.complete || (end.by_budget && limited)) return;
    limit = {incumbent.best().first / kClose, 0};
    if (!(end.least_left < limit)) return;
  }
}

}  // namespace

bool narrow_search_is_quick(const LayerProblem& problem) {
  return tiles(problem) <= kFewTiles && table_limits(problem).has_value();
}

LayerAnswer narrow_search(const LayerProblem& problem, const LayerAnswer& start, const SearchBudget& budget) {
  LayerAnswer out = start;
  const Gate gate(problem.options.rules, out.statistics.rules);
  if (!gate.on(Rule::Refine) || spent(budget, 0) != SearchEnd::Done || !may_be_far(problem, start)) return out;
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
