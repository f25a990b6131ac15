#include "engine/search/scheduling/fused_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/model/running_units.h"
#include "engine/search/core/budget.h"
#include "engine/search/fused/link_solver.h"
#include "engine/search/map.h"

namespace heliolite {

std::vector<LinkPass> FusedNetwork::passes() const { return mapped(cost.links, &LinkBreakdown::pass); }

Diagnostics unfusable(const SearchOptions& options, const Architecture& architecture) {
  Diagnostics errors = validate_question(options);
  const auto refuse = [&](const char* field, const std::string& value, const char* allowed) {
    errors.push_back(
        {"", 0, field, fmt::format("'{}' is not searched where layers are fused: must be {}", value, allowed)});
  };
  if (options.strategy != Strategy::Exact) refuse("strategy", std::string(name(options.strategy)), "exact");
  if (options.tiles != Tiles::Even) refuse("tiles", "uneven", "even");
  if (options.factors != Factors::Perfect) refuse("factors", "any", "perfect");
  if (options.open) refuse("open", "on", "left out, keep rules hold");
  if (!options.evaluator.command.empty())
    refuse("evaluator", options.evaluator.command, "left out, energy and cycles are summed up");
  else
    for (Diagnostic& error : objective_complaints(options.objective, architecture)) errors.push_back(std::move(error));
  if (architecture.peer_channel)
    errors.push_back({"", 0, "fuse",
                      fmt::format("{} has {}, which schedules do not count: ask with {} off", architecture.name,
                                  kPeerChannel.name, kPeerChannel.option)});
  if (architecture.ramps) errors.push_back(ramps_not_counted(architecture));
  return errors;
}

namespace {

// Which unit runs each link, for all choices there are.
using UnitChoice = std::vector<std::size_t>;  // [link]: a number of Architecture::chain()

Result<std::vector<UnitChoice>> unit_choices(const LinkGraph& graph, const Architecture& architecture) {
  std::vector<UnitChoice> out{{}};
  std::vector<std::string> several;
  Diagnostics errors;
  for (const Layer& link : graph.links) {
    const Result<std::vector<std::size_t>> units = units_that_run(link.workload, architecture);
    if (!units) {
      errors.insert(errors.end(), units.errors().begin(), units.errors().end());
      continue;
    }
    if (units->size() > 1) several.push_back(link.workload.name);
    std::vector<UnitChoice> longer;
    for (const UnitChoice& choice : out)
      for (const std::size_t unit : *units) longer.push_back(choice), longer.back().push_back(unit);
    out = std::move(longer);
    if (out.size() > kMostUnitChoices)
      return Diagnostic{"", 0, "unit",
                        fmt::format("{} of {} can run on several units each, together more than {} choices, which is "
                                    "as many as are searched where layers are fused: name one in layers, unit: {}",
                                    join(several), architecture.name, kMostUnitChoices, architecture.compute.name)};
  }
  if (!errors.empty()) return errors;
  return out;
}

LinkGraph on_units(LinkGraph graph, const UnitChoice& choice, const Architecture& architecture) {
  for (std::size_t l = 0; l < graph.links.size(); ++l)
    graph.links[l].workload.unit = architecture.chain(choice[l]).compute.name;
  return graph;
}

Result<FusedNetwork> with_costs(LinkGraph graph, FusedOptimum best, const Architecture& architecture,
                                const FusionRules& rules) {
  FusedNetwork out{.graph = std::move(graph), .best = std::move(best), .cost = {}};
  Result<ScheduleBreakdown> cost = schedule_breakdown(out.best.schedule, out.graph, architecture, rules);
  if (!cost) return cost.errors();
  out.cost = *std::move(cost);
  if (!out.best.unfused_value) return out;
  Result<ScheduleBreakdown> unfused = schedule_breakdown(out.best.unfused, out.graph, architecture, rules);
  if (!unfused) return unfused.errors();
  out.unfused = *std::move(unfused);
  return out;
}

// Part of the time for a first look at all choices of units.
constexpr double kFirstLook = 0.25;
// How often those that may be better are looked at again: some end before their time, and leave it to others.
constexpr int kMostCloserLooks = 3;
// A search is not begun with less.
constexpr double kLeastSeconds = 0.05;

// The best of the schedules for each choice of units. What is proven is the least that is proven of any choice.
class UnitChoiceSearch {
 public:
  UnitChoiceSearch(const LinkGraph& graph, const std::vector<UnitChoice>& choices, const Architecture& architecture,
                   const SearchOptions& options, const FusionRules& rules)
      : graph_(graph), architecture_(architecture), options_(options), rules_(rules) {
    for (const UnitChoice& units : choices) choices_.push_back({&units});
  }

