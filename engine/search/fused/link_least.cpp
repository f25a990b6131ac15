// What a pass of a link costs at least, whatever mapping it has and wherever loops of a tree are around its nests
// (docs/rules/fused.md, rules pass-bound and link-bound): by what it must move, by what is known of other lambdas, and
// by searches below rising limits.
#include <algorithm>
#include <functional>
#include <limits>

#include "engine/base/integers.h"
#include "engine/model/perfect.h"
#include "engine/model/running_units.h"
#include "engine/network/fused_cost.h"
#include "engine/network/group_plan.h"
#include "engine/search/fused/link_solver.h"
#include "engine/search/schedule.h"
#include "engine/space/mapspace_size.h"

namespace heliolite {
namespace {

constexpr u64 kMostForBound = 20'000;  // mappings that a bound of a link is worth
constexpr double kAnyLambda = 1;       // where nothing depends on it
// How a limit below which nothing is found rises, and up to which multiple of what the passes must move.
constexpr double kRise = 1.08, kMostRise = 16;

}  // namespace

Result<LayerSearch> LinkSolver::prepare_least(int link, const LinkPass& pass, double lambda) const {
  SearchOptions options = options_;
  options.objective = Objective::weighted_sum(lambda);
  return LayerSearch::create(pass_workload(graph_.link(link), pass), chain(link), pass, options, true);
}

LinkSolver::Least& LinkSolver::known_least(int link, const LinkPass& pass, double lambda, Lock& lock) {
  LeastByLambda& all = store(link).pass[pass].least;
  const auto known = all.find(lambda);
  if (known != all.end()) return known->second;
  Least out;
  const Cost& floor = moved(link, pass, lock).cost;
  if (pass.taken == 0) out.first = sum_value(floor, lambda);
  else out.first = known_least(link, without_taken(pass), lambda, lock).best();
  out.first = std::max(out.first, from_other_lambdas(all, std::mem_fn(&Least::best), floor, lambda));
  return all.try_emplace(lambda, out).first->second;
}

const LinkSolver::Moved& LinkSolver::moved(int link, const LinkPass& pass, Lock& lock) {
  std::optional<Moved>& known = store(link).pass[without_taken(pass)].moved;
  if (known) return *known;
  lock.unlock();
  const Moved out = compulsory(link, pass);
  lock.lock();
  if (!known) known = out;
  return *known;
}

const Cost& LinkSolver::least_moved(int link, const LinkPass& pass) {
  Lock lock(store(link).mutex);
  return moved(link, pass, lock).cost;
}

// What the passes must move, and the steps that they take on as many compute units as they can use. Only the first of a
// level and of what has a home there needs a mapspace for what it keeps: that is the same for all sizes.
LinkSolver::Moved LinkSolver::compulsory(int link, const LinkPass& pass) {
  Store& own = store(link);
  const std::pair key{pass.level, pass.at_home};
  Lock lock(own.mutex);
  auto keep = own.keep.find(key);
  if (keep == own.keep.end()) {
    lock.unlock();
    const auto search = prepare_least(link, pass, kAnyLambda);
    if (!search) return {};
    lock.lock();
    keep = own.keep.try_emplace(key, search->problem().keep_range()).first;
  }
  lock.unlock();
  const Workload one = pass_workload(graph_.link(link), pass);
  NestPass nest = pass;
  nest.taken = 0;
  const CostModel model(one, running_chain(one, alone_), nest);
  const Compiled& c = model.compiled();
  Moved out{compulsory_cost(model, keep->second).whole};
  const u64 steps = ceil_div(c.macs, most_units(link, pass)) * c.pass.passes;
  out.cost.cycles = std::max(out.cost.cycles, c.cycles_of(steps));
  if (pass.at_home != 0) out.passage = static_cast<double>(passage_units(c));
  return out;
}

// Compute units that a mapping of one pass uses at most: its factors divide the sizes.
u64 LinkSolver::most_units(int link, const LinkPass& pass) {
  constexpr u64 kAll = ~u64{0};
  Store& own = store(link);
  if (!own.gate.on(Rule::PassBound)) return kAll;
  const std::pair key{pass.level, pass.size};
  Lock lock(own.mutex);
  if (const auto known = own.units.find(key); known != own.units.end()) return known->second;
  lock.unlock();
  u64 out = kAll;
  if (const auto search = prepare_least(link, pass, kAnyLambda))
    out = most_units_of_perfect_factors(search->problem().space).value_or(kAll);
  lock.lock();
  own.units.try_emplace(key, out);
  return out;
}

double LinkSolver::first_bound(int link, const LinkPass& pass, double lambda) {
  Lock lock(store(link).mutex);
  return known_least(link, pass, lambda, lock).best();
}

double LinkSolver::whole_bound(int link, const LinkPass& pass, double lambda, const SearchBudget& budget) {
  LinkPass whole;
  whole.size = sizes_of(graph_.link(link));
  whole.level = pass.level;
  whole.at_home = pass.at_home;
  Lock lock(store(link).mutex);
  Least& known = known_least(link, pass, lambda, lock);
  if (whole == pass) return known.best();
  lock.unlock();
  const double of_whole = least(link, whole, lambda, kNoSum, budget);
  lock.lock();
  known.first = std::max(known.first, of_whole + moved(link, pass, lock).passage);
  return known.best();
}

double LinkSolver::least(int link, const LinkPass& pass, double lambda, double limit, const SearchBudget& budget) {
  Store& own = store(link);
  Lock lock(own.mutex);
  Least& store = known_least(link, pass, lambda, lock);
  Least known = store;
  if (known.first >= limit) return known.first;
  if (known.limit >= limit || known.lower >= limit || known.lower < known.limit) return known.best();
  lock.unlock();
  const auto search = prepare_least(link, pass, lambda);
  if (!search) {
    lock.lock();
    store.limit = kNoSum;
    return 0;
  }
  // Little is searched below a limit that is not far above the least: the limit rises until something is found.
  double below = known.best() * kRise;
  u64 searches = 0, evaluated = 0;
  while (true) {
    const double limit_now = std::min(below, limit);
    ++searches;
    const SearchBudget own_budget = within_limit(budget, kMostForBound);
    const LayerAnswer answer = run_exact_alone(*search, own_budget, ObjectiveKey{limit_now, 0});
    evaluated += answer.statistics.evaluated;
    counted_ += answer.statistics.evaluated;
    if (!answer.complete && over(budget)) break;  // another budget may have time for more
    known.limit = limit_now;
    const bool found = answer.complete && answer.found;
    known.lower = found             ? sum_value(answer.cost, lambda)
                  : answer.complete ? limit_now
                                    : answer.lower_bound.value_or(0) * Energy::kUnitsPerPicojoule;
    if (found || !answer.complete || limit_now >= limit) break;
    below = below < known.first * kMostRise ? below * kRise : kNoSum;
  }
  lock.lock();
  own.searches += searches;
  own.evaluated += evaluated;
  if (known.lower >= store.lower) {
    store.lower = known.lower;
    store.limit = known.limit;
  }
  return store.best();
}

Cost LinkSolver::least_cost(int link) const {
  const Workload& own = graph_.link(link);
  Cost least{Energy{~u128{0} >> 1}, kTooManyCycles};
  const Architecture& chain = this->chain(link);
  const int levels = static_cast<int>(chain.levels.size());
  for (int level = 0; level < levels; ++level) {
    const bool alone = level + 1 == levels;  // then no tensor has a home
    if (!alone && !why_not_fusing_level(chain, level).empty()) continue;
    for (unsigned home = 0; home < (alone ? 1U : 1U << own.tensors.size()); ++home) {
      LinkPass pass;
      pass.level = level;
      pass.at_home = static_cast<TensorMask>(home);
      const auto search = LayerSearch::create(own, chain, pass, options_, true);
      if (!search) continue;
      const Cost cost = compulsory_cost(search->problem().model, search->problem().keep_range()).whole;
      least.energy = std::min(least.energy, cost.energy);
      least.cycles = std::min(least.cycles, cost.cycles);
    }
  }
  return least;
}

const LinkSolver::NestFreedom& LinkSolver::freedom(int link, int level) {
  const Lock lock(store(link).mutex);
  const auto [known, is_new] = store(link).freedom.try_emplace(level);
  NestFreedom& out = known->second;
  if (!is_new) return out;
  const NestPass whole;
  const auto search = LayerSearch::create(graph_.link(link), chain(link), whole, options_),
             around = LayerSearch::create(graph_.link(link), chain(link), whole, options_, true);
  if (!search || !around) return out;
  const Mapspace& space = search->problem().space;
  out.loops = space.levels == around->problem().space.levels && space.least_units <= 1;
  const LevelSpace& home = space.levels[level];
  out.may_keep = static_cast<TensorMask>(home.keep | home.open);
  out.as_home = out.may_keep;
  for (int i = level + 1; i + 1 < space.level_count(); ++i) {
    const bool is_interconnect = search->problem().model.compiled().level[i].is_interconnect;
    const unsigned kept = is_interconnect ? out.may_keep : space.levels[i].keep;
    out.as_home = static_cast<TensorMask>(out.as_home & ~kept);
  }
  return out;
}

const Cost& LinkSolver::term_cost(int array, int level) {
  const auto [known, is_new] = term_cost_.try_emplace({array, level});
  if (is_new) known->second = heliolite::term_cost({array, level, graph_.words(array)}, graph_, architecture_);
  return known->second;
}

}  // namespace heliolite
