#include "engine/search/fused/fused_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "engine/base/integers.h"
#include "engine/network/group_plan.h"
#include "engine/search/fused/least_sum.h"
#include "engine/search/map.h"
#include "engine/search/network/least_product.h"

namespace heliolite {
namespace {

// Parts of the time that is left:
constexpr double kFirstAnswer = 0.5;   // for schedules that are quickly priced,
constexpr double kFirstSeconds = 0.6;  // at least these seconds,
constexpr double kMostFirst = 0.6;     // but no more than this
constexpr double kNotFused = 0.25;     // of that time: for a round of steps if no layers are fused before,
constexpr double kUnfused = 0.35;      // for the optimum without groups,
constexpr double kFarUnfused = 0.1;    // or where it is far above what is known: quickly found mappings of links alone
constexpr double kFarAbove = 1.2;      // cost this many times as much
constexpr double kOneLambda = 0.5;     // for answers and bounds of the least sum at one lambda,
constexpr double kTrees = 0.25;        // for trees there,
constexpr double kLeastSlice = 0.02;   // but at least this, of all time
// A lambda is not worth a sum of its own if one that is this near lacks bounds, or trees.
constexpr double kNearBounds = 1.5, kNearTrees = 1.15;
constexpr double kLeastLift = 0.25;      // of a sum's gap: so much one slice closes, if it can
constexpr double kWorthMore = 1.0 / 32;  // of the network's gap: a sum's gap that is worth more time

// All lambdas.
class FusedSearch {
 public:
  FusedSearch(const LinkGraph& graph, const Architecture& architecture, const SearchOptions& options,
              const FusionRules& rules)
      : graph_(graph),
        architecture_(architecture),
        options_(options),
        rules_(rules),
        budget_(options),
        solver_(graph, architecture, options),
        looks_(graph, architecture, rules, solver_) {
    double operations = 0;
    for (const Layer& layer : graph.links)
      operations += static_cast<double>(layer.count) * static_cast<double>(layer.workload.macs());
    factor_ = machine_factor(options.objective, architecture.area_um2(), operations);
  }

  Result<FusedOptimum> run() {
    first_answer();
    if (is_sum()) {
      const double lambda = tangent({});
      while (!at_lambda(lambda).second.is_done && !solver_.over(budget_)) {
      }
      const double lower = sums_.at(lambda).lower;
      if (known_.empty()) return nothing(start());
      take(best_at(lambda));
      out_.lower_bound = std::max(least_, end_number(lower, lambda));
      out_.lambda = lambda / Energy::kUnitsPerPicojoule;
    } else {
      // It counts its evaluations by itself, so not under a limit of them, if anything is known.
      Diagnostics errors;
      if (!options_.budget_evaluations || known_.empty()) errors = start();
      // Layers that have no mapping alone may have one in a group, beside what is at home.
      if (known_.empty()) at_lambda(tangent(least_cost()));
      if (known_.empty()) return nothing(errors);
      choose();
    }
    finish();
    out_.seconds = clock_.seconds();
    return std::move(out_);
  }

 private:
  Diagnostics nothing(Diagnostics errors) const {
    if (errors.empty()) errors.push_back({"", 0, "schedule", "no schedule of the network is legal"});
    return errors;
  }

