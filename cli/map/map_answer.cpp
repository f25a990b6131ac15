#include "cli/map/map_answer.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "cli/map/evaluator_text.h"
#include "cli/map/level_bounds.h"
#include "cli/map/not_proven.h"
#include "cli/map/status.h"
#include "cli/map/witness_text.h"
#include "cli/ui/figures.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/model/cost_model.h"
#include "engine/model/true_counts/cost.h"

namespace heliolite::cli {
namespace {

using Distances = Result<std::vector<LevelDistance>>;

// At the outermost boundary; null where nothing is known.
const LevelDistance* outermost(const Distances& levels) {
  return levels && !levels->empty() ? &levels->back() : nullptr;
}

// Of all layers together; empty if it is not known of each.
std::string total_distance(const MapAnswer& answer) {
  double moved = 0, least = 0;
  for (std::size_t i = 0; i < answer.distances.size(); ++i) {
    const LevelDistance* distance = outermost(answer.distances[i]);
    if (distance == nullptr) return "";
    const auto runs = static_cast<double>(answer.result.layers[i].count);
    moved += runs * static_cast<double>(distance->mapping.accesses);
    least += runs * static_cast<double>(distance->bound.least);
  }
  return fmt::format("{:.2f}", moved / least);
}

// Of all layers that have a mapping, weighted by counts. A sum of products is not the product of the sums.
struct EdpTotals {
  double of_totals = 0;  // total energy times total cycles
  double sum = 0;        // of the layers' energy times cycles
  double values = 0;     // sum of the layers' objectives
};

EdpTotals edp_totals(const NetworkResult& result) {
  EdpTotals out;
  out.of_totals = edp(result.total.energy, result.total.cycles);
  for (const LayerResult& layer : result.layers) {
    if (layer.result.status == Status::Infeasible) continue;
    const auto runs = static_cast<double>(layer.count);
    out.sum += runs * edp(layer.result.cost.energy, layer.result.cost.cycles);
    out.values += runs * layer.result.value;
  }
  return out;
}

std::string result_table(const MapAnswer& answer) {
  const NetworkResult& result = answer.result;
  const EnergyUnit unit = energy_unit(result.total.energy.picojoules());
  Table table({"<layer", "count", "<size", fmt::format("energy [{}]", unit.name), "cycles", "utilization",
               "EDP [pJ x cycles]", "gap", fmt::format("x least {}", answer.architecture.levels.back().name),
               "|<status", "evaluated", "time"});
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const LayerResult& layer = result.layers[i];
    const MappingResult& r = layer.result;
    std::vector<std::string> row{layer.name, fmt::format("{}", layer.count),
                                 sizes_text(answer.network.layers[i].workload)};
    if (r.status == Status::Infeasible) {
      row.insert(row.end(), {"-", "-", "-", "-", "-", ""});
    } else {
      const bool bounded = r.lower_bound > 0;
      const LevelDistance* distance = outermost(answer.distances[i]);
      row.insert(row.end(), {unit(r.cost.energy.picojoules()), grouped(r.cost.cycles), percent(r.utilization),
                             scientific(edp(r.cost.energy, r.cost.cycles)), bounded ? percent(r.gap) : "",
                             distance ? fmt::format("{:.2f}", distance->ratio()) : ""});
    }
    row.insert(row.end(), {status_text(status_word(r), answer.imperfect, answer.tiles), grouped(r.statistics.evaluated),
                           seconds(r.seconds)});
    table.row(row);
  }
  table.rule();
  u64 runs = 0;
  for (const LayerResult& layer : result.layers)
    if (layer.result.status != Status::Infeasible) runs += layer.count;
  const Cost& total = result.total;
  const EdpTotals edps = edp_totals(result);
  const bool one = runs <= 1;  // then both are the same
  table.row({result.all_feasible() ? "total" : "total of what fits", fmt::format("{}", runs), "",
             unit(total.energy.picojoules()), grouped(total.cycles), "", one ? scientific(edps.of_totals) : "", "",
             total_distance(answer), "", "", seconds(result.seconds)});
  if (!one) {
    table.row({"", "", "total energy x total cycles", "", "", "", scientific(edps.of_totals)});
    table.row({"", "", "sum of the layers' EDPs", "", "", "", scientific(edps.sum)});
  }
  return table.to_string();
}

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

// What the short looks at all tile sizes found, of all layers together; empty if there were none.
std::string looks_text(const NetworkResult& result) {
  double perfect = 0, found = 0, bound = 0, time = 0;
  u64 evaluated = 0;
  for (const LayerResult& layer : result.layers) {
    if (!layer.result.look) continue;
    const AnyLook& look = *layer.result.look;
    const auto runs = static_cast<double>(layer.count);
    perfect += runs * layer.result.value, found += runs * look.value, bound += runs * look.lower_bound;
    evaluated += look.evaluated, time += look.seconds;
  }
  if (perfect == 0) return "";
  // In percent, or where little of 100 % is left, how many times lower.
  const auto lower = [&](double value) {
    return value < perfect / 100 ? fmt::format("{:.0f} times", perfect / value) : percent(1 - value / perfect);
  };
  return fmt::format(
      "\n  any tile size: {} lower found, at most {} lower possible (--factors any); {} mappings, {} (--no-look)\n",
      lower(found), lower(bound), grouped(evaluated), seconds(time));
}

// MACs over what all units could do in these cycles.
double true_utilization(const MapAnswer& answer, std::size_t i) {
  return static_cast<double>(answer.network.layers[i].workload.macs()) /
         static_cast<double>(answer.architecture.compute.instances) / static_cast<double>(answer.true_cost[i]->cycles);
}

Json true_counts_json(const MapAnswer& answer, std::size_t i) {
  if (!answer.true_cost[i]) return nullptr;
  Json json;
  add_cost(json, answer.true_cost[i]->energy, answer.true_cost[i]->cycles, true_utilization(answer, i));
  return json;
}

// What the averages of the table hide.
std::string true_counts_text(const MapAnswer& answer) {
  std::string text;
  for (std::size_t i = 0; i < answer.true_cost.size(); ++i) {
    if (!answer.true_cost[i] || answer.counts == Counts::True) continue;
    const Cost& cost = *answer.true_cost[i];
    text += fmt::format(
        "  {}: its factors do not divide; the costs above are Timeloop's averages. Every word counted: "
        "{}, {} cycles, EDP {:.4g}, utilization {}.\n",
        answer.result.layers[i].name, energy(cost.energy.picojoules()), grouped(cost.cycles),
        edp(cost.energy, cost.cycles), percent(true_utilization(answer, i)));
  }
  return text.empty() ? text : "\n" + text;
}

std::optional<Cost> true_cost(const Workload& workload, const Architecture& architecture, const MappingResult& mapped) {
  if (mapped.status == Status::Infeasible || mapped.mapping.is_perfect()) return std::nullopt;
  const CostModel model(workload, architecture);
  if (!has_true_counts(model.compiled())) return std::nullopt;
  const Evaluation e = model.evaluate(mapped.mapping, Counts::True);
  return e.verdict == Verdict::Fits ? std::optional(e.cost) : std::nullopt;
}

Json look_json(const MappingResult& r, const Workload& workload, const Architecture& architecture) {
  if (!r.look) return nullptr;
  const AnyLook& look = *r.look;
  Json json = {{"value", look.value},
               {"lower_bound", look.lower_bound},
               {"lower_found", 1 - look.value / r.value},
               {"lower_possible", 1 - look.lower_bound / r.value},
               {"evaluated", look.evaluated},
               {"seconds", look.seconds}};
  add_cost(json, look.cost.energy, look.cost.cycles, look.utilization);
  json["mapping"] = to_json(look.mapping, workload, architecture);
  return json;
}

Json without_links_json(const MappingResult& r) {
  if (!r.without_links) return nullptr;
  const WithoutLinks& w = *r.without_links;
  return {{"status", std::string(name(w.status))}, {"value", w.value}, {"lower_bound", w.lower_bound}};
}

Json rules_json(const RuleCounts& counts) {
  Json json = Json::object();
  for (const RuleInfo& info : kRuleTable) {
    const auto r = at(info.rule);
    json[std::string(info.name)] = {{"calls", counts.calls[r]}, {"cuts", counts.cuts[r]}};
  }
  return json;
}

Json distances_json(const Distances& levels) {
  if (!levels) return nullptr;
  Json bounds = Json::array();
  for (const LevelDistance& level : *levels) bounds.push_back(level_bound_json(level, kPerfectTiles));
  return bounds;
}

Json mapped_layer_json(const MapAnswer& answer, std::size_t i, const std::string& objective) {
  const LayerResult& layer = answer.result.layers[i];
  const Workload& workload = answer.network.layers[i].workload;
  const MappingResult& r = layer.result;
  Json json = question(workload);
  json["name"] = layer.name;
  json["count"] = layer.count;
  const bool feasible = r.status != Status::Infeasible;
  if (feasible) {
    add_cost(json, r.cost.energy, r.cost.cycles, r.utilization);
  } else {
    for (const char* key : {"energy_pj", "cycles", "edp_pj_cycles", "utilization"}) json[key] = nullptr;
  }
  json["objective"] = objective;
  json["value"] = feasible ? Json(r.value) : Json();
  json["lower_bound"] = feasible && r.status != Status::Measured ? Json(r.lower_bound) : Json();
  json["gap"] = feasible && r.lower_bound > 0 ? Json(r.gap) : Json();
  json["status"] = std::string(name(r.status));
  json["without_links"] = without_links_json(r);
  json["mapspace"] = mapspace_json(answer.imperfect, answer.counts, answer.tiles);
  json["strategy"] = name(r.strategy);
  json["ended_by"] = r.end == SearchEnd::Done ? Json() : Json(std::string(name(r.end)));
  json["why_not_proven"] = r.why_not_proven.empty() ? Json() : Json(r.why_not_proven);
  json["evaluated"] = r.statistics.evaluated;
  json["seconds"] = r.seconds;
  json["rules"] = rules_json(r.statistics.rules);
  json["witness"] = witness_json(r.witness, answer.architecture);
  json["mip"] = mip_json(r.mip);
  json["evaluator"] = evaluator_json(r, answer.evaluator);
  json["true_counts"] = true_counts_json(answer, i);
  json["any_look"] = look_json(r, workload, answer.architecture);
  json["mapping"] = feasible ? to_json(r.mapping, workload, answer.architecture) : Json();
  json["bounds"] = distances_json(answer.distances[i]);
  if (!answer.distances[i]) json["why_no_bounds"] = answer.distances[i].errors().front().message;
  if (feasible) return json;
  json["reasons"] = Json::array();
  for (const Diagnostic& d : r.why_infeasible) json["reasons"].push_back(d.to_string());
  return json;
}

}  // namespace

