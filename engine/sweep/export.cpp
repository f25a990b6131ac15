#include "engine/sweep/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/sweep/front.h"
#include "engine/sweep/records.h"

namespace heliolite {
namespace {

using Json = nlohmann::ordered_json;

void write_line(const std::vector<std::string>& cells, std::ostream& out) {
  for (std::size_t i = 0; i < cells.size(); ++i) out << (i > 0 ? "," : "") << csv_cell(cells[i]);
  out << '\n';
}

// The names or the texts of all fields; a list takes a cell for each of `width` elements.
void append(std::vector<std::string>& cells, const std::vector<std::string>& list, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) cells.push_back(i < list.size() ? list[i] : "");
}
void append(std::vector<std::string>& cells, const auto& field, std::size_t) { cells.push_back(field_text(field)); }

bool is_machine(const PointRecord& point) {
  return point.state != PointState::Excluded && point.state != PointState::Invalid;
}

bool has_costs(const PointRecord& point) { return point.state == PointState::Done || point.state == PointState::Cut; }

bool counts_words(std::string_view field) { return field == "words_moved" || field == "least_words"; }

// Whether a number of the record is known at all: what is not mapped has no energy, what is no machine no area.
bool known(const PointRecord& point, std::string_view field) {
  constexpr std::array<std::string_view, 3> kOfMachine{"area_um2", "compute_units", "capacity_bytes"};
  constexpr std::array<std::string_view, 5> kCosts{"energy_pj", "cycles", "value", "lower_bound",
                                                   "sum_of_layer_values"};
  if (std::ranges::find(kOfMachine, field) != kOfMachine.end()) return is_machine(point);
  if (std::ranges::find(kCosts, field) != kCosts.end()) return has_costs(point);
  return !counts_words(field) || point.least_words > 0;
}

bool known(const LayerRecord& layer, std::string_view field) {
  constexpr std::array<std::string_view, 5> kCosts{"energy_pj", "cycles", "value", "lower_bound", "utilization"};
  if (std::ranges::find(kCosts, field) != kCosts.end()) return !layer.mapping.empty();
  return !counts_words(field) || layer.least_words > 0;
}

// Empty where there is nothing to say: a 0 would be the least of a column.
template <class Record>
std::vector<std::string> cells_of(const Record& record, std::size_t width) {
  std::vector<std::string> out;
  visit_fields(record, [&](const char* name, const auto& field) {
    if (known(record, name)) append(out, field, width);
    else out.emplace_back();
  });
  return out;
}

template <class Record>
std::vector<std::string> headings(const std::vector<std::string>& parameters) {
  std::vector<std::string> out;
  const Record record;
  visit_fields(record, [&]<class Field>(const char* name, const Field&) {
    if constexpr (std::is_same_v<Field, std::vector<std::string>>) append(out, parameters, parameters.size());
    else out.emplace_back(name);
  });
  return out;
}

// Texts that are JSON themselves become part of the tree.
Json parsed(const std::string& text) {
  if (text.empty()) return nullptr;
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json(text) : json;
}

// Indented as the other answers, `depth` steps further in.
std::string indented(const Json& json, int depth) {
  const std::string margin(at(2 * depth), ' ');
  std::string out = margin;
  for (const char c : json.dump(2, ' ', false, Json::error_handler_t::replace)) {
    out += c;
    if (c == '\n') out += margin;
  }
  return out;
}

// The run time of a point in seconds, where its machine states a clock.
std::optional<double> run_seconds(const PointRecord& point) {
  if (!point.cycle_ns) return std::nullopt;
  return delay({.seconds = true}, point.cycles, point.cycle_ns);
}

// How far the value may be above the least possible one.
double point_gap(const PointRecord& point) {
  return point.lower_bound > 0 ? std::max(0.0, point.value / point.lower_bound - 1) : 0;
}

}  // namespace

Json to_json(const PointRecord& point, const SweepRecord& sweep, const Ranking& ranking) {
  Json parameters = Json::object();
  for (std::size_t i = 0; i < std::min(point.values.size(), sweep.parameters.size()); ++i)
    parameters[sweep.parameters[i]] = point.values[i];
  const bool machine = is_machine(point), costs = has_costs(point);
  const auto number = [](bool exists, auto value) { return exists ? Json(value) : Json(); };
  return {{"id", point.id},
          {"state", name(point.state)},
          {"parameters", std::move(parameters)},
          {"area_um2", number(machine, point.area_um2)},
          {"compute_units", number(machine, point.compute_units)},
          {"capacity_bytes", number(machine, point.capacity_bytes)},
          {"energy_pj", number(costs, point.energy_pj)},
          {"cycles", number(costs, point.cycles)},
          {"ns_per_cycle", point.cycle_ns ? Json(*point.cycle_ns) : Json()},
          {"delay_s", number(costs && point.cycle_ns, run_seconds(point).value_or(0))},
          {"value", number(costs, point.value)},
          {"value_unit", value_unit(ranking)},
          {"lower_bound", number(costs, point.lower_bound)},
          {"gap", number(costs && point.lower_bound > 0, point_gap(point))},
          {"status", front_status(point, sweep).empty() ? Json() : Json(front_status(point, sweep))},
          {"sum_of_layer_values", number(costs, point.sum_of_layer_values)},
          {"value_of_totals", number(costs, value_of_totals(ranking, point))},
          {"edp_of_totals_pj_cycles", number(costs, point.energy_pj * point.cycles)},
          {"words_moved", number(point.least_words > 0, point.words_moved)},
          {"least_words", number(point.least_words > 0, point.least_words)},
          {"reason", point.reason.empty() ? Json() : Json(point.reason)}};
}