  // A schedule that is soon there, for lambda as it is where the least energy and the fewest cycles meet, then as the
  // answer itself has it.
  void first_answer() {
    const Cost moved = least_cost();
    least_ = objective_number(options_.objective, moved);
    const double left = budget_.seconds_left().value_or(0);
    const double share = left > 0 ? std::clamp(kFirstSeconds / left, kFirstAnswer, kMostFirst) : 1;
    const SearchBudget budget = budget_.part_of_time(share);
    LeastSum alone(graph_, architecture_, rules_, solver_, looks_, tangent(moved), budget, reporter());
    alone.links_alone();
    const auto unfused = alone.unfused();
    solver_.limit_evaluations();
    if (!unfused) return;
    known_.push_back(*unfused);
    LeastSum groups(graph_, architecture_, rules_, solver_, looks_, tangent(unfused->cost), budget, reporter(&budget));
    groups.links_alone();
    groups.climb(budget, ChangesAtOnce::One);
    note(groups, &budget);
    const auto least = [this] { return objective_number(options_.objective, best_known().cost); };
    for (double before = kNoSum; !solver_.over(budget) && least() < before * kEqualSum;) {
      before = least();
      const SearchBudget own = best_known().fused ? budget : budget.part_of_time(kNotFused);
      LeastSum next(graph_, architecture_, rules_, solver_, looks_, tangent(best_known().cost), own, reporter(&budget));
      next.improve(known_);
      note(next, &budget);
    }
  }

  // What a sum has found. A search that a limit of evaluations cut short may have led elsewhere than all of it: nothing
  // that comes of it is noted, so that a larger limit never gives a dearer answer.
  void note(const LeastSum& sum, const SearchBudget* phase = nullptr) {
    if (reported_) known_.push_back(*std::exchange(reported_, std::nullopt));
    if (solver_.used_up() || (phase != nullptr && solver_.over(*phase))) return;
    if (auto best = sum.best()) known_.push_back(*std::move(best));
    if (auto unfused = sum.unfused()) known_.push_back(*std::move(unfused));
  }

  // Energy, or cycles: sums of those of groups.
  bool is_sum() const { return info(options_.objective).degree() == 1; }

  // Lambda of the tangent, at a point, of all points that have its value.
  double tangent(const Cost& cost) const {
    if (is_sum()) return info(options_.objective).energy_power == 1 ? Objective::kLeastLambda : Objective::kMostLambda;
    const double slope = static_cast<double>(cost.energy.units) / static_cast<double>(std::max<u64>(cost.cycles, 1));
    return std::clamp(info(options_.objective).cycles_power * slope, Objective::kLeastLambda, Objective::kMostLambda);
  }

  // Notes a schedule, and tells of it, if it is better than all before. `phase`: of a time after which nothing is.
  BetterSchedule reporter(const SearchBudget* phase = nullptr) {
    return [this, phase](const KnownSchedule& known) {
      if (solver_.used_up() || (phase != nullptr && solver_.over(*phase))) return;
      const double value = objective_number(options_.objective, known.cost) * factor_;
      if (!out_.answers.empty() && value >= out_.answers.back().value) return;
      reported_ = known;
      out_.answers.push_back({clock_.seconds(), value, std::min(value, least_ * factor_), known.fused});
      if (options_.progress)
        options_.progress({.layer = "schedule",
                           .value = value,
                           .lower_bound = out_.answers.back().lower_bound,
                           .evaluated = solver_.evaluated()});
    };
  }

  // Whether the best schedule is one that has groups, and far better than any known without.
  bool is_far_unfused() const {
    double fused = kNoSum, unfused = kNoSum;
    for (const KnownSchedule& k : known_) {
      double& least = k.fused ? fused : unfused;
      least = std::min(least, objective_number(options_.objective, k.cost));
    }
    return unfused < kNoSum && unfused > kFarAbove * fused;
  }