  Result<FusedNetwork> run() {
    // Step 1. All of them, quickly where time is limited.
    const bool again = options_.budget_seconds.has_value();
    for (std::size_t k = 0; k < choices_.size() && may_continue(k); ++k)
      if (auto wrong = search(choices_[k], part(choices_.size() - k, again ? kFirstLook : 1))) return *wrong;
    // Step 2. Those that may have something better, by what is proven of them, as long as there is time: those first
    // that hold the bound down.
    for (int round = 0; round < kMostCloserLooks && again; ++round)
      if (auto wrong = look_closer()) return *wrong;
    if (!best_) return errors_;
    return conclude();
  }

 private:
  struct Choice {
    const UnitChoice* units;
    double bound = 0;                // no schedule on these units is below
    std::string why{"interrupted"};  // it is not proven to be the least there
  };

  std::optional<Diagnostics> look_closer() {
    std::vector<Choice*> open;
    for (Choice& choice : choices_)
      if (may_be_better(choice)) open.push_back(&choice);
    std::ranges::stable_sort(open, {}, [](const Choice* c) { return c->bound; });
    const auto may = [&](const Choice* c) { return may_be_better(*c); };
    for (auto next = open.begin(); next != open.end() && may_continue(choices_.size()); ++next) {
      if (!may(*next)) continue;
      const auto left = static_cast<std::size_t>(std::count_if(next, open.end(), may));
      if (auto wrong = search(**next, part(left, 1))) return wrong;
    }
    return std::nullopt;
  }

  // Whether another search begins: the first one does, and others as long as nothing ends them all.
  bool may_continue(std::size_t searches) const {
    if (searches == 0) return true;
    return !SearchBudget(options_).stopped() &&
           (searches < choices_.size() || clock_.seconds() + kLeastSeconds < *options_.budget_seconds);
  }

  bool may_be_better(const Choice& choice) const { return !best_ || choice.bound < best_->best.value * kEqualSum; }

  // Errors: what makes schedules no answer at all.
  std::optional<Diagnostics> search(Choice& choice, const SearchOptions& options) {
    LinkGraph named = on_units(graph_, *choice.units, architecture_);
    const double before = clock_.seconds();
    Result<FusedOptimum> found = search_fused(named, architecture_, options, rules_);
    if (!found) {
      choice.why = "on other units of some layers no schedule was found", errors_ = found.errors();
      return std::nullopt;
    }
    count(*found);
    choice.why = fmt::format("of a choice of units: {}", found->why_not_proven);
    choice.bound = std::max(choice.bound, found->lower_bound);
    Result<FusedNetwork> priced = with_costs(std::move(named), *std::move(found), architecture_, rules_);
    if (!priced) return priced.errors();
    take(*std::move(priced), before);
    return std::nullopt;
  }

  // The options of one of `left` searches, which have a share of the time that is left.
  SearchOptions part(std::size_t left, double share) const {
    SearchOptions out = options_;
    if (out.budget_seconds) {
      const double end = *out.budget_seconds * share;
      out.budget_seconds = in_milliseconds((end - clock_.seconds()) / static_cast<double>(left));
    }
    if (out.budget_evaluations) out.budget_evaluations = std::max<u64>(1, *out.budget_evaluations / choices_.size());
    if (options_.progress)
      out.progress = [this](SearchProgress news) {
        if (best_) news.value = std::min(news.value, best_->best.value);
        news.lower_bound = 0;  // of this choice alone
        options_.progress(news);
      };
    return out;
  }

