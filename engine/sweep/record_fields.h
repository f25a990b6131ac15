#pragma once
// The fields of the records with their names, in one place for whoever stores, compares or prints them.
#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/sweep/records.h"

namespace heliolite {

template <class Record, class Of>
concept RecordOf = std::same_as<std::remove_const_t<Record>, Of>;

// visit(name, field) for every field; `record` may be const.
void visit_fields(RecordOf<PointRecord> auto& record, auto&& visit) {
  visit("id", record.id);
  visit("state", record.state);
  visit("parameter_values", record.values);
  visit("area_um2", record.area_um2);
  visit("compute_units", record.compute_units);
  visit("capacity_bytes", record.capacity_bytes);
  visit("energy_pj", record.energy_pj);
  visit("cycles", record.cycles);
  visit("ns_per_cycle", record.cycle_ns);  // parameters are called cycle_ns
  visit("value", record.value);
  visit("lower_bound", record.lower_bound);
  visit("sum_of_layer_values", record.sum_of_layer_values);
  visit("words_moved", record.words_moved);
  visit("least_words", record.least_words);
  visit("reason", record.reason);
}

void visit_fields(RecordOf<LayerRecord> auto& record, auto&& visit) {
  visit("point", record.point);
  visit("layer", record.layer);
  visit("workload", record.workload);
  visit("name", record.name);
  visit("count", record.count);
  visit("weight", record.weight);
  visit("question", record.question);
  visit("status", record.status);
  visit("energy_pj", record.energy_pj);
  visit("cycles", record.cycles);
  visit("value", record.value);
  visit("lower_bound", record.lower_bound);
  visit("words_moved", record.words_moved);
  visit("least_words", record.least_words);
  visit("utilization", record.utilization);
  visit("evaluated", record.evaluated);
  visit("mapping", record.mapping);
  visit("breakdown", record.breakdown);
  visit("reason", record.reason);
  visit("seconds", record.seconds);  // last: the one field that differs from run to run
}

void visit_fields(RecordOf<SweepRecord> auto& record, auto&& visit) {
  visit("name", record.name);
  visit("question", record.question);
  visit("text", record.text);
  visit("version", record.version);
  visit("objective", record.objective);
  visit("strategy", record.strategy);
  visit("goal", record.goal);
  visit("rank", record.rank);
  visit("delay_unit", record.delay_unit);
  visit("grid_points", record.grid_points);
  visit("planned_points", record.planned_points);
  visit("shard_points", record.shard_points);
  visit("shard", record.shard);
  visit("shards", record.shards);
  visit("parameters", record.parameters);
  visit("reading", record.reading);
  visit("notes", record.notes);
}

void visit_fields(RecordOf<RunRecord> auto& record, auto&& visit) {
  visit("id", record.id);
  visit("started", record.started);
  visit("ended", record.ended);
  visit("finished", record.finished);
  visit("writer", record.writer);
  visit("points_written", record.points_written);
  visit("seconds", record.seconds);
  visit("all_points", record.points.rows);
  visit("points_digest", record.points.digest);
  visit("all_layers", record.layers.rows);
  visit("layers_digest", record.layers.digest);
}

// Fields of records as text for people, spreadsheets and columns of tables.

// A field as text.
std::string field_text(u64 field);
std::string field_text(double field);                        // the shortest digits that give the same number again
std::string field_text(const std::optional<double>& field);  // "" if there is none
std::string field_text(const std::string& field);
std::string field_text(PointState field);
std::string field_text(const std::vector<std::string>& field);  // "a, b and c"

// A list of texts as JSON, and back: none if the text is no such list.
std::string list_text(const std::vector<std::string>& list);
std::optional<std::vector<std::string>> read_list(const std::string& text);

// "energy_pj is 3 and 4, cycles is 7 and 8": the fields in which two records differ; "seconds" does not count.
template <class Record>
std::string difference(const Record& a, const Record& b) {
  std::vector<std::string> texts;
  visit_fields(a, [&](const char*, const auto& field) { texts.push_back(field_text(field)); });
  std::string out;
  std::size_t i = 0;
  visit_fields(b, [&](const char* name, const auto& field) {
    const std::string& old = texts[i++];
    const std::string now = field_text(field);
    if (old != now && name != std::string_view("seconds"))
      out += (out.empty() ? "" : ", ") + std::string(name) + " is " + old + " and " + now;
  });
  return out;
}

}  // namespace heliolite