MapAnswer map_answer(Network network, Architecture architecture, NetworkResult result, const SearchOptions& options) {
  MovementBound bound;
  std::vector<Distances> distances;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const MappingResult& mapped = result.layers[i].result;
    const Workload& workload = network.layers[i].workload;
    distances.push_back(mapped.status == Status::Infeasible
                            ? Distances(Diagnostic{workload.name, 0, "", "the layer has no mapping"})
                            : bound.distances(workload, architecture, mapped.mapping));
  }
  std::vector<std::optional<Cost>> in_true_counts;
  for (std::size_t i = 0; i < result.layers.size(); ++i)
    in_true_counts.push_back(true_cost(network.layers[i].workload, architecture, result.layers[i].result));
  const bool any = options.factors == Factors::Any;
  const Counts counts = any ? Counts::True : Counts::Timeloop;
  std::vector<std::optional<Breakdown>> breakdowns;
  NetworkBreakdown by_level;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    breakdowns.emplace_back();
    if (result.layers[i].result.status == Status::Infeasible) continue;
    const CostModel model(network.layers[i].workload, architecture);
    breakdowns.back() = model.explain(result.layers[i].result.mapping, counts);
    by_level.add(*breakdowns.back(), result.layers[i].count);
  }
  return {std::move(network),
          std::move(architecture),
          std::move(result),
          any || options.imperfect,
          counts,
          options.tiles,
          options.evaluator,
          std::move(distances),
          std::move(in_true_counts),
          std::move(breakdowns),
          std::move(by_level)};
}

