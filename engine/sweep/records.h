#pragma once
// What a sweep writes down: one record per design point and one per (design point, layer), each with its question and
// its answer. Types only; storage is store.h.
#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "engine/model/cost.h"
#include "engine/search/core/answer.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

class MovementBound;

// The question of a whole sweep. A database holds one sweep; runs that ask something else are refused.
struct SweepRecord {
  std::string name;
  std::string question;       // hash of everything that can change an answer: machine, parameters, workloads, options
  std::string text;           // the sweep file's own text
  std::string version;        // of the program, with its commit
  std::string objective;      // objective.h
  std::string strategy;       // strategy_names()
  std::string goal;           // sweep_spec.h
  std::string rank;           // what points are ranked by: value_names(SweepRank)
  std::string delay_unit;     // of delays in values and on the front: "s" or "cycles"
  u64 grid_points = 0;        // all combinations of the parameters' values
  u64 planned_points = 0;     // points of the grid that the sweep looks at: all or a sample, before constraints
  u64 shard_points = 0;       // about how many of these the shard looks at; exact if there is one shard
  u64 shard = 0, shards = 1;  // index from 0, and number; people count from 1: shard_text()
  std::vector<std::string> parameters;  // names, in the file's order
  std::string reading;                  // how the files that the text names are read: reading_text(), "" if unknown
  std::vector<std::string> notes;       // what was read otherwise than it is written, and what the totals leave out

  bool operator==(const SweepRecord&) const = default;
};

// "shard 2/4", as --shard 2/4 asks for it.
inline std::string shard_text(const SweepRecord& sweep) {
  return "shard " + std::to_string(sweep.shard + 1) + "/" + std::to_string(sweep.shards);
}

// Excluded: a constraint does not hold. Invalid: the parameters make no valid machine (its complaint is in `reason`).
// Cut: a bound says that the point cannot be among the best; the bound is in `lower_bound`, its name and what beat it
// in `reason`. Infeasible: some layer has no mapping.
enum class PointState : u8 { Done, Infeasible, Cut, Excluded, Invalid };

inline constexpr std::array<std::string_view, 5> kPointStateNames{"done", "infeasible", "cut", "excluded", "invalid"};

constexpr std::string_view name(PointState state) { return kPointStateNames[at(state)]; }

// Sums over a point's layers, times counts and workload weights, in the order of the sweep's list.
struct Totals {
  double energy_pj = 0;
  double cycles = 0;               // whole: rounded up
  double value = 0;                // what points are ranked by, in the unit of value_unit() (totals.h)
  double lower_bound = 0;          // of `value`, over all mappings
  double sum_of_layer_values = 0;  // of the layers' objectives, in the same unit
  // Sums of the layers' fields of these names; 0 if those of a layer are not known.
  double words_moved = 0, least_words = 0;

  bool operator==(const Totals&) const = default;
};

// A design point and what became of it; of a cut point the totals are lower bounds.
struct PointRecord : Totals {
  u64 id = 0;  // place in the grid, counted with the last parameter fastest
  PointState state = PointState::Done;
  std::vector<std::string> values;  // [parameter]: as written
  double area_um2 = 0;              // of the whole machine
  u64 compute_units = 0;
  double capacity_bytes = 0;       // of all instances of all bounded memories
  std::optional<double> cycle_ns;  // the machine's cycle
  std::string reason;              // why not done

  Totals& totals() { return *this; }
  bool operator==(const PointRecord&) const = default;
};

// What LayerRecord::status is besides names of Status: no mappings of its network keep to the limits; an evaluator gave
// its mapping no costs.
inline constexpr std::string_view kOutsideLimits = "outside", kFailedEvaluation = "failed";

// The answer for one layer on one design point.
struct LayerRecord {
  u64 point = 0;
  u64 layer = 0;  // place in the sweep's list of layers, all workloads one after another
  std::string workload, name;
  u64 count = 1;         // how often the workload has the layer
  double weight = 1;     // the workload's weight
  std::string question;  // hash of workload, machine, options: equal questions have equal answers
  std::string status;    // name(Status), kOutsideLimits or kFailedEvaluation
  double energy_pj = 0;  // this and the numbers below: of one run of the layer
  double cycles = 0;
  double value = 0;        // objective_number(): of energy in pJ and cycles
  double lower_bound = 0;  // of `value`, over all mappings
  // Across the boundary inside the outermost level (engine/bounds/curve/movement_distance.h); both 0 if that is not
  // known.
  u64 words_moved = 0;
  u64 least_words = 0;     // words that every mapping moves
  double utilization = 0;  // of the compute units, 0 to 1
  u64 evaluated = 0;       // mappings priced
  double seconds = 0;      // of the search; 0: the answer of an equal question was reused
  std::string mapping;     // YAML flow / JSON that `eval -m` reads; empty if infeasible
  std::string breakdown;   // JSON: energy in pJ by level and tensor
  std::string reason;      // why infeasible, or why not proven

  bool operator==(const LayerRecord&) const = default;
};

// How many rows a table holds, and what they are: the sum of their checksums, modulo 2^64.
struct Tally {
  u64 rows = 0, digest = 0;

  bool operator==(const Tally&) const = default;
};

// One run of a program that wrote into the database.
struct RunRecord {
  u64 id = 0;                   // 1, 2, ..
  double started = 0;           // seconds since 1970, as the clock of the machine said
  std::optional<double> ended;  // by the same clock; none: it is at work, or was killed
  bool finished = false;        // it left nothing to do
  std::string writer;           // "process 4711 on host"
  u64 points_written = 0;       // rows of points
  double seconds = 0;           // from its beginning to its last row, by a clock that nobody sets
  // What the database held after its last row.
  Tally points, layers;

  bool operator==(const RunRecord&) const = default;
};

// A layer's answer as it is written down.

// The record of an answer; its `point` and `layer` are left to the caller. Equal answers of layers with other names
// give records that differ in workload, name, count and weight only. `bound` tells how far the mapping is from the
// least data movement.
LayerRecord layer_record(const SweepLayer& layer, const Architecture& machine, const MappingResult& result,
                         MovementBound& bound, std::string question);

// Energy in pJ by level and tensor as JSON: {"GLB": {"Weights": 12.5, ..., "leakage": 0.1}, ..., "compute": 3.2}. Of a
// tensor: accesses, addresses and the network below the level.
std::string breakdown_text(const Workload& workload, const Breakdown& breakdown);

// The answer as the record of another layer, or of a layer of another point, that asks the same.
LayerRecord reused(LayerRecord answer, const SweepLayer& layer);

// The fields of the records with their names, in one place for whoever stores, compares or prints them.

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