Json to_json(const LayerRecord& layer) {
  const bool feasible = !layer.mapping.empty();
  const auto number = [&](double value) { return feasible ? Json(value) : Json(); };
  const auto words = [&](u64 value) { return layer.least_words > 0 ? Json(value) : Json(); };
  return {{"layer", layer.layer},
          {"workload", layer.workload},
          {"name", layer.name},
          {"count", layer.count},
          {"weight", layer.weight},
          {"status", layer.status},
          {"energy_pj", number(layer.energy_pj)},
          {"cycles", number(layer.cycles)},
          {"edp_pj_cycles", number(layer.energy_pj * layer.cycles)},
          {"value", number(layer.value)},
          {"lower_bound", number(layer.lower_bound)},
          {"words_moved", words(layer.words_moved)},
          {"least_words", words(layer.least_words)},
          {"utilization", number(layer.utilization)},
          {"evaluated", layer.evaluated},
          {"seconds", layer.seconds},
          {"mapping", parsed(layer.mapping)},
          {"breakdown", parsed(layer.breakdown)},
          {"reason", layer.reason.empty() ? Json() : Json(layer.reason)}};
}

std::vector<std::string> points_csv_columns(const std::vector<std::string>& parameters) {
  std::vector<std::string> names = headings<PointRecord>(parameters);
  names.insert(names.end(), {"delay_s", "value_unit", "value_of_totals", "gap", "status", "notes"});
  return names;
}

namespace {

// Which parameters have values that are sizes with a unit, such as "108 KB": these get a column of numbers, too.
Result<std::vector<bool>> sized_parameters(const Store& store) {
  std::vector<bool> out(store.sweep().parameters.size(), false);
  Diagnostics errors = store.visit_points([&](const PointRecord& point) {
    for (std::size_t p = 0; p < std::min(out.size(), point.values.size()); ++p)
      if (!out[p] && parse_bytes(point.values[p])) out[p] = true;
    return true;
  });
  if (!errors.empty()) return errors;
  return out;
}

}  // namespace

std::vector<std::string> layers_csv_columns() {
  std::vector<std::string> names = headings<LayerRecord>({});
  std::ranges::replace(names, "seconds", "search_seconds");
  return names;
}

Diagnostics write_points_csv(const Store& store, std::ostream& out) {
  const std::vector<std::string>& parameters = store.sweep().parameters;
  const Result<std::vector<bool>> sized = sized_parameters(store);
  if (!sized) return sized.errors();
  std::vector<std::string> heading = points_csv_columns(parameters);
  for (std::size_t p = 0; p < parameters.size(); ++p)
    if ((*sized)[p]) heading.push_back(parameters[p] + "_bytes");
  write_line(heading, out);
  return store.visit_points([&](const PointRecord& point) {
    std::vector<std::string> cells = cells_of(point, parameters.size());
    const SweepRecord& sweep = store.sweep();
    const bool costs = has_costs(point);
    for (std::string& cell : std::vector{costs ? field_text(run_seconds(point)) : "", value_unit(store.ranking()),
                                         costs ? field_text(value_of_totals(store.ranking(), point)) : "",
                                         costs && point.lower_bound > 0 ? field_text(point_gap(point)) : "",
                                         front_status(point, sweep), fmt::format("{}", fmt::join(sweep.notes, "; "))})
      cells.push_back(std::move(cell));
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (!(*sized)[p]) continue;
      const auto bytes = p < point.values.size() ? parse_bytes(point.values[p]) : std::nullopt;
      cells.push_back(bytes ? field_text(*bytes) : "");
    }
    write_line(cells, out);
    return out.good();
  });
}

Diagnostics write_layers_csv(const Store& store, std::ostream& out) {
  write_line(layers_csv_columns(), out);
  return store.visit_layers([&](const LayerRecord& layer) {
    write_line(cells_of(layer, 0), out);
    return out.good();
  });
}

namespace {

Json with_layers(const Store& store, const PointRecord& point, const std::vector<LayerRecord>& layers) {
  Json json = to_json(point, store.sweep(), store.ranking());
  json["layers"] = mapped(layers, [&](const LayerRecord& layer) { return to_json(layer); });
  return json;
}

}  // namespace

Diagnostics write_json_lines(const Store& store, std::ostream& out) {
  return store.visit([&](const PointRecord& point, const std::vector<LayerRecord>& layers) {
    out << with_layers(store, point, layers).dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
    return out.good();
  });
}

Diagnostics write_json(const Store& store, const Json& head, std::ostream& out) {
  std::string opening = head.dump(2, ' ', false, Json::error_handler_t::replace);
  opening.resize(opening.size() - std::string_view("\n}").size());
  out << opening << ",\n  \"points\": [";
  const char* separator = "\n";
  Diagnostics errors = store.visit([&](const PointRecord& point, const std::vector<LayerRecord>& layers) {
    out << std::exchange(separator, ",\n") << indented(with_layers(store, point, layers), 2);
    return out.good();
  });
  out << "\n  ]\n}\n";
  return errors;
}

}  // namespace heliolite
