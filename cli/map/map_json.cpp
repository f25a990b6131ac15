// The answer of `heliolite map` for programs: as comma-separated values and as JSON (docs/json.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "arch/architecture_spec.h"
#include "cli/map/answer_texts.h"
#include "cli/map/map_answer.h"
#include "cli/ui/json.h"
#include "cli/ui/units.h"
#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/report/model_json.h"

namespace heliolite::cli {
namespace {

std::string csv_line(const std::vector<std::string>& cells) {
  return fmt::format("{}\n", fmt::join(mapped(cells, csv_cell), ","));
}

std::string shortest(double number) { return fmt::format("{}", number); }

// Names that occur in the network's layers, each once, in the order in which they come.
void add_names(std::vector<std::string>& names, const auto& things) {
  for (const auto& thing : things)
    if (std::ranges::find(names, thing.name) == names.end()) names.push_back(thing.name);
}

// Columns that say more of a layer than its totals: the sizes of its dimensions, and by level and tensor the words that
// all instances read and write, and the energy of these, of their addresses and of the network below.
class Details {
 public:
  explicit Details(const MapAnswer& answer) {
    for (const Layer& layer : answer.network.layers) {
      add_names(dimensions_, layer.workload.dimensions);
      add_names(tensors_, layer.workload.tensors);
    }
    for (const StorageLevel* level : all_levels(answer.architecture)) levels_.push_back(level->name);
  }

  std::vector<std::string> heading() const {
    std::vector<std::string> out;
    for (const std::string& dimension : dimensions_) out.push_back("size_" + dimension);
    for (const std::string& level : levels_) {
      for (const std::string& tensor : tensors_)
        for (const char* what : {"words_read", "words_written", "pj"})
          out.push_back(fmt::format("{}_{}_{}", level, tensor, what));
      out.push_back(level + "_static_pj");
    }
    return out;
  }

  // The cells of a layer; without a breakdown only its sizes.
  std::vector<std::string> cells(const Workload& workload, const std::optional<Breakdown>& breakdown) const {
    std::vector<std::string> out;
    for (const std::string& name : dimensions_) {
      const auto dimension = std::ranges::find(workload.dimensions, name, &Dimension::name);
      out.push_back(dimension == workload.dimensions.end() ? "" : fmt::format("{}", dimension->size));
    }
    if (!breakdown) return out;
    for (const std::string& level_name : levels_) {
      const auto level = std::ranges::find(breakdown->level, level_name, &LevelBreakdown::name);
      if (level == breakdown->level.end()) {
        out.insert(out.end(), 3 * tensors_.size() + 1, "");
        continue;
      }
      for (const std::string& name : tensors_) {
        const auto tensor = std::ranges::find(workload.tensors, name, &Tensor::name);
        const std::size_t v = at(tensor - workload.tensors.begin());
        if (tensor == workload.tensors.end() || !shows(*level, v)) {
          out.insert(out.end(), 3, "");
          continue;
        }
        const TensorTraffic& t = level->tensor[v];
        out.insert(out.end(), {fmt::format("{}", t.all.reads), fmt::format("{}", t.all.fills + t.all.updates),
                               shortest(level->energy_of(v).picojoules())});
      }
      out.push_back(shortest(level->leakage.picojoules()));
    }
    return out;
  }

 private:
  static bool shows(const LevelBreakdown& level, std::size_t v) {
    return level.tensor[v].counted() || level.network[v].energy.units > 0;
  }

