// The data of a sweep's page as JSON, which engine/report/page/data.js reads.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/report/report_data.h"
#include "engine/report/report_page.h"
#include "engine/sweep/front.h"
#include "engine/sweep/totals.h"

namespace heliolite {
namespace {

using Json = nlohmann::ordered_json;

// The values of the parameters as numbers: `values(p)[i]` is written once, points say i.
class Choices {
 public:
  explicit Choices(const ReportData& data) : values_(data.sweep.parameters.size()), places_(values_.size()) {
    for (std::size_t p = 0; p < values_.size(); ++p) {
      std::set<std::string> known;
      const auto add = [&](const std::string& value) {
        if (known.insert(value).second) values_[p].push_back(value);
      };
      if (p < data.summary.effects.size())
        for (const ParameterEffect& effect : data.summary.effects[p]) add(effect.value);
      for (const PointRecord& point : data.cut)
        if (p < point.values.size()) add(point.values[p]);
      values_[p] = in_order(std::move(values_[p]));
      for (const std::string& value : values_[p]) places_[p].emplace(value, places_[p].size());
    }
  }

  const std::vector<std::string>& values(std::size_t parameter) const { return values_[parameter]; }
  // Nothing for a value that came after the summary was made, from a sweep at work.
  std::optional<std::size_t> place(std::size_t parameter, const std::string& value) const {
    const auto found = places_[parameter].find(value);
    return found == places_[parameter].end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::vector<std::vector<std::string>> values_;
  std::vector<std::map<std::string, std::size_t>> places_;
};

Json sweep_json(const SweepRecord& sweep) {
  const Ranking ranking = ranking_of(sweep);
  const ObjectiveInfo& objective = info(ranking.objective);
  const std::string title = value_title(sweep);
  const SweepLimits limits = asked_limits(sweep);
  const auto limit = [](const std::optional<double>& most) { return most ? Json(*most) : Json(); };
  return {
      {"name", sweep.name},
      {"question", sweep.question},
      {"text", sweep.text},
      {"notes", sweep.notes},
      {"version", sweep.version},
      {"objective", sweep.objective},
      {"energy_power", objective.energy_power},
      {"cycles_power", objective.cycles_power},
      {"area_power", objective.area_power},
      {"per_operation", objective.per_operation},
      {"label", objective.label},
      {"value_label", title.substr(0, title.rfind(" ["))},
      {"rank", sweep.rank},
      {"mean", name(ranking.mean)},
      {"limits", {{"energy", limit(limits.energy_pj)}, {"delay", limit(limits.delay)}, {"power", limit(limits.power)}}},
      {"front", ranking.area ? "energy, delay and area" : "energy and delay"},
      {"certifies_front", certifies_front(sweep)},
      {"seconds", ranking.seconds},
      {"value_unit", value_unit(ranking)},
      {"strategy", sweep.strategy},
      {"factors", has_any_factors(sweep) ? "any" : "perfect"},
      {"goal", sweep.goal},
      {"grid_points", sweep.grid_points},
      {"planned_points", sweep.planned_points},
      {"shard_points", sweep.shard_points},
      {"shard", sweep.shard},
      {"shards", sweep.shards}};
}

Json states_json(const SweepSummary& summary) {
  Json states;
  for (std::size_t i = 0; i < kPointStateNames.size(); ++i)
    states[std::string(kPointStateNames[i])] = summary.by_state[i];
  return states;
}

Json outcomes_json(const SweepSummary& summary) {
  Json rows = Json::array();
  rows.push_back({{"state", name(PointState::Done)}, {"points", summary.count(PointState::Done)}, {"reason", ""}});
  for (const ReasonCount& r : summary.reasons)
    rows.push_back({{"state", name(r.state)}, {"points", r.points}, {"reason", r.reason}});
  return rows;
}

// With the digits that charts and sums of them need: half the size of all digits.
double short_number(double x) { return parse_number<double>(fmt::format("{:.8g}", x)).value_or(x); }

// One array a column: half the size of one object a point.
Json points_json(std::span<const PointRecord> points, const Choices& choices, const SweepRecord& sweep) {
  const Ranking ranking = ranking_of(sweep);
  const auto seconds = [](const PointRecord& p) {
    return p.cycle_ns ? Json(short_number(p.cycles * *p.cycle_ns * 1e-9)) : Json();
  };
  Json columns = {{"id", mapped(points, &PointRecord::id)},
                  {"energy_pj", mapped(points, &PointRecord::energy_pj)},
                  {"delay", mapped(points, [&](const PointRecord& p) { return delay(ranking, p); })},
                  {"area_um2", mapped(points, &PointRecord::area_um2)},
                  {"value", mapped(points, &PointRecord::value)},
                  {"lower_bound", mapped(points, &PointRecord::lower_bound)},
                  {"words_moved", mapped(points, &PointRecord::words_moved)},
                  {"least_words", mapped(points, &PointRecord::least_words)},
                  {"capacity_bytes", mapped(points, &PointRecord::capacity_bytes)},
                  {"compute_units", mapped(points, &PointRecord::compute_units)},
                  {"status", mapped(points, [&](const PointRecord& p) { return front_status(p, sweep); })},
                  {"seconds", mapped(points, seconds)},
                  {"choice", Json::array()}};
  for (std::size_t p = 0; p < sweep.parameters.size(); ++p) {
    Json places = Json::array();
    for (const PointRecord& point : points) {
      const auto place = p < point.values.size() ? choices.place(p, point.values[p]) : std::nullopt;
      places.push_back(place ? Json(*place) : Json());
    }
    columns["choice"].push_back(std::move(places));
  }
  return columns;
}

Json ids_json(std::span<const PointRecord> points) {
  Json ids = mapped(points, &PointRecord::id);
  return ids;
}

// A run's roofline: {"operations", "per_cycle": at most, "cycles", "compute_cycles", "limit", "levels": [{"name",
// "bytes", "per_cycle": bytes at most or null, "cycles"}], outermost first}; null if it is not known.
Json roofline_json(const std::optional<Roofline>& roof) {
  if (!roof) return nullptr;
  Json levels = Json::array();
  for (const RooflineLevel& level : roof->levels)
    levels.push_back({{"name", level.name},
                      {"bytes", level.bytes},
                      {"per_cycle", level.bytes_per_cycle ? Json(*level.bytes_per_cycle) : Json()},
                      {"cycles", level.cycles}});
  return {{"operations", roof->operations}, {"per_cycle", roof->operations_per_cycle},
          {"cycles", roof->cycles},         {"compute_cycles", roof->compute_cycles},
          {"limit", roof->limit()},         {"limit_text", roof->limit_text()},
          {"levels", std::move(levels)}};
}

Json layer_json(const LayerRecord& layer, std::span<const LevelRoom> rooms, const std::optional<Roofline>& roof,
                std::span<const EnergyPart> order, const Ranking& ranking, std::optional<double> cycle_ns) {
  const Totals one = totals({[&] {
                              LayerRecord run = layer;
                              run.count = 1, run.weight = 1;
                              return run;
                            }()},
                            ranking, cycle_ns);
  std::vector<EnergyPart> parts = energy_parts(layer.breakdown);
  Json energies = mapped(order, [&](const EnergyPart& part) { return part_named(parts, part.name).energy_pj(); });
  return {{"workload", layer.workload},
          {"name", layer.name},
          {"count", layer.count},
          {"weight", layer.weight},
          {"status", layer.status},
          {"energy_pj", layer.energy_pj},
          {"delay", delay(ranking, layer.cycles, cycle_ns)},
          {"value", one.sum_of_layer_values},
          {"lower_bound", one.lower_bound},
          {"words_moved", layer.words_moved},
          {"least_words", layer.least_words},
          {"utilization", layer.utilization},
          {"evaluated", layer.evaluated},
          {"parts_pj", std::move(energies)},
          {"mapping", mapping_json(layer.mapping, rooms)},
          {"roofline", roofline_json(roof)}};
}

// A workload's part of a point.
struct WorkloadParts {
  std::string workload;
  std::vector<EnergyPart> parts;  // of its layers together, weighted as the point's energy is
};

std::vector<WorkloadParts> parts_by_workload(std::span<const LayerRecord> layers) {
  std::vector<WorkloadParts> all;
  for (const LayerRecord& layer : layers) {
    auto found = std::ranges::find(all, layer.workload, &WorkloadParts::workload);
    if (found == all.end()) found = all.insert(found, {layer.workload, {}});
    const double runs = static_cast<double>(layer.count) * layer.weight;
    for (const EnergyPart& part : energy_parts(layer.breakdown)) {
      EnergyPart& sum = part_named(found->parts, part.name);
      for (const auto& [tensor, energy] : part.tensors) sum.add(tensor, energy * runs);
    }
  }
  return all;
}

// {"id": 3, "parts": [names, outermost first], "workloads": [{"name": ..., "parts": [{"name": ..., "energy_pj":
// {tensor: pJ}}]}], "layers": [...]}: the energies of a layer are in the order of the parts.
Json detail_json(const PointLayers& detail, const Ranking& ranking) {
  std::vector<EnergyPart> order;
  Json workloads = Json::array(), names = Json::array(), layers = Json::array();
  for (const auto& [workload, parts] : parts_by_workload(detail.layers)) {
    Json written = Json::array();
    for (const EnergyPart& part : parts) {
      Json energies = Json::object();
      for (const auto& [tensor, energy] : part.tensors) energies[tensor] = energy;
      written.push_back({{"name", part.name}, {"energy_pj", std::move(energies)}});
      part_named(order, part.name);
    }
    workloads.push_back({{"name", workload}, {"parts", std::move(written)}});
  }
  for (const EnergyPart& part : order) names.push_back(part.name);
  const PointRooms& known = detail.made_again;
  for (std::size_t i = 0; i < detail.layers.size(); ++i)
    layers.push_back(
        layer_json(detail.layers[i], i < known.rooms.size() ? std::span(known.rooms[i]) : std::span<const LevelRoom>(),
                   i < known.rooflines.size() ? known.rooflines[i] : std::nullopt, order, ranking, detail.cycle_ns));
  return {{"id", detail.point},
          {"parts", std::move(names)},
          {"workloads", std::move(workloads)},
          {"cycle_ns", detail.cycle_ns ? Json(*detail.cycle_ns) : Json()},
          {"layers", std::move(layers)}};
}

// [{"workload", "name", "operations": of all runs or null}]: the layers of the sweep.
Json layers_json(const ReportData& data) {
  Json layers = Json::array();
  for (const LayerRecord& layer : data.layers)
    layers.push_back(
        {{"workload", layer.workload},
         {"name", layer.name},
         {"operations", layer.layer < data.operations.size() ? Json(data.operations[layer.layer]) : Json()}});
  return layers;
}

// {"energy_pj": [layer][point], ...}, points as in "points"; null if single layers are left out.
Json parts_json(const ReportData& data, std::span<const PointRecord> drawn) {
  if (data.parts.empty()) return nullptr;
  const Ranking ranking = ranking_of(data.sweep);
  Json columns = {
      {"energy_pj", Json::array()}, {"delay", Json::array()}, {"value", Json::array()}, {"lower_bound", Json::array()}};
  for (std::size_t l = 0; l < data.layers.size(); ++l) {
    for (Json& column : columns) column.push_back(Json::array());
    for (std::size_t p = 0; p < drawn.size(); ++p) {
      const LayerCosts costs = l < data.parts[p].size() ? data.parts[p][l] : LayerCosts();
      columns["energy_pj"][l].push_back(short_number(costs.energy_pj));
      columns["delay"][l].push_back(short_number(delay(ranking, costs.cycles, drawn[p].cycle_ns)));
      columns["value"][l].push_back(costs.value);
      columns["lower_bound"][l].push_back(costs.lower_bound);
    }
  }
  return columns;
}

// Null where it is not known.
Json least_bound(const ReportData& data, std::size_t parameter, const std::string& value) {
  if (parameter >= data.least_bounds.size()) return nullptr;
  const auto found = data.least_bounds[parameter].find(value);
  return found == data.least_bounds[parameter].end() || found->second <= 0 ? Json() : Json(found->second);
}

Json sensitivity_json(const ReportData& data, const Choices& choices) {
  Json parameters = Json::array();
  for (std::size_t p = 0; p < std::min(data.sweep.parameters.size(), data.summary.effects.size()); ++p) {
    Json values = Json::array();
    std::vector<ParameterEffect> effects = data.summary.effects[p];
    std::ranges::sort(effects, {}, [&](const ParameterEffect& e) { return choices.place(p, e.value); });
    for (const ParameterEffect& e : effects)
      values.push_back({{"value", e.value},
                        {"points", e.points},
                        {"best", e.best},
                        {"mean", e.mean},
                        {"least_bound", least_bound(data, p, e.value)}});
    parameters.push_back({{"name", data.sweep.parameters[p]}, {"values", std::move(values)}});
  }
  return parameters;
}

Json parameters_json(const ReportData& data, const Choices& choices) {
  Json parameters = Json::array();
  for (std::size_t p = 0; p < data.sweep.parameters.size(); ++p)
    parameters.push_back({{"name", data.sweep.parameters[p]}, {"values", choices.values(p)}});
  return parameters;
}

// '<' and '&' occur in strings only, where their escapes mean the same.
std::string safe_in_script(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') out += "\\u003c";
    else if (c == '&') out += "\\u0026";
    else out += c;
  }
  return out;
}

}  // namespace

std::string report_json(const ReportData& data, const std::string& program) {
  const Choices choices(data);
  const std::vector<PointRecord> drawn = data.drawn();
  Json page;
  page["program"] = program;
  page["sweep"] = sweep_json(data.sweep);
  page["states"] = states_json(data.summary);
  page["decided"] = {{"progress", kSweepProgressNames[at(data.decided.progress)]},
                     {"machines", data.decided.machines},
                     {"certain", data.decided.certain},
                     {"open", data.decided.open}};
  page["outcomes"] = outcomes_json(data.summary);
  page["parameters"] = parameters_json(data, choices);
  page["points"] = points_json(drawn, choices, data.sweep);
  page["cut_points"] = points_json(data.cut, choices, data.sweep);
  page["layers"] = layers_json(data);
  page["parts"] = parts_json(data, drawn);
  page["certainty"] = {{"least_bound", data.certainty.least_bound}, {"rivals", data.certainty.rivals}};
  page["best"] = ids_json(data.summary.best);
  page["front"] = ids_json(data.summary.front);
  page["details"] = Json::array();
  for (const PointLayers& detail : data.details) page["details"].push_back(detail_json(detail, ranking_of(data.sweep)));
  page["why_no_rooms"] = data.why_no_rooms;
  page["sensitivity"] = sensitivity_json(data, choices);
  return safe_in_script(page.dump(-1, ' ', true, Json::error_handler_t::replace));
}

}  // namespace heliolite
