#include "engine/search/fused/link_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/integers.h"
#include "engine/model/pass_cost.h"
#include "engine/network/fused_cost.h"
#include "engine/network/group_plan.h"
#include "engine/search/map.h"
#include "engine/search/schedule.h"

namespace heliolite {
namespace {

constexpr u64 kMostForBound = 20'000;  // mappings that a bound of a link is worth
// How a limit below which nothing is found rises, and up to which multiple of what the passes must move.
constexpr double kRise = 1.25, kMostRise = 16;

}  // namespace

double sum_value(const Cost& cost, double lambda) {
  return static_cast<double>(cost.energy.units) + lambda * static_cast<double>(cost.cycles);
}

LinkSolver::LinkSolver(const LinkGraph& graph, const Architecture& architecture, const SearchOptions& options)
    : graph_(graph), architecture_(architecture), options_(options), shape_(first_of_shape(graph.links)) {
  options_.progress = {};
  options_.threads = 1;
  options_.strategy = Strategy::Exact;
  options_.network = false;
}

u64 LinkSolver::room_of(const LinkPass& pass) const {
  if (pass.level < 0) return CompiledLevel::kUnbounded;
  const auto capacity = architecture_.levels[pass.level].capacity_words();
  if (!capacity) return CompiledLevel::kUnbounded;
  return *capacity - std::min(*capacity, pass.taken);
}

Result<LayerSearch> LinkSolver::prepare(int link, const LinkPass& pass, double lambda, Strategy strategy) const {
  SearchOptions options = options_;
  options.strategy = strategy;
  options.objective = Objective::weighted_sum(lambda);
  if (pass.is_plain()) return LayerSearch::create(graph_.link(link), architecture_, options);
  return LayerSearch::create(pass_workload(graph_.link(link), pass), architecture_, pass, options);
}

LinkMapping LinkSolver::with_room(const LayerSearch& search, const LinkPass& pass, const Mapping& mapping,
                                  const Cost& cost) const {
  LinkMapping out{mapping, cost};
  if (pass.level < 0) return out;
  const Compiled& c = search.problem().model.compiled();
  // Searches let tensors with a home pass by; their level keeps them, and what the machine makes keep what passes.
  for (int i = pass.level; i + 1 < c.level_count; ++i) {
    const TensorMask kept = i == pass.level ? pass.at_home : static_cast<TensorMask>(pass.at_home & c.passing[i]);
    out.mapping.keep[i] = static_cast<TensorMask>((out.mapping.keep[i] & ~pass.at_home) | kept);
  }
  u64 parts = 0;
  const CollapsedTraffic rows = pass_traffic(c, Nest(c, mapping), mapping.keep, mapping.outside);
  for (int v = 0; v < c.tensor_count; ++v)
    if (!contains(pass.at_home, v) && rows[v][pass.level].kept)
      parts += c.level[pass.level].taken(v, rows[v][pass.level].tile_words);
  out.room = ceil_div(parts, u64{c.level[pass.level].parts.of_word});
  return out;
}

// What a search in more room proved holds in less; what it found, wherever it fits.
std::optional<LinkAnswer> LinkSolver::recall(const Memo& memo, u64 room, double lambda, double limit) const {
  LinkAnswer best;
  const bool reuses = gate_.on(Rule::RoomReuse);
  for (const Known& known : memo.exact) {
    if (!reuses && known.room != room) continue;
    const bool fits = known.answer.found && known.answer.found->room <= room;
    if (fits && (!best.found || sum_value(known.answer.found->cost, lambda) < sum_value(best.found->cost, lambda)))
      best.found = known.answer.found;
    if (known.room >= room) best.lower_bound = std::max(best.lower_bound, known.answer.lower_bound);
  }
  const double value = best.found ? sum_value(best.found->cost, lambda) : kNoSum;
  if (best.lower_bound < std::min(limit, value) && !(best.lower_bound == kNoSum)) return std::nullopt;
  best.proven = true;
  best.lower_bound = std::min(best.lower_bound, value);
  if (reuses) gate_.pruned(Rule::RoomReuse, 1);
  return best;
}

LinkAnswer LinkSolver::solve(int link, const LinkPass& pass, double lambda, double limit, const SearchBudget& budget) {
  Context context{shape_[link], pass, lambda};
  context.pass.taken = 0;
  Memo& memo = memo_[context];
  const u64 room = room_of(pass);
  if (const auto known = recall(memo, room, lambda, limit)) return *known;
  const auto search = prepare(link, pass, lambda, Strategy::Exact);
  LinkAnswer out;
  if (!search) {
    out.lower_bound = kNoSum;
    out.proven = true;
    memo.exact.push_back({CompiledLevel::kUnbounded, out});
    return out;
  }
  const double first = search->first_bound() * Energy::kUnitsPerPicojoule;
  if (gate_.prunes(Rule::PassBound, [&] { return first >= limit; })) {
    out.lower_bound = first;
    out.proven = true;
    memo.exact.push_back({room, out});
    return out;
  }
  ++searches_;
  const ObjectiveKey key = limit < kNoSum ? ObjectiveKey{limit, 0} : ObjectiveKey{};
  const LayerAnswer answer =
      limit < kNoSum ? run_exact_alone(*search, budget, key) : run_exact_limited(*search, budget, key);
  evaluated_ += answer.statistics.evaluated;
  if (answer.found) out.found = with_room(*search, pass, answer.mapping, answer.cost);
  const double value = out.found ? sum_value(out.found->cost, lambda) : kNoSum;
  out.proven = answer.complete;
  if (answer.complete) out.lower_bound = std::min(value, limit);
  else out.lower_bound = std::max(first, answer.lower_bound.value_or(0) * Energy::kUnitsPerPicojoule);
  memo.exact.push_back({room, out});
  return out;
}

std::optional<LinkMapping> LinkSolver::fast(int link, const LinkPass& pass, double lambda, const SearchBudget& budget) {
  Context context{shape_[link], pass, lambda};
  context.pass.taken = 0;
  Memo& memo = memo_[context];
  const u64 room = room_of(pass);
  // What fits from a search in more room is as good as what a search here would find.
  for (auto known = memo.fast.lower_bound(room); known != memo.fast.end(); ++known) {
    if (!known->second) return std::nullopt;
    if (known->second->room <= room) return known->second;
  }
  const auto search = prepare(link, pass, lambda, Strategy::Sunstone);
  std::optional<LinkMapping>& out = memo.fast[room];
  if (!search) return out;
  ++searches_;
  const LayerAnswer answer = run_sunstone(*search, budget);
  evaluated_ += answer.statistics.evaluated;
  if (answer.found) out = with_room(*search, pass, answer.mapping, answer.cost);
  return out;
}

Result<LayerSearch> LinkSolver::prepare_least(int link, const LinkPass& pass, double lambda) const {
  SearchOptions options = options_;
  options.objective = Objective::weighted_sum(lambda);
  return LayerSearch::create(pass_workload(graph_.link(link), pass), architecture_, pass, options, true);
}

// E + lambda T is linear in lambda: between two lambdas it is at least what lies on the line between their bounds,
// above them at least the bound, below them at least its part.
double LinkSolver::from_other_lambdas(const std::map<double, Least>& known, double lambda) {
  const auto after = known.upper_bound(lambda);
  double out = 0;
  if (after != known.end()) out = after->second.best() * (lambda / after->first);
  if (after == known.begin()) return out;
  const auto before = std::prev(after);
  out = std::max(out, before->second.best());
  if (after == known.end()) return out;
  const double share = (lambda - before->first) / (after->first - before->first);
  return std::max(out, before->second.best() * (1 - share) + after->second.best() * share);
}

LinkSolver::Least& LinkSolver::known_least(int link, const LinkPass& pass, double lambda) {
  std::map<double, Least>& all = least_[{shape_[link], pass, 0}];
  const double others = all.contains(lambda) ? 0 : from_other_lambdas(all, lambda);
  const auto [known, is_new] = all.try_emplace(lambda);
  Least& out = known->second;
  if (!is_new) return out;
  const auto search = prepare_least(link, pass, lambda);
  out.first = search ? std::max(others, search->first_bound() * Energy::kUnitsPerPicojoule) : 0;
  return out;
}

double LinkSolver::first_bound(int link, const LinkPass& pass, double lambda) {
  return known_least(link, pass, lambda).first;
}

double LinkSolver::least(int link, const LinkPass& pass, double lambda, double limit, const SearchBudget& budget) {
  Least& known = known_least(link, pass, lambda);
  if (known.first >= limit) return known.first;
  if (known.limit >= limit || known.lower >= limit || known.lower < known.limit) return known.best();
  const auto search = prepare_least(link, pass, lambda);
  if (!search) {
    known.limit = kNoSum;
    return 0;
  }
  // Little is searched below a limit that is not far above the least: the limit rises until something is found.
  double below = known.best() * kRise;
  while (true) {
    const double limit_now = std::min(below, limit);
    ++searches_;
    const LayerAnswer answer = run_exact_alone(*search, budget.at_most(kMostForBound), ObjectiveKey{limit_now, 0});
    evaluated_ += answer.statistics.evaluated;
    if (!answer.complete && budget.over()) break;  // another budget may have time for more
    known.limit = limit_now;
    const bool found = answer.complete && answer.found;
    known.lower = found             ? sum_value(answer.cost, lambda)
                  : answer.complete ? limit_now
                                    : answer.lower_bound.value_or(0) * Energy::kUnitsPerPicojoule;
    if (found || !answer.complete || limit_now >= limit) break;
    below = below < known.first * kMostRise ? below * kRise : kNoSum;
  }
  return known.best();
}

Cost LinkSolver::least_cost(int link) const {
  const Workload& own = graph_.link(link);
  Cost least{Energy{~u128{0} >> 1}, kTooManyCycles};
  const int levels = static_cast<int>(architecture_.levels.size());
  for (int level = 0; level < levels; ++level) {
    const bool alone = level + 1 == levels;  // then no tensor has a home
    if (!alone && !why_not_fusing_level(architecture_, level).empty()) continue;
    for (unsigned home = 0; home < (alone ? 1U : 1U << own.tensors.size()); ++home) {
      LinkPass pass;
      pass.level = level;
      pass.at_home = static_cast<TensorMask>(home);
      const auto search = LayerSearch::create(own, architecture_, pass, options_, true);
      if (!search) continue;
      const Cost cost = compulsory_cost(search->problem().model, search->problem().keep_range()).whole;
      least.energy = std::min(least.energy, cost.energy);
      least.cycles = std::min(least.cycles, cost.cycles);
    }
  }
  return least;
}

}  // namespace heliolite
