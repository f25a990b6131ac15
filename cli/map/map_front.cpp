// heliolite map --front: the curve of a network's energy and cycles, with its proof.
#include "cli/map/map_fused.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/map/network_proof.h"
#include "cli/ui/command.h"
#include "cli/ui/interrupt.h"
#include "cli/ui/json.h"
#include "cli/ui/progress.h"
#include "cli/ui/search_arguments.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/load_network.h"
#include "engine/search/network_search.h"

namespace heliolite::cli {
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
  if (!claim_network_proof(inputs.network, inputs.architecture, options, std::nullopt, proof_arguments, output))
    return kBadInput;
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
  bool is_right = true;
  std::optional<NetworkProofAnswer> proof;
  options.progress = {};
  if (!proof_arguments.target.empty())
    proof = write_curve_proof(inputs.network, inputs.architecture, options, proof_arguments, *found, output, is_right);
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
  if (!is_right) return kBug;
  if (interrupt_flag()) return kInterrupted;
  return has_curve(*found) ? kSuccess : kNegative;
}

}  // namespace heliolite::cli
