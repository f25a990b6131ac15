#include "cli/map/map_fused.h"

#include <fmt/format.h>

#include <algorithm>
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
#include "engine/base/text.h"
#include "engine/network/schedule_text.h"
#include "engine/search/core/option_table.h"
#include "engine/search/scheduling/fused_network.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

struct FusedReport {
  ScheduledNetwork network;
  FusedNetwork answer;
  SearchOptions options;
};

// Fused against unfused, and what nothing is below.
std::string comparison(const FusedReport& r) {
  const FusedNetwork& a = r.answer;
  const std::string& outermost = r.network.architecture.levels.back().name;
  const EnergyUnit unit = energy_unit((a.unfused ? a.unfused->total : a.cost.total).energy.picojoules());
  Table table({"<", outermost + " words", fmt::format("energy [{}]", unit.name), "cycles", title(r.options.objective)});
  const auto row = [&](const char* name, const ScheduleBreakdown& cost, double value) {
    table.row({name, grouped(cost.outermost.sum()), unit(cost.total.energy.picojoules()), grouped(cost.total.cycles),
               scientific(value)});
  };
  row("fused", a.cost, a.best.value);
  if (a.unfused) row("not fused", *a.unfused, *a.best.unfused_value);
  else table.row({"not fused", "", "", "", "no mapping"});
  table.row({"no schedule is below", "", "", "", scientific(a.best.lower_bound)});
  return table.to_string();
}

std::string proof_text(const FusedReport& r) {
  const FusedOptimum& best = r.answer.best;
  const std::string proof = best.status == Status::Optimal
                                ? "no schedule has less"
                                : fmt::format("at most {} above the least; {}", percent(best.gap), best.why_not_proven);
  return fmt::format(
      "\n  {}: {}; {} sum{} of energy and cycles, {} searches of layers, {} subtrees, {}\n  left out: {}\n",
      name(best.status), proof, best.lambdas, best.lambdas == 1 ? "" : "s", grouped(best.links), grouped(best.trees),
      cli::seconds(best.seconds), kLeftOutOfFusion);
}

// null: none was found.
Json unfused_json(const FusedReport& r) {
  const FusedNetwork& a = r.answer;
  if (!a.unfused) return nullptr;
  return {{"schedule", write_schedule(a.best.unfused.groups, a.graph, r.network.architecture)},
          {"value", *a.best.unfused_value},
          {"energy_pj", a.unfused->total.energy.picojoules()},
          {"cycles", a.unfused->total.cycles},
          {"words", a.unfused->outermost.sum()}};
}

// What was known after some time, each better than the one before.
Json answers_json(const FusedOptimum& best) {
  Json out = Json::array();
  for (const FusedAnswer& a : best.answers)
    out.push_back({{"seconds", a.seconds}, {"value", a.value}, {"lower_bound", a.lower_bound}, {"fused", a.fused}});
  return out;
}

Json answer_json(const FusedReport& r) {
  const FusedOptimum& best = r.answer.best;
  const Objective objective = r.options.objective;
  Json json = schedule_json("map", r.network, r.answer.cost, {});
  json["question"]["options"] = options_json(r.options);
  json["picture"] = schedule_overview_svg(r.network, r.answer.cost);
  Json network = {{"objective", name(objective)},
                  {"value", best.value},
                  {"energy_pj", best.cost.energy.picojoules()},
                  {"cycles", best.cost.cycles},
                  {"lambda_pj_per_cycle", best.lambda},
                  {"lower_bound", best.lower_bound},
                  {"gap", best.gap},
                  {"status", name(best.status)},
                  {"why_not_proven", best.why_not_proven},
                  {"left_out", kLeftOutOfFusion},
                  {"unfused", unfused_json(r)},
                  {"answers", answers_json(best)},
                  {"lambdas", best.lambdas},
                  {"layer_searches", best.links},
                  {"subtrees", best.trees},
                  {"evaluated", best.evaluated},
                  {"rules", rules_json(best.rules, true)},
                  {"seconds", best.seconds},
                  {"interrupted", static_cast<bool>(interrupt_flag())}};
  json["network"] = std::move(network);
  return json;
}

Result<FusedNetwork> search(const Inputs& inputs, SearchOptions options, const FusionRules& rules,
                            const Output& output) {
  Progress progress(output, "schedule", 1, {"Ctrl-C ends the search with the best found so far"});
  options.progress = [&](const SearchProgress& news) {
    const double gap = news.lower_bound > 0 ? news.value / news.lower_bound - 1 : 0;
    progress.update(0, fmt::format("best {}, gap {}", scientific(news.value), percent(gap)));
  };
  return fuse_network(inputs.network, inputs.architecture, options, rules);
}

// Layers that are not joined by edges cannot be fused: the preset that joins them, if there is one. Empty: there are
// edges.
std::string note_without_edges(const Network& network) {
  if (!network.edges.empty() || network.layers.size() < 2) return "";
  const std::string unrolled = network.name + "_unrolled";
  const std::vector<std::string> presets = workload_preset_names();
  const bool has = std::ranges::find(presets, unrolled) != presets.end();
  return fmt::format("{} has no edges between its layers: nothing can be fused{}", network.name,
                     has ? fmt::format("; {} has the same layers with their edges", unrolled) : "");
}

// Options are called as on the command line; what is wrong with the network's edges is in its file.
Diagnostics placed(Diagnostics errors, const std::string& workload) {
  for (Diagnostic& e : errors) {
    const bool option = e.field == "fuse" || std::ranges::find(search_option_table(), e.field, &SearchOption::name) !=
                                                 search_option_table().end();
    if (option) e.field = "--" + e.field;
    else if (e.file.empty()) e.file = workload;
  }
  return errors;
}

}  // namespace

int run_fused(const FusedArguments& arguments, SearchOptions options, const Output& output) {
  Result<Inputs> inputs =
      load_inputs(arguments.architecture, arguments.workload, arguments.reading, {.free = options.free}, Wanted::Edges);
  if (!inputs) return fail(inputs.errors());
  std::vector<std::string> notes = inputs->notes();
  if (std::string note = note_without_edges(inputs->network); !note.empty()) notes.push_back(std::move(note));
  output.report_notes(notes);
  const FusionRules rules{.incremental_softmax = arguments.incremental_softmax};
  Result<FusedNetwork> found = search(*inputs, options, rules, output);
  if (!found) return fail(placed(found.errors(), arguments.workload));
  options.budget_seconds = found->budget_seconds;
  FusedReport report{{std::move(inputs->architecture), std::move(inputs->network), found->graph, {}, std::move(notes)},
                     *std::move(found),
                     options};
  ScheduledNetwork& network = report.network;
  network.file.rules = rules;
  network.file.schedule = report.answer.best.schedule;
  network.file.passes = report.answer.passes();
  output.table(schedule_text(network, report.answer.cost) + "\n" + comparison(report) + proof_text(report));
  if (interrupt_flag()) output.note("heliolite: interrupted, this is the best found so far");
  if (!output.json(answer_json(report))) return kBadInput;
  if (!output.write("--schedule", write_schedule_file(network.file.schedule, network.network.name, network.graph,
                                                      network.architecture, rules)))
    return kBadInput;
  return interrupt_flag() ? kInterrupted : kSuccess;
}

}  // namespace heliolite::cli