  std::vector<std::string> dimensions_, tensors_, levels_;
};

// Energies of a layer by level, then by compute unit; empty where the layer's unit has no such level.
std::vector<std::string> energies_by_level(const Breakdown& layer, const Architecture& machine) {
  NetworkBreakdown one;
  one.add(layer, 1);
  std::vector<std::string> cells;
  for (const StorageLevel* level : all_levels(machine)) {
    const auto here = std::ranges::find(one.levels, level->name, &LevelTotal::name);
    cells.push_back(here == one.levels.end() ? "" : shortest(here->energy().picojoules()));
  }
  for (std::size_t unit = 0; unit < machine.chains(); ++unit)
    cells.push_back(layer.compute.name == machine.chain(unit).compute.name ? shortest(one.compute().picojoules()) : "");
  return cells;
}

// What is of the whole network, the same in every row.
std::vector<std::string> network_cells(const MapAnswer& answer) {
  const Throughput t = throughput(answer).value_or(Throughput{});
  const auto cell = [](const std::optional<double>& n) { return n ? shortest(*n) : std::string(); };
  std::vector<std::string> notes;
  if (!answer.network.one_run.empty()) notes.push_back("a run is no inference: " + answer.network.one_run);
  if (std::string alone = layers_alone_note(answer.network, answer.architecture.levels.back().name); !alone.empty())
    notes.push_back(std::move(alone));
  std::vector<std::string> cells{cell(t.inferences_per_second), cell(t.tokens_per_second),
                                 fmt::format("{}", fmt::join(notes, "; "))};
  if (const auto& best = answer.result.optimum)
    cells.insert(cells.end(), {shortest(best->value), shortest(best->lower_bound), std::string(name(best->status))});
  else cells.insert(cells.end(), 3, "");
  return cells;
}

}  // namespace

std::string map_csv(const MapAnswer& answer, const std::string& value_unit) {
  std::vector<std::string> heading{"layer",         "count",        "macs",           "energy_pj",   "cycles",
                                   "edp_pj_cycles", "utilization",  "value",          "lower_bound", "value_unit",
                                   "status",        "evaluated",    "search_seconds", "run_seconds", "watts",
                                   "tops",          "tops_per_watt"};
  const std::size_t numbers = heading.size();
  for (const StorageLevel* level : all_levels(answer.architecture)) heading.push_back(level->name + "_pj");
  for (std::size_t unit = 0; unit < answer.architecture.chains(); ++unit)
    heading.push_back(answer.architecture.chain(unit).compute.name + "_pj");
  const std::size_t totals = heading.size();
  const Details details(answer);
  const std::vector<std::string> more = details.heading();
  heading.insert(heading.end(), more.begin(), more.end());
  const std::size_t own = heading.size();
  heading.insert(heading.end(), {"network_inferences_per_second", "network_tokens_per_second", "network_note",
                                 "network_value", "network_lower_bound", "network_status"});
  const std::vector<std::string> of_network = network_cells(answer);
  std::string text = csv_line(heading);
  for (std::size_t i = 0; i < answer.result.layers.size(); ++i) {
    const LayerResult& layer = answer.result.layers[i];
    const MappingResult& r = layer.result;
    const u64 macs = answer.network.layers[i].workload.macs();
    std::vector<std::string> row{layer.name, fmt::format("{}", layer.count), fmt::format("{}", macs)};
    const auto add = [&](const std::vector<std::string>& cells) { row.insert(row.end(), cells.begin(), cells.end()); };
    const bool has_mapping = answer.breakdowns[i].has_value();
    const double pj = r.cost.energy.picojoules();
    if (has_mapping)
      add({shortest(pj), fmt::format("{}", r.cost.cycles), shortest(edp(r.cost.energy, r.cost.cycles)),
           shortest(r.utilization), shortest(r.value), r.lower_bound > 0 ? shortest(r.lower_bound) : ""});
    else add({"", "", "", "", "", ""});
    add({value_unit, std::string(name(r.status)), fmt::format("{}", r.statistics.evaluated), shortest(r.seconds)});
    const auto speed = rates({pj, static_cast<double>(r.cost.cycles), static_cast<double>(macs)}, answer.architecture);
    if (has_mapping && speed)
      add({shortest(speed->seconds), shortest(speed->watts), shortest(speed->tops), shortest(speed->tops_per_watt)});
    row.resize(numbers);
    if (has_mapping) add(energies_by_level(*answer.breakdowns[i], answer.architecture));
    row.resize(totals);
    add(details.cells(answer.network.layers[i].workload, answer.breakdowns[i]));
    row.resize(own);
    add(of_network);
    text += csv_line(row);
  }
  return text;
}

// The answer of `heliolite map` as JSON (docs/json.md).

namespace {

// What the solver of strategy cosa says of its program.
Json mip_json(const std::optional<MipReport>& mip) {
  if (!mip) return nullptr;
  return {{"variant", name(mip->variant)},
          {"objective", mip->found ? Json(mip->objective) : Json()},
          {"bound", std::isfinite(mip->bound) ? Json(mip->bound) : Json()},
          {"start", mip->start ? Json(*mip->start) : Json()},
          {"proven", mip->proven},
          {"columns", mip->columns},
          {"integers", mip->integers},
          {"rows", mip->rows},
          {"nodes", mip->nodes},
          {"solves", mip->solves}};
}

Json true_counts_json(const MapAnswer& answer, std::size_t i) {
  if (!answer.true_cost[i]) return nullptr;
  Json json;
  add_cost(json, answer.true_cost[i]->energy, answer.true_cost[i]->cycles, true_utilization(answer, i));
  return json;
}

Json other_tiles_json(const MappingResult& r, const Workload& workload, const Architecture& architecture) {
  if (!r.other_tiles) return nullptr;
  const OtherTilesProbe& probe = *r.other_tiles;
  Json json = {{"value", probe.value},
               {"lower_bound", probe.lower_bound},
               {"lower_found", 1 - probe.value / r.value},
               {"lower_possible", 1 - probe.lower_bound / r.value},
               {"evaluated", probe.evaluated},
               {"seconds", probe.seconds}};
  add_cost(json, probe.cost.energy, probe.cost.cycles, probe.utilization);
  json["mapping"] = to_json(probe.mapping, workload, architecture);
  return json;
}

Json without_peers_json(const MappingResult& r) {
  if (!r.without_peers) return nullptr;
  const WithoutPeers& w = *r.without_peers;
  return {{"status", std::string(name(w.status))}, {"value", w.value}, {"lower_bound", w.lower_bound}};
}

Json steps_json(const std::vector<StepReport>& steps) {
  Json json = Json::array();
  for (const StepReport& step : steps)
    json.push_back({{"name", step.name}, {"evaluated", step.evaluated}, {"seconds", step.seconds}});
  return json;
}

Json distances_json(const Distances& levels) {
  if (!levels) return nullptr;
  Json bounds = mapped(*levels, [&](const LevelDistance& level) { return level_bound_json(level, kPerfectTiles); });
  return bounds;
}

Json throughput_json(const std::optional<Throughput>& t) {
  if (!t) return nullptr;
  const auto number = [](const std::optional<double>& n) { return n ? Json(*n) : Json(); };
  return {{"runs_per_second", number(t->runs_per_second)},
          {"inferences_per_second", number(t->inferences_per_second)},
          {"inference_energy_pj", number(t->inference_picojoules)},
          {"tokens_per_second", number(t->tokens_per_second)},
          {"token_energy_pj", number(t->token_picojoules)}};
}

// What the search for the network's own objective found.
Json optimum_json(const MapAnswer& answer) {
  if (!answer.result.optimum) return nullptr;
  const NetworkOptimum& best = *answer.result.optimum;
  Json differ = Json::array();
  for (std::size_t i = 0; i < best.own.size(); ++i) {
    if (!best.own[i]) continue;
    const Cost& own = *best.own[i];
    const double value =
        objective_number(answer.objective, own, answer.architecture, answer.network.layers[i].workload);
    differ.push_back({{"layer", answer.result.layers[i].name},
                      {"own_energy_pj", own.energy.picojoules()},
                      {"own_cycles", own.cycles},
                      {"own_value", value}});
  }
  return {{"objective", name(answer.objective)},
          {"value_unit", unit(info(answer.objective), "cycles", " ")},
          {"value", best.value},
          {"energy_pj", answer.result.total.energy.picojoules()},
          {"cycles", answer.result.total.cycles},
          {"lambda_pj_per_cycle", best.lambda > 0 ? Json(best.lambda) : Json()},
          {"lower_bound", best.lower_bound},
          {"gap", best.lower_bound > 0 ? Json(best.gap) : Json()},
          {"status", name(best.status)},
          {"why_not_proven", best.why_not_proven.empty() ? Json() : Json(best.why_not_proven)},
          {"layers_that_differ", std::move(differ)},
          {"searches", best.searches},
          {"rules", rules_json(best.rules, true)},
          {"seconds", best.seconds},
          {"proof", answer.network_proof ? network_proof_json(*answer.network_proof) : Json()}};
}

// What the compute units do, one entry for each that runs a layer.
Json units_json(const NetworkBreakdown& breakdown) {
  Json json = Json::array();
  for (const UnitTotal& unit : breakdown.units)
    json.push_back({{"unit", unit.name}, {"energy_pj", unit.energy.picojoules()}, {"cycles", unit.cycles}});
  return json;
}

Json mapped_layer_json(const MapAnswer& answer, std::size_t i, const std::string& objective) {
  const LayerResult& layer = answer.result.layers[i];
  const Workload& workload = answer.network.layers[i].workload;
  const MappingResult& r = layer.result;
  Json json = question(workload);
  json["name"] = layer.name;
  json["count"] = layer.count;
  json["unit"] = answer.architecture.units.empty() ? Json() : Json(answer.chain(i).compute.name);
  const bool feasible = r.status != Status::Infeasible;
  if (feasible) add_cost(json, r.cost.energy, r.cost.cycles, r.utilization);
  else
    for (const char* key : {"energy_pj", "cycles", "edp_pj_cycles", "utilization"}) json[key] = nullptr;
  json["objective"] = objective;
  const bool own = answer.evaluator.command.empty();
  json["value_unit"] = own ? Json(unit(info(answer.objective), "cycles", " ")) : Json();
  json["value"] = feasible ? Json(r.value) : Json();
  json["lower_bound"] = feasible && r.status != Status::Measured ? Json(r.lower_bound) : Json();
  json["gap"] = feasible && r.lower_bound > 0 ? Json(r.gap) : Json();
  json["status"] = std::string(name(r.status));
  json[kPeerChannel.without] = without_peers_json(r);
  json["mapspace"] = mapspace_json(answer.any_factors, answer.counts, answer.tiles);
  json["strategy"] = name(r.strategy);
  json["ended_by"] = r.end == SearchEnd::Done ? Json() : Json(std::string(name(r.end)));
  json["why_not_proven"] = r.why_not_proven.empty() ? Json() : Json(r.why_not_proven);
  json["evaluated"] = r.statistics.evaluated;
  json["seconds"] = r.seconds;
  json["steps"] = steps_json(r.statistics.steps);
  json["rules"] = rules_json(r.statistics.rules);
  json["witness"] = witness_json(r.witness, answer.chain(i));
  json["mip"] = mip_json(r.mip);
  json["evaluator"] = evaluator_json(r, answer.evaluator);
  json["true_counts"] = true_counts_json(answer, i);
  json["any_look"] = other_tiles_json(r, workload, answer.chain(i));
  json["proof"] = answer.proofs.empty() ? Json() : proof_json(*answer.proofs[i]);
  json["mapping"] = feasible ? to_json(r.mapping, workload, answer.chain(i)) : Json();
  json["breakdown"] = answer.breakdowns[i] ? to_json(*answer.breakdowns[i], workload) : Json();
  json["roofline"] = roofline_json(answer, i);
  json["bounds"] = distances_json(answer.distances[i]);
  if (!answer.distances[i]) json["why_no_bounds"] = answer.distances[i].errors().front().message;
  if (feasible) return json;
  json["reasons"] = mapped(r.why_infeasible, &Diagnostic::to_string);
  return json;
}

}  // namespace

Json rules_json(const RuleCounts& counts, bool of_networks) {
  Json json = Json::object();
  for (const RuleInfo& info : kRuleTable) {
    if ((info.user == RuleUser::Network) != of_networks) continue;
    const auto r = at(info.rule);
    json[std::string(info.name)] = {{"calls", counts.calls[r]}, {"cuts", counts.cuts[r]}};
  }
  return json;
}

void add_map_answer(Json& json, const MapAnswer& answer, const std::string& objective, bool interrupted) {
  json["layers"] = Json::array();
  for (std::size_t i = 0; i < answer.result.layers.size(); ++i)
    json["layers"].push_back(mapped_layer_json(answer, i, objective));
  json["network"] = optimum_json(answer);
  const Cost& total = answer.result.total;
  const EdpTotals edps = edp_totals(answer);
  json["total"] = {{"energy_pj", total.energy.picojoules()},
                   {"cycles", total.cycles},
                   {"edp_pj_cycles", edps.of_totals},
                   {"edp_of_totals_pj_cycles", edps.of_totals},
                   {"sum_of_layer_edps_pj_cycles", edps.sum},
                   {"sum_of_layer_values", edps.values},
                   {"value_of_totals", edps.value_of_totals > 0 ? Json(edps.value_of_totals) : Json()},
                   {"seconds", answer.result.seconds},
                   {"all_feasible", answer.result.all_feasible()},
                   {"interrupted", interrupted},
                   {"levels", network_breakdown_json(answer.by_level)},
                   {"compute_pj", answer.by_level.compute().picojoules()},
                   {"units", units_json(answer.by_level)},
                   {"rates", rates_json(work_of(answer), answer.architecture)},
                   {"batch", answer.network.batch},
                   {"tokens", answer.network.tokens ? Json(*answer.network.tokens) : Json()},
                   {"one_run", answer.network.one_run.empty() ? Json() : Json(answer.network.one_run)},
                   {"throughput", throughput_json(throughput(answer))},
                   {"area_um2", area_json(answer.architecture)}};
}

}  // namespace heliolite::cli
