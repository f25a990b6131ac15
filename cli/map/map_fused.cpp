#include "cli/map/map_fused.h"

#include <fmt/format.h>

#include <utility>

#include "cli/map/map_answer.h"
#include "cli/map/schedule_answer.h"
#include "cli/ui/command.h"
#include "cli/ui/figures.h"
#include "cli/ui/inputs.h"
#include "cli/ui/interrupt.h"
#include "cli/ui/json.h"
#include "cli/ui/progress.h"
#include "cli/ui/search_arguments.h"
#include "cli/ui/table.h"
#include "engine/base/number_text.h"
#include "engine/network/fused_breakdown.h"
#include "engine/network/schedule_text.h"
#include "engine/search/fused/fused_search.h"

namespace heliolite::cli {
namespace {

// Without a budget of the user's: large networks have more trees than anybody waits for.
constexpr double kDefaultBudgetSeconds = 10;

constexpr const char* kLeftOut =
    "work done twice, layers that run at the same time, several fusing levels in a group, fusing inside a fan-out, "
    "other orders of the layers, uneven tiles and factors that do not divide";

struct FusedReport {
  ScheduledNetwork network;
  FusedOptimum best;
  ScheduleBreakdown cost;
  std::optional<ScheduleBreakdown> unfused;  // none: some layer has no mapping alone
  SearchOptions options;
};

// Fused against unfused, and what nothing is below.
std::string comparison(const FusedReport& r) {
  const Objective objective = r.options.objective;
  const std::string& outermost = r.network.architecture.levels.back().name;
  const EnergyUnit unit = energy_unit((r.unfused ? *r.unfused : r.cost).total.energy.picojoules());
  Table table({"<", outermost + " words", fmt::format("energy [{}]", unit.name), "cycles", title(objective)});
  const auto row = [&](const char* name, const ScheduleBreakdown& cost, double value) {
    table.row({name, grouped(cost.outermost.sum()), unit(cost.total.energy.picojoules()), grouped(cost.total.cycles),
               scientific(value)});
  };
  row("fused", r.cost, r.best.value);
  if (r.unfused) row("not fused", *r.unfused, *r.best.unfused_value);
  else table.row({"not fused", "", "", "", "no mapping"});
  table.row({"no schedule is below", "", "", "", scientific(r.best.lower_bound)});
  return table.to_string();
}

std::string proof_text(const FusedReport& r) {
  const FusedOptimum& best = r.best;
  const std::string proof = best.status == Status::Optimal
                                ? "no schedule has less"
                                : fmt::format("at most {} above the least; {}", percent(best.gap), best.why_not_proven);
  return fmt::format(
      "\n  {}: {}; {} sum{} of energy and cycles, {} searches of layers, {} subtrees, {}\n  left out: {}\n",
      name(best.status), proof, best.lambdas, best.lambdas == 1 ? "" : "s", grouped(best.links), grouped(best.trees),
      cli::seconds(best.seconds), kLeftOut);
}

Json answer_json(const FusedReport& r) {
  const FusedOptimum& best = r.best;
  const Objective objective = r.options.objective;
  Json json = schedule_json("map", r.network, r.cost, {});
  json["question"]["options"] = options_json(r.options);
  Json network = {{"objective", name(objective)},
                  {"value", best.value},
                  {"energy_pj", best.cost.energy.picojoules()},
                  {"cycles", best.cost.cycles},
                  {"lambda_pj_per_cycle", best.lambda},
                  {"lower_bound", best.lower_bound},
                  {"gap", best.gap},
                  {"status", name(best.status)},
                  {"why_not_proven", best.why_not_proven},
                  {"left_out", kLeftOut},
                  {"lambdas", best.lambdas},
                  {"layer_searches", best.links},
                  {"subtrees", best.trees},
                  {"evaluated", best.evaluated},
                  {"rules", rules_json(best.rules, true)},
                  {"seconds", best.seconds},
                  {"interrupted", static_cast<bool>(interrupt_flag())}};
  if (r.unfused)
    network["unfused"] = {{"schedule", write_schedule(best.unfused.groups, r.network.graph, r.network.architecture)},
                          {"value", *best.unfused_value},
                          {"energy_pj", best.unfused_cost.energy.picojoules()},
                          {"cycles", best.unfused_cost.cycles},
                          {"words", r.unfused->outermost.sum()}};
  json["network"] = std::move(network);
  return json;
}

Result<FusedOptimum> search(const ScheduledNetwork& network, SearchOptions options, const Output& output) {
  Progress progress(output, "schedule", 1, {"Ctrl-C ends the search with the best found so far"});
  options.progress = [&](const SearchProgress& news) {
    const double gap = news.lower_bound > 0 ? news.value / news.lower_bound - 1 : 0;
    progress.update(0, fmt::format("best {}, gap {}", scientific(news.value), percent(gap)));
  };
  return search_fused(network.graph, network.architecture, options, network.file.rules);
}

}  // namespace

Diagnostics unfusable_options(const SearchOptions& options) {
  Diagnostics errors;
  const auto refuse = [&](const char* field, std::string value, const char* allowed) {
    errors.push_back({"", 0, field, fmt::format("'{}' is not searched with --fuse: must be {}", value, allowed)});
  };
  if (options.strategy != Strategy::Exact) refuse("--strategy", std::string(name(options.strategy)), "exact");
  if (options.tiles != Tiles::Even) refuse("--tiles", "uneven", "even");
  if (options.factors != Factors::Perfect) refuse("--factors", "any", "perfect");
  if (options.open) refuse("--open", "on", "left out, keep rules hold");
  if (options.budget_evaluations) refuse("--evaluations", fmt::format("{}", *options.budget_evaluations), "--budget");
  if (!options.evaluator.command.empty()) refuse("--evaluator", options.evaluator.command, "left out");
  return errors;
}

int run_fused(const FusedArguments& arguments, SearchOptions options, const Output& output) {
  if (Diagnostics errors = unfusable_options(options); !errors.empty()) return fail(errors);
  Result<Inputs> inputs =
      load_inputs(arguments.architecture, arguments.workload, arguments.reading, {.free = options.free}, Wanted::Edges);
  if (!inputs) return fail(inputs.errors());
  if (inputs->architecture.peer_channel)
    return fail({{"", 0, "--fuse",
                  fmt::format("receivers of {} take words from their peers, which is not counted in "
                              "schedules: take a machine without `peers`",
                              inputs->architecture.name)}});
  Result<LinkGraph> graph = graph_of_network(inputs->network);
  if (!graph) {
    Diagnostics errors = graph.errors();
    for (Diagnostic& e : errors) e.file = arguments.workload;
    return fail(errors);
  }
  std::vector<std::string> notes = inputs->notes();
  output.report_notes(notes);
  FusedReport report{
      {std::move(inputs->architecture), std::move(inputs->network), *std::move(graph), {}, notes}, {}, {}, {}, options};
  ScheduledNetwork& network = report.network;
  network.file.rules.incremental_softmax = arguments.incremental_softmax;
  if (!options.budget_seconds) options.budget_seconds = kDefaultBudgetSeconds;
  Result<FusedOptimum> best = search(network, options, output);
  if (!best) return fail(best.errors());
  report.best = *std::move(best);
  report.options = options;
  network.file.schedule = report.best.schedule;
  for (const LinkGroup& group : network.file.schedule.groups)
    for (const LinkPass& pass : plan(group, network.graph, network.architecture, network.file.rules).passes)
      network.file.passes.push_back(pass);
  const FusionRules& rules = network.file.rules;
  Result<ScheduleBreakdown> cost = schedule_breakdown(report.best.schedule, network.graph, network.architecture, rules);
  if (!cost) return fail(cost.errors());
  report.cost = *std::move(cost);
  if (report.best.unfused_value) {
    Result<ScheduleBreakdown> unfused =
        schedule_breakdown(report.best.unfused, network.graph, network.architecture, rules);
    if (!unfused) return fail(unfused.errors());
    report.unfused = *std::move(unfused);
  }
  output.table(schedule_text(network, report.cost) + "\n" + comparison(report) + proof_text(report));
  if (interrupt_flag()) output.note("heliolite: interrupted, this is the best found so far");
  if (!output.json(answer_json(report))) return kBadInput;
  if (!output.write("--schedule", write_schedule_file(network.file.schedule, network.network.name, network.graph,
                                                      network.architecture, rules)))
    return kBadInput;
  return interrupt_flag() ? kInterrupted : kSuccess;
}

}  // namespace heliolite::cli