  // The network's optimum without groups; errors that say which layers have none.
  Diagnostics start() {
    Network network;
    network.layers = graph_.links;
    SearchOptions options = options_;
    options.network = true;
    options.progress = {};
    // A budget of map_network() is a layer's.
    if (const auto left = budget_.seconds_left()) {
      const std::vector<std::size_t> shapes = first_of_shape(graph_.links);
      const std::set<std::size_t> different(shapes.begin(), shapes.end());
      options.budget_seconds =
          *left * (is_far_unfused() ? kFarUnfused : kUnfused) / static_cast<double>(different.size());
    }
    const Result<NetworkResult> result = map_network(network, architecture_, options);
    if (!result) return result.errors();
    if (!result->all_feasible()) return infeasible_layers(*result);
    KnownSchedule out;
    out.cost = result->total;
    for (int l = 0; l < static_cast<int>(graph_.links.size()); ++l) {
      out.schedule.mappings.push_back(result->layers[l].result.mapping);
      out.links.push_back(result->layers[l].result.cost);
      LinkGroup alone;
      alone.first = alone.last = l;
      out.schedule.groups.push_back(alone);
      const Cost terms = terms_cost(plan(alone, graph_, architecture_, rules_), graph_, architecture_);
      out.cost += terms * graph_.links[l].count;
    }
    reporter()(out);
    known_.push_back(std::move(out));
    return {};
  }

  Diagnostics infeasible_layers(const NetworkResult& result) const {
    Diagnostics errors;
    for (std::size_t l = 0; l < result.layers.size(); ++l)
      for (Diagnostic why : result.layers[l].result.why_infeasible) {
        why.message = fmt::format("layer {}: {}", graph_.links[l].workload.name, why.message);
        errors.push_back(std::move(why));
      }
    return errors;
  }

  // A lambda's least sum, as far as it is known.
  struct Slices {
    std::unique_ptr<LeastSum> sum;
    double lower = 0;         // none is below
    bool is_bounded = false;  // the bounds are those that links give: what is left is to search trees
    bool is_done = false;     // nothing is left
  };
  using SlicesOfLambda = std::map<double, Slices>;

  // A slice of time for the least sum, or for that of a lambda close by that is not settled; returns whose. A slice
  // that is to lift a corner ends with that.
  const SlicesOfLambda::value_type& at_lambda(double lambda, const std::optional<CornerLift>& lift = {}) {
    auto own = near(lambda);
    const bool is_new = own == sums_.end();
    const SearchBudget budget = slice_of_time(is_new || !own->second.is_bounded ? kOneLambda : kTrees);
    if (is_new) {
      own = sums_.try_emplace(lambda).first;
      own->second.sum =
          std::make_unique<LeastSum>(graph_, architecture_, rules_, solver_, looks_, lambda, budget, reporter());
      for (auto& [other, slices] : sums_)
        if (other != lambda) {
          slices.sum->know(*own->second.sum);
          own->second.sum->know(*slices.sum);
        }
    }
    auto& [sum, lower, is_bounded, is_done] = own->second;
    forget_but(*sum);
    const u64 before = sum->trees();
    out_.lambdas += is_new;
    const double enough = lift ? enough_of(own->first, lower, *lift) : kNoSum;
    const bool trees = is_bounded || !options_.budget_seconds;
    lower = std::max(lower, is_new ? sum->run(known_, trees, enough) : sum->next_slice(known_, budget, trees, enough));
    out_.trees += sum->trees() - before;
    const bool is_cut = solver_.over(budget) || lower >= enough * kEqualSum;
    is_bounded |= !is_cut;
    note(*sum);
    is_done = (!is_cut && trees) || lower >= least_known(own->first) * kEqualSum;
    return *own;
  }

  // What a sum must be at least to lift the corner; more if that is a small part only of what it lacks.
  double enough_of(double lambda, double lower, const CornerLift& lift) const {
    const double least = lift.sum_pj(lambda / Energy::kUnitsPerPicojoule) * Energy::kUnitsPerPicojoule;
    return std::max(least, lower + kLeastLift * (least_known(lambda) - lower));
  }

