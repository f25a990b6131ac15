// heliolite map of a network as a whole: --fuse, the schedule, its layers fused or not, that is best for the network's
// objective; --front, the curve on which its mappings trade energy for cycles, with its proof.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/map/cost_answer.h"
#include "cli/map/map_answer.h"
#include "cli/map/map_proof.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/text.h"
#include "engine/formats/load_network.h"
#include "engine/network/schedule_text.h"
#include "engine/report/model_json.h"
#include "engine/search/core/option_table.h"
#include "engine/search/network_search.h"
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

// heliolite map --front: the curve of a network's energy and cycles, with its proof.

namespace {

// What the curve says, and what it does not say.
constexpr const char* kClaims =
    "supported points only: those with the least energy + lambda x cycles for some lambda; nothing is below the curve, "
    "points above it that no other has less of both than are not listed";

// Rows of the table for people: of longer curves points at even distances.
constexpr std::size_t kRows = 24;

// The curve that is shown: the network's; of a single layer that of one run.
const TradeOff& shown(const NetworkCurve& answer) {
  return answer.layers.size() == 1 ? answer.layers.front().curve : answer.network;
}

bool has_curve(const NetworkCurve& answer) { return !answer.network.points.empty(); }

const char* certainty(bool certain) { return certain ? "certain" : "open"; }

double above(const TradeOffEdge& edge) {
  return edge.lower_bound_pj > 0 ? std::max(0.0, edge.value_pj / edge.lower_bound_pj - 1) : 0;
}

std::string edge_gap(const TradeOffEdge& edge) { return edge.lower_bound_pj > 0 ? percent(above(edge)) : "unknown"; }

std::string curve_table(const NetworkCurve& answer) {
  const TradeOff& curve = shown(answer);
  const std::size_t n = curve.points.size();
  const EnergyUnit energy = energy_unit(curve.points.front().cost.energy.picojoules());
  Table table({"point", fmt::format("energy [{}]", energy.name), "cycles", "EDP [pJ x cycles]", "lambda [pJ/cycle]",
               "gap below", "<"});
  std::size_t last = n;
  for (std::size_t row = 0; row < std::min(n, kRows); ++row) {
    const std::size_t k = n <= kRows ? row : row * (n - 1) / (kRows - 1);
    if (k == last) continue;
    last = k;
    const Cost& cost = curve.points[k].cost;
    std::vector<std::string> cells{grouped(k), energy(cost.energy.picojoules()), grouped(cost.cycles),
                                   scientific(edp(cost.energy, cost.cycles))};
    if (k + 1 < n) {
      const TradeOffEdge& edge = curve.edges[k];
      cells.insert(cells.end(), {fmt::format("{:.4g}", edge.lambda), edge_gap(edge), certainty(edge.certain)});
    }
    table.row(std::move(cells));
  }
  return table.to_string();
}

std::string front_text(const NetworkCurve& answer) {
  if (!has_curve(answer)) return "  no curve: a layer has no mapping\n";
  const TradeOff& curve = shown(answer);
  const auto open = std::ranges::count(curve.edges, false, &TradeOffEdge::certain);
  std::string text = curve_table(answer);
  if (curve.points.size() > kRows)
    text += fmt::format("  {} of {} points, at even distances (--csv and --json have all)\n", kRows,
                        grouped(curve.points.size()));
  text += fmt::format(
      "\n  {}: {}\n", curve.certain ? "certain" : "not certain",
      curve.certain
          ? std::string("no mappings have less energy + lambda x cycles than an edge of the curve")
          : fmt::format("{} of {} edges are open{}", open, curve.edges.size(), open == 0 ? ", but not the ends" : ""));
  text += fmt::format("  {}\n", kClaims);
  text += fmt::format("  least cycles {}, least energy {}; {} searches of layers, {}\n", grouped(curve.least.cycles),
                      energy(curve.least.energy.picojoules()), grouped(answer.searches), cli::seconds(answer.seconds));
  return text;
}

Json edges_json(const TradeOff& curve) {
  Json edges = Json::array();
  for (const TradeOffEdge& edge : curve.edges)
    edges.push_back({{"lambda_pj_per_cycle", edge.lambda},
                     {"value_pj", edge.value_pj},
                     {"lower_bound_pj", edge.lower_bound_pj},
                     {"gap", edge.lower_bound_pj > 0 ? Json(above(edge)) : Json()},
                     {"status", certainty(edge.certain)}});
  return edges;
}

Json point_json(const TradeOffPoint& point) {
  return {{"energy_pj", point.cost.energy.picojoules()},
          {"cycles", point.cost.cycles},
          {"edp_pj_cycles", edp(point.cost.energy, point.cost.cycles)}};
}

void add_curve(Json& json, const TradeOff& curve) {
  json["status"] = certainty(curve.certain);
  json["least_energy_pj"] = curve.least.energy.picojoules();
  json["least_cycles"] = curve.least.cycles;
  json["edges"] = edges_json(curve);
}

Json layer_json(const LayerTradeOff& layer, const Workload& workload, const Architecture& machine) {
  Json json = question(workload);
  json["name"] = layer.name;
  json["count"] = layer.count;
  if (layer.mappings.empty()) {
    json["points"] = Json::array(), json["reasons"] = Json::array();
    for (const Diagnostic& d : layer.why_infeasible) json["reasons"].push_back(d.to_string());
    return json;
  }
  Json points = Json::array();
  for (std::size_t k = 0; k < layer.mappings.size(); ++k) {
    const Architecture& chain = machine.chain(layer.units[k]);
    points.push_back(point_json(layer.curve.points[k]));
    points.back()["unit"] = machine.units.empty() ? Json() : Json(chain.compute.name);
    points.back()["mapping"] = to_json(layer.mappings[k], workload, chain);
  }
  json["points"] = std::move(points);
  add_curve(json, layer.curve);
  return json;
}

Json answer_json(const Inputs& inputs, const SearchOptions& options, const NetworkCurve& answer,
                 const std::optional<NetworkProofAnswer>& proof, const std::vector<std::string>& notes) {
  Json json = answer_head("map");
  json["question"] = {{"architecture", question(inputs.architecture)},
                      {"workload", {{"name", inputs.network.name}, {"layers", inputs.network.layers.size()}}},
                      {"options", options_json(options)},
                      {"front", {"energy", "delay"}}};
  json["notes"] = notes;
  Json front = {{"claims", kClaims}};
  if (has_curve(answer)) {
    Json points = Json::array();
    for (const TradeOffPoint& point : answer.network.points) {
      points.push_back(point_json(point));
      points.back()["layers"] = point.mapping;
    }
    front["points"] = std::move(points);
    add_curve(front, answer.network);
  } else {
    front["points"] = nullptr;
  }
  front["proof"] = proof ? network_proof_json(*proof) : Json();
  json["front"] = std::move(front);
  json["layers"] = Json::array();
  for (std::size_t k = 0; k < answer.layers.size(); ++k)
    json["layers"].push_back(layer_json(answer.layers[k], inputs.network.layers[k].workload, inputs.architecture));
  json["searches"] = answer.searches;
  json["evaluated"] = answer.evaluated;
  json["seconds"] = answer.seconds;
  json["interrupted"] = static_cast<bool>(interrupt_flag());
  return json;
}

// A row for each point of the network's curve and of each layer's.
std::string front_csv(const NetworkCurve& answer) {
  std::string out = "curve,point,energy_pj,cycles,edp_pj_cycles,lambda_pj_per_cycle,value_pj,lower_bound_pj,status\n";
  const auto add = [&](const std::string& name, const TradeOff& curve) {
    for (std::size_t k = 0; k < curve.points.size(); ++k) {
      const Cost& cost = curve.points[k].cost;
      out += fmt::format("{},{},{},{},{}", csv_cell(name), k, cost.energy.picojoules(), cost.cycles,
                         edp(cost.energy, cost.cycles));
      if (k < curve.edges.size()) {
        const TradeOffEdge& e = curve.edges[k];
        out += fmt::format(",{},{},{},{}\n", e.lambda, e.value_pj, e.lower_bound_pj, certainty(e.certain));
      } else {
        out += ",,,,\n";
      }
    }
  };
  add("network", answer.network);
  for (const LayerTradeOff& layer : answer.layers) add(layer.name, layer.curve);
  return out;
}

}  // namespace