namespace {

// MACs of all runs of the layers that have a mapping.
Work work_of(const MapAnswer& answer) {
  const Cost& total = answer.result.total;
  Work work{total.energy.picojoules(), static_cast<double>(total.cycles), 0};
  for (std::size_t i = 0; i < answer.breakdowns.size(); ++i)
    if (answer.breakdowns[i])
      work.macs += static_cast<double>(answer.result.layers[i].count) *
                   static_cast<double>(answer.network.layers[i].workload.macs());
  return work;
}

// Where the energy goes, and what it comes to in seconds and W.
std::string whole_text(const MapAnswer& answer) {
  if (answer.by_level.levels.empty()) return "";
  const Work work = work_of(answer);
  std::string text = "\n" + network_breakdown_table(answer.by_level, answer.architecture);
  text += fmt::format("\n  {}: {}", answer.result.all_feasible() ? "one run" : "what fits",
                      rates_text(work, answer.architecture));
  const std::optional<Rates> r = rates(work, answer.architecture);
  if (r && answer.network.layers.size() > 1 && answer.result.all_feasible()) {
    const auto batch = static_cast<double>(answer.network.batch);
    text += fmt::format("; {:.4g} inferences/s, {} each", r->per_second * batch, energy(work.picojoules / batch));
  }
  return text + fmt::format("\n  area: {}\n", area_text(answer.architecture));
}

}  // namespace