  // The lambda itself, or the nearest that is not settled and with which it would share most of its line; none whose
  // bound is so near to the best answer that all of its trees would not lift the network's by much.
  SlicesOfLambda::iterator near(double lambda) {
    if (const auto same = sums_.find(lambda); same != sums_.end()) return same;
    const auto away = [&](double other) { return std::max(other / lambda, lambda / other); };
    const auto is_worth_more = [&](const SlicesOfLambda::value_type& one) {
      const double gap = objective_number(options_.objective, best_known().cost) / least_ - 1;
      const double own_gap = least_known(one.first) / one.second.lower - 1;
      return own_gap >= gap * kWorthMore;
    };
    auto out = sums_.end();
    for (auto one = sums_.begin(); one != sums_.end(); ++one) {
      const double most = one->second.is_done ? 0 : one->second.is_bounded ? kNearTrees : kNearBounds;
      if (away(one->first) <= most && is_worth_more(*one) &&
          (out == sums_.end() || away(one->first) < away(out->first)))
        out = one;
    }
    return out;
  }

  SearchBudget slice_of_time(double share) const {
    const auto left = budget_.seconds_left();
    if (!left) return budget_;
    return budget_.part_of_time(std::clamp(kLeastSlice * *options_.budget_seconds / std::max(*left, 1e-9), share, 1.0));
  }

  // All but one sum remember trees in one part of the memory.
  void forget_but(const LeastSum& next) {
    u64 bytes = 0;
    for (const auto& [lambda, own] : sums_) bytes += own.sum.get() == &next ? 0 : own.sum->bytes();
    if (bytes <= solver_.memory_bytes() / kPartsOfMemory) return;
    for (auto& [lambda, own] : sums_)
      if (own.sum.get() != &next) own.sum->forget();
  }

  const KnownSchedule& best_known() const {
    return *std::ranges::min_element(
        known_, {}, [&](const KnownSchedule& k) { return objective_number(options_.objective, k.cost); });
  }

  std::size_t best_at(double lambda) const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < known_.size(); ++k)
      if (sum_value(known_[k].cost, lambda) < sum_value(known_[best].cost, lambda)) best = k;
    return best;
  }

  double least_known(double lambda) const {
    return known_.empty() ? kNoSum : sum_value(known_[best_at(lambda)].cost, lambda);
  }

  // Energy, or cycles, that none is below, from the bound of the sum at an end.
  double end_number(double lower, double lambda) const {
    if (lambda == Objective::kLeastLambda) return lower / Energy::kUnitsPerPicojoule;
    return lower / lambda;
  }

  // Energy and cycles that every schedule has at least.
  Cost least_cost() {
    Cost sum{};
    for (int l = 0; l < static_cast<int>(graph_.links.size()); ++l) {
      sum += solver_.least_cost(l) * graph_.links[l].count;
    }
    return sum;
  }

  // How far the least corner of what is known is worth lifting; none: there is no line yet, or no corner to lift.
  std::optional<CornerLift> lift_of(const LayerHull& hull) const {
    if (hull.lines().empty()) return std::nullopt;
    return lift_of_least(hull.lower(), options_.objective, objective_number(options_.objective, best_known().cost));
  }

  // The lambda that is asked for, or that of a line which limits what it can do.
  double first_of(const CornerLift& lift, double lambda) const {
    for (const double edge : lift.edges_first)
      if (const auto own = sums_.find(edge); own != sums_.end() && !own->second.is_done) return edge;
    return lambda;
  }

