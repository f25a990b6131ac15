#include "engine/search/fused/fused_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "engine/base/integers.h"
#include "engine/network/group_plan.h"
#include "engine/search/fused/lambda_slices.h"
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
        looks_(graph, architecture, rules, solver_),
        known_(options.objective),
        slices_(
            known_, solver_, budget_, options.budget_seconds,
            [this](double lambda, const SearchBudget& budget) {
              return std::make_unique<LeastSum>(graph_, architecture_, rules_, solver_, looks_, lambda, budget,
                                                reporter());
            },
            [this](const LeastSum& sum) { note(sum); }) {
    double operations = 0;
    for (const Layer& layer : graph.links)
      operations += static_cast<double>(layer.count) * static_cast<double>(layer.workload.macs());
    factor_ = machine_factor(options.objective, architecture.area_um2(), operations);
  }

  Result<FusedOptimum> run() {
    first_answer();
    // It counts its evaluations by itself, so not under a limit of them, if anything is known.
    Diagnostics errors;
    if (!options_.budget_evaluations || known_.empty()) errors = start();
    if (is_sum()) {
      const double lambda = tangent({});
      const LambdaSlices::Known* sum = nullptr;
      do sum = &slices_.run(lambda, gap()).second;
      while (!sum->is_done && !solver_.over(budget_));
      if (known_.empty()) return nothing(errors);
      take(known_.best_at(lambda));
      out_.lower_bound = std::max(least_, end_number(sum->lower, lambda));
      out_.lambda = lambda / Energy::kUnitsPerPicojoule;
    } else {
      // Layers that have no mapping alone may have one in a group, beside what is at home.
      if (known_.empty()) slices_.run(tangent(least_cost()), gap());
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
    known_.add(*unfused);
    LeastSum groups(graph_, architecture_, rules_, solver_, looks_, tangent(unfused->cost), budget, reporter(&budget));
    groups.links_alone();
    groups.climb(budget, ChangesAtOnce::One);
    note(groups, &budget);
    const auto least = [this] { return known_.value(known_.best()); };
    for (double before = kNoSum; !solver_.over(budget) && least() < before * kEqualSum;) {
      before = least();
      const SearchBudget own = known_.best().fused ? budget : budget.part_of_time(kNotFused);
      LeastSum next(graph_, architecture_, rules_, solver_, looks_, tangent(known_.best().cost), own,
                    reporter(&budget));
      next.improve(known_.all());
      note(next, &budget);
    }
  }

  // What a sum has found. A search that a limit of evaluations cut short may have led elsewhere than all of it: nothing
  // that comes of it is noted, so that a larger limit never gives a dearer answer.
  void note(const LeastSum& sum, const SearchBudget* phase = nullptr) {
    if (reported_) known_.add(*std::exchange(reported_, std::nullopt));
    if (solver_.used_up() || (phase != nullptr && solver_.over(*phase))) return;
    if (auto best = sum.best()) known_.add(*std::move(best));
    if (auto unfused = sum.unfused()) known_.add(*std::move(unfused));
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
    for (const KnownSchedule& k : known_.all()) {
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
    known_.add(std::move(out));
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

  // How far the best answer is above the network's bound, as a part of that.
  double gap() const { return known_.empty() ? kNoSum : known_.value(known_.best()) / least_ - 1; }

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
    return lift_of_least(hull.lower(), options_.objective, known_.value(known_.best()));
  }

  // The network as one layer of find_least_product(), whose mappings are schedules.
  void choose() {
    std::vector<NetworkLayer> layers;
    NetworkLayer whole{LayerHull(least_cost(), 1), {}};
    for (const KnownSchedule& k : known_.all())
      if (whole.hull.add_mapping(k.cost) == whole.known.size()) whole.known.push_back({{}, k.cost});
    whole.goes_on = true;
    layers.push_back(std::move(whole));
    const auto search = [&](std::size_t, double lambda, const KnownMapping&) {
      SumAnswer out;
      const auto& [own, sum] = slices_.run(lambda, gap(), lift_of(layers.front().hull));
      out.lambda = own;
      out.found = KnownMapping{{}, known_.best_at(own).cost};
      out.complete = sum.lower >= known_.least_at(own) * kEqualSum;
      out.lower_bound_pj = sum.lower / Energy::kUnitsPerPicojoule;
      is_stuck_ |= sum.is_done && !out.complete;
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
    for (const KnownSchedule& k : known_.all())
      if (k.cost == cost) take(k);
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

  void take(const KnownSchedule& known) {
    out_.schedule = known.schedule;
    out_.cost = known.cost;
  }

  void finish() {
    const Objective objective = options_.objective;
    out_.value = objective_number(objective, out_.cost);
    if (out_.lower_bound >= out_.value * kEqualSum) out_.status = Status::Optimal;
    if (out_.status == Status::Optimal) out_.lower_bound = out_.value;
    else out_.why_not_proven = why_not_proven();
    out_.gap = out_.lower_bound > 0 ? out_.value / out_.lower_bound - 1 : 0;
    double least = kNoSum;  // of those without groups
    for (const KnownSchedule& k : known_.all()) {
      if (k.fused || objective_number(objective, k.cost) >= least) continue;
      least = objective_number(objective, k.cost);
      out_.unfused = k.schedule;
      out_.unfused_cost = k.cost;
    }
    out_.value *= factor_, out_.lower_bound *= factor_;
    if (least < kNoSum) out_.unfused_value = least * factor_;
    out_.lambdas = slices_.lambdas();
    out_.trees = slices_.trees();
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
  KnownSchedules known_;
  std::optional<KnownSchedule> reported_;  // the last one that was reported, if it is not known yet
  LambdaSlices slices_;
  bool is_stuck_ = false;  // a sum is not settled though nothing is left to search
  FusedOptimum out_;
};

}  // namespace

Result<FusedOptimum> search_fused(const LinkGraph& graph, const Architecture& architecture,
                                  const SearchOptions& options, const FusionRules& rules) {
  return FusedSearch(graph, architecture, options, rules).run();
}

}  // namespace heliolite