  // Whole ones, at least one: people read it.
  static double in_milliseconds(double seconds) { return std::max(1.0, std::floor(seconds * 1e3)) / 1e3; }

  void count(const FusedOptimum& found) {
    sums_.lambdas += found.lambdas, sums_.links += found.links, sums_.trees += found.trees;
    sums_.evaluated += found.evaluated, sums_.rules += found.rules;
  }

  void take(FusedNetwork found, double before) {
    for (FusedAnswer answer : found.best.answers) {
      answer.seconds += before, answer.lower_bound = 0;
      if (sums_.answers.empty() || answer.value < sums_.answers.back().value) sums_.answers.push_back(answer);
    }
    const FusedOptimum& o = found.best;
    if (o.unfused_value && (!unfused_ || *o.unfused_value < *unfused_->best.unfused_value)) unfused_ = found;
    if (!best_ || o.value < best_->best.value) best_ = std::move(found);
  }

  FusedNetwork conclude() {
    FusedNetwork out = *std::move(best_);
    FusedOptimum& best = out.best;
    if (unfused_) {
      best.unfused = unfused_->best.unfused, best.unfused_cost = unfused_->best.unfused_cost;
      best.unfused_value = unfused_->best.unfused_value, out.unfused = unfused_->unfused;
    }
    const Choice& least = *std::ranges::min_element(choices_, {}, &Choice::bound);
    const bool optimal = least.bound >= best.value * kEqualSum;
    best.lower_bound = optimal ? best.value : least.bound;
    best.gap = best.lower_bound > 0 ? best.value / best.lower_bound - 1 : 0;
    best.status = optimal ? Status::Optimal : Status::Bounded;
    best.why_not_proven = optimal ? "" : least.why;
    best.lambdas = sums_.lambdas, best.links = sums_.links, best.trees = sums_.trees;
    best.evaluated = sums_.evaluated, best.rules = sums_.rules;
    best.answers = std::move(sums_.answers);
    if (!best.answers.empty()) best.answers.back().lower_bound = best.lower_bound;
    best.seconds = clock_.seconds();
    return out;
  }

  const LinkGraph& graph_;
  std::vector<Choice> choices_;
  const Architecture& architecture_;
  const SearchOptions& options_;
  const FusionRules& rules_;
  const Stopwatch clock_;
  std::optional<FusedNetwork> best_, unfused_;
  FusedOptimum sums_{};
  Diagnostics errors_{};
};

}  // namespace

Result<FusedNetwork> fuse_network(const Network& network, const Architecture& architecture,
                                  const SearchOptions& options, const FusionRules& rules) {
  if (Diagnostics errors = unfusable(options, architecture); !errors.empty()) return errors;
  Result<LinkGraph> graph = graph_of_network(network);
  if (!graph) return graph.errors();
  return fuse_links(*std::move(graph), architecture, options, rules);
}

Result<FusedNetwork> fuse_links(LinkGraph graph, const Architecture& architecture, SearchOptions options,
                                const FusionRules& rules) {
  const Result<std::vector<UnitChoice>> choices = unit_choices(graph, architecture);
  if (!choices) return choices.errors();
  if (!options.budget_evaluations && !options.budget_seconds) options.budget_seconds = kFusedBudgetSeconds;
  Result<FusedNetwork> out = [&]() -> Result<FusedNetwork> {
    if (choices->size() > 1) return UnitChoiceSearch(graph, *choices, architecture, options, rules).run();
    Result<FusedOptimum> best = search_fused(graph, architecture, options, rules);
    if (!best) return best.errors();
    return with_costs(std::move(graph), *std::move(best), architecture, rules);
  }();
  if (out) out->budget_seconds = options.budget_seconds;
  return out;
}

}  // namespace heliolite