int run_front(const Inputs& inputs, SearchOptions options, const ProofArguments& proof_arguments,
              std::vector<std::string> notes, const Output& output) {
  ProofTask task{inputs.architecture, options, proof_arguments, output};
  if (!claim_network_proof(inputs.network, std::nullopt, task)) return kBadInput;
  Result<NetworkCurve> found = [&] {
    Progress progress(output, "layers", inputs.network.layers.size(),
                      {"Ctrl-C ends the search with the curve so far; --budget SECONDS does so for each layer"});
    options.progress = [&](const SearchProgress& news) { progress.update(news.layers_done, "curve"); };
    return map_curve(inputs.network, inputs.architecture, options);
  }();
  if (!found) {
    Diagnostics errors = found.errors();
    for (Diagnostic& e : errors)
      if (e.file.empty() && !e.field.starts_with("-")) e.field = "--front: " + e.field;
    return fail(errors);
  }
  std::optional<NetworkProofAnswer> proof;
  options.progress = {};
  if (!proof_arguments.target.empty()) proof = write_curve_proof(inputs.network, *found, task);
  output.table(fmt::format("{} on {}, front of energy and delay, strategy {}\n\n", inputs.network.name,
                           inputs.architecture.name, name(options.strategy)) +
               front_text(*found) + (proof ? network_proof_text(*proof) : ""));
  if (std::string alone = layers_alone_note(inputs.network, inputs.architecture.levels.back().name); !alone.empty())
    notes.push_back(std::move(alone));
  if (interrupt_flag()) output.note("heliolite: interrupted, this is the curve found so far");
  for (const LayerTradeOff& layer : found->layers)
    if (layer.mappings.empty()) fail("no mapping of " + layer.name + " was found"), fail(layer.why_infeasible);
  if (!output.json(answer_json(inputs, options, *found, proof, notes))) return kBadInput;
  if (!output.write("--csv", front_csv(*found))) return kBadInput;
  if (!task.is_right) return kBug;
  if (interrupt_flag()) return kInterrupted;
  return has_curve(*found) ? kSuccess : kNegative;
}

}  // namespace heliolite::cli
