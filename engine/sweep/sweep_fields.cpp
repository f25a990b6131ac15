// The fields of sweep files (docs/formats_sweep.md), map by map.
#include "engine/sweep/sweep_yaml.h"

#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/sweep/export.h"
#include "engine/sweep/store_rows.h"

namespace heliolite {
namespace {

constexpr double kMaxWeight = 1e9;
constexpr double kMaxLimit = 1e300;

// A number, or a size with its unit.
Shape quantity() { return shape::either({shape::number(), shape::text(kBytePattern)}); }

Shape goals() { return shape::one_of(names_of<SweepGoal>()); }

Shape ranks() { return shape::one_of(names_of<SweepRank>()); }

Shape means() { return shape::one_of(names_of<SweepMean>()); }

}  // namespace

const FieldTable& sweep_file_fields() {
  static const FieldTable table{"sweep file",
                                "Workloads mapped on many variants of a machine.",
                                {required({"sweep", shape::map(sweep_fields()), "The sweep."})}};
  return table;
}

const FieldTable& sweep_fields() {
  static const FieldTable table{
      "sweep", "The machine, what varies, the workloads and what is asked of each design point.",
      joined(
          joined(
              {{"name", shape::text(), "Title, and name of the database.", "", "the file's name"},
               required({"machine", shape::text(), "A preset, or a file beside this one, that the parameters vary."}),
               required({"workloads",
                         shape::list_or_one(shape::either({shape::text(), shape::map(sweep_workload_fields())})),
                         "What -w takes, with weights and layers."})},
              search_option_fields(kNotOfSweeps)),
          {{"goal", goals(),
            "Map all points, or only those that can be on the Pareto front, or only those that can be the best; or "
            "explore "
            "few, each chosen by those before it.",
            "", "all"},
           {"front", shape::words(), "What the Pareto front is of: [energy, delay, area], or [energy, delay].", "",
            "[energy, delay, area]"},
           {"rank", ranks(),
            "What is best: by the objective of the total energy and total delay, or by the sum of the layers' own.", "",
            "totals"},
           {"mean", means(),
            "What several workloads make of a point's value: one network with weights as factors (total), or the "
            "mean by weight of a value of each.",
            "", "total"},
           {"limits", shape::map(sweep_limit_fields()), "What the mappings of each network must keep to.", "", "none"},
           {"explore", shape::map(sweep_explore_fields()), "How goal explore chooses its points."},
           {"sweep_budget", shape::number(0, kMaxSweepSeconds),
            "Seconds after which a run of the sweep ends with the best so far; it goes on when it is resumed.", "",
            "no limit"},
           {"sample", shape::integer(1, static_cast<i64>(kMaxGridPoints)),
            "So many points of the grid, chosen by seed, none twice.", "", "all"},
           {"pilots", shape::integer(0, static_cast<i64>(kMaxPilots)), "Points mapped before any is cut.", "",
            "16; 1 if memories are co-searched"},
           required({"parameters", shape::names(shape::map(sweep_parameter_fields())),
                     "What varies, by the name of its column in the results; the last one varies fastest."}),
           {"constraints", shape::list_or_one(shape::text()),
            "Conditions that design points must meet, such as area_mm2 <= 5."}})};
  return table;
}

const FieldTable& sweep_limit_fields() {
  static const FieldTable table{
      "limits",
      "The most energy, delay and power of a network; the mappings are the best of those that keep to them.",
      {{"energy", shape::number(0, kMaxLimit), "pJ of all its layers.", "", "any"},
       {"delay", shape::number(0, kMaxLimit), "Seconds of all its layers, or cycles where machines state no clock.", "",
        "any"},
       {"power", shape::number(0, kMaxLimit), "W, energy over delay, or pJ a cycle where machines state no clock.", "",
        "any"}}};
  return table;
}

const FieldTable& sweep_explore_fields() {
  const auto count = [](u64 least, u64 most) {
    return shape::integer(static_cast<i64>(least), static_cast<i64>(most));
  };
  static const FieldTable table{
      "explore",
      "How goal explore chooses its points: some that fill the grid evenly, then each by what a Gaussian process "
      "expects.",
      {{"for", shape::one_of(names_of<ExploreFor>()), "The point of least value, or the Pareto front.", "", "best"},
       {"points", count(1, kMaxExplored), "That are evaluated at most, those of earlier runs included.", "", "100"},
       {"first", count(1, kMaxExplored), "Points that fill the grid evenly, before others are chosen.", "",
        "twice the parameters, at least 8"},
       {"batch", count(1, kMaxExploreBatch), "Points chosen together, to be evaluated side by side.", "", "1"}}};
  return table;
}

const FieldTable& sweep_workload_fields() {
  static const FieldTable table{"swept workload",
                                "A workload or network of a sweep.",
                                {required({"workload", shape::text(), "What -w takes; files stand beside this one."}),
                                 {"weight", shape::number(0, kMaxWeight), "Factor of all its costs.", "", "1"},
                                 {"layers", shape::words(), "Names of the layers to map.", "", "all"}}};
  return table;
}

const FieldTable& sweep_parameter_fields() {
  static const FieldTable table{
      "parameter",
      "What varies: a field and its values, or named alternatives of several fields.",
      {{"set", shape::list_or_one(shape::text()),
        "The field: LEVEL.key, compute.key or a key of the machine; of a list all get the same value."},
       {"values", shape::either({shape::list(shape::any()), shape::names(shape::names(shape::any()))}),
        "The values of the field; or, without set, alternatives by name, each a map of fields and values."},
       {"from", quantity(), "First value of a range, a number or a size with its unit."},
       {"to", quantity(), "Last value of the range, included if hit."},
       {"step", quantity(), "What is added from value to value."},
       {"factor", shape::number(), "What is multiplied from value to value."}}};
  return table;
}

namespace {

template <class Row>
void add_columns(std::set<std::string>& names) {
  Row row;
  visit_fields(row, [&](const char* name, const auto&) { names.insert(name); });
}

// The exports have more than the tables.
void add_exported(std::set<std::string>& names) {
  for (std::string& column : points_csv_columns({})) names.insert(std::move(column));
  for (std::string& column : layers_csv_columns()) names.insert(std::move(column));
  for (const auto& object : {to_json(PointRecord{}, SweepRecord{}, Ranking{}), to_json(LayerRecord{})})
    for (const auto& member : object.items()) names.insert(member.key());
}

}  // namespace

const std::set<std::string>& column_names() {
  static const std::set<std::string> all = [] {
    std::set<std::string> names{"checksum"};
    add_columns<PointRow>(names);
    add_columns<LayerRecord>(names);
    add_columns<SweepRecord>(names);
    add_columns<RunRecord>(names);
    add_exported(names);
    return names;
  }();
  return all;
}

}  // namespace heliolite