std::string map_text(const MapAnswer& answer) {
  std::vector<NotProven> not_proven;
  for (const LayerResult& layer : answer.result.layers) not_proven.push_back({layer.name, layer.result.why_not_proven});
  std::string text = result_table(answer) + whole_text(answer) + evaluator_text(answer.result, answer.evaluator) +
                     not_proven_text(not_proven) + true_counts_text(answer) + looks_text(answer.result);
  if (answer.distances.size() != 1 || answer.result.layers[0].result.status == Status::Infeasible) return text;
  const Distances& levels = answer.distances[0];
  if (!levels) return text + fmt::format("\n  No bound on words moved: {}.\n", levels.errors().front().message);
  if (levels->empty()) return text;
  return text + "\n" + level_table(*levels, answer.network.layers[0].workload);
}

void add_map_answer(Json& json, const MapAnswer& answer, const std::string& objective, bool interrupted) {
  json["layers"] = Json::array();
  for (std::size_t i = 0; i < answer.result.layers.size(); ++i)
    json["layers"].push_back(mapped_layer_json(answer, i, objective));
  const Cost& total = answer.result.total;
  const EdpTotals edps = edp_totals(answer.result);
  json["total"] = {{"energy_pj", total.energy.picojoules()},
                   {"cycles", total.cycles},
                   {"edp_pj_cycles", edps.of_totals},
                   {"edp_of_totals_pj_cycles", edps.of_totals},
                   {"sum_of_layer_edps_pj_cycles", edps.sum},
                   {"sum_of_layer_values", edps.values},
                   {"seconds", answer.result.seconds},
                   {"all_feasible", answer.result.all_feasible()},
                   {"interrupted", interrupted},
                   {"levels", network_breakdown_json(answer.by_level)},
                   {"compute_pj", answer.by_level.compute.picojoules()},
                   {"rates", rates_json(work_of(answer), answer.architecture)},
                   {"batch", answer.network.batch},
                   {"area_um2", area_json(answer.architecture)}};
}

}  // namespace heliolite::cli