  // The network as one layer of find_least_product(), whose mappings are schedules.
  void choose() {
    std::vector<NetworkLayer> layers;
    NetworkLayer whole{LayerHull(least_cost(), 1), {}};
    const auto offer = [&](NetworkLayer& layer, std::size_t k) {
      const std::size_t number = layer.hull.add_mapping(known_[k].cost);
      if (number == layer.known.size()) layer.known.push_back({{}, known_[k].cost});
    };
    for (std::size_t k = 0; k < known_.size(); ++k) offer(whole, k);
    whole.goes_on = true;
    layers.push_back(std::move(whole));
    const auto search = [&](std::size_t, double lambda, const KnownMapping&) {
      SumAnswer out;
      const std::optional<CornerLift> lift = lift_of(layers.front().hull);
      const auto& [own, slices] = at_lambda(lift ? first_of(*lift, lambda) : lambda, lift);
      const std::size_t best = best_at(own);
      out.lambda = own;
      out.found = KnownMapping{{}, known_[best].cost};
      out.complete = slices.lower >= least_known(own) * kEqualSum;
      out.lower_bound_pj = slices.lower / Energy::kUnitsPerPicojoule;
      is_stuck_ |= slices.is_done && !out.complete;
      return out;
    };
    ProductQuestion question{options_.objective, options_.rules, 1, [&] { return solver_.over(budget_) || is_stuck_; }};
    question.report = [&](double value, double bound) {
      least_ = std::max(least_, bound);
      if (options_.progress)
        options_.progress({.layer = "schedule",
                           .value = value * factor_,
                           .lower_bound = bound * factor_,
                           .evaluated = solver_.evaluated()});
    };
    const LeastProduct best = find_least_product(layers, search, question);
    const Cost& cost = layers.front().known[best.chosen.front()].cost;
    for (std::size_t k = 0; k < known_.size(); ++k)
      if (known_[k].cost == cost) take(k);
    out_.lower_bound = best.lower_bound;
    out_.lambda = best.lambda;
    out_.rules += best.rules;
    if (best.optimal) out_.status = Status::Optimal;
  }

  std::string why_not_proven() const {
    if (budget_.stopped()) return "somebody stopped the search of schedules";
    if (solver_.used_up())
      return fmt::format("the {} evaluations of the budget are used up", *options_.budget_evaluations);
    if (solver_.over(budget_)) return fmt::format("the {} s of the budget are over", *options_.budget_seconds);
    if (is_stuck_) return "some searches of layers and trees need more memory than they may hold";
    return "limits of time ended the search of schedules for some sums";
  }

  void take(std::size_t k) {
    out_.schedule = known_[k].schedule;
    out_.cost = known_[k].cost;
  }

  void finish() {
    const Objective objective = options_.objective;
    out_.value = objective_number(objective, out_.cost);
    if (out_.lower_bound >= out_.value * kEqualSum) out_.status = Status::Optimal;
    if (out_.status == Status::Optimal) out_.lower_bound = out_.value;
    else out_.why_not_proven = why_not_proven();
    out_.gap = out_.lower_bound > 0 ? out_.value / out_.lower_bound - 1 : 0;
    double least = kNoSum;  // of those without groups
    for (const KnownSchedule& k : known_) {
      if (k.fused || objective_number(objective, k.cost) >= least) continue;
      least = objective_number(objective, k.cost);
      out_.unfused = k.schedule;
      out_.unfused_cost = k.cost;
    }
    out_.value *= factor_, out_.lower_bound *= factor_;
    if (least < kNoSum) out_.unfused_value = least * factor_;
    out_.links = solver_.searches();
    out_.evaluated = solver_.evaluated();
    out_.rules += solver_.rules();
  }

  const LinkGraph& graph_;
  const Architecture& architecture_;
  const SearchOptions& options_;
  const FusionRules& rules_;
  Stopwatch clock_;
  SearchBudget budget_;
  LinkSolver solver_;
  GroupLooks looks_;
  double least_ = 0;   // no schedule's objective is below
  double factor_ = 1;  // machine_factor() of the network
  std::vector<KnownSchedule> known_;
  std::optional<KnownSchedule> reported_;  // the last one that was reported, if it is not known yet
  SlicesOfLambda sums_;
  bool is_stuck_ = false;  // a sum is not settled though nothing is left to search
  FusedOptimum out_;
};

}  // namespace

Result<FusedOptimum> search_fused(const LinkGraph& graph, const Architecture& architecture,
                                  const SearchOptions& options, const FusionRules& rules) {
  return FusedSearch(graph, architecture, options, rules).run();
}

}  // namespace heliolite
