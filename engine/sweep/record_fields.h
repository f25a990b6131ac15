#pragma once
// The fields of the records with their names, in one place for whoever stores, compares or prints them.
#include <concepts>
#include <type_traits>

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

}  // namespace heliolite
