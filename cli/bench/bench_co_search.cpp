#include "cli/bench/bench_co_search.h"

#include <fmt/format.h>

#include "cli/ui/table.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

// A count of both searches.
struct Pair {
  u64 grid = 0, together = 0;
  double share() const { return grid == 0 ? 1 : static_cast<double>(together) / static_cast<double>(grid); }
};

Pair configurations(const CoSearchStudyRow& row) { return {row.grid.configurations, row.together.configurations}; }

// By level.
std::vector<Pair> tiles(const CoSearchStudy& study, const CoSearchStudyRow& row) {
  std::vector<Pair> out;
  for (const std::size_t level : study.level_places)
    out.push_back({row.grid.statistics.tiles[level], row.together.statistics.tiles[level]});
  return out;
}

void add_count(Table& table, const CoSearchStudyRow& row, bool first, const Pair& n) {
  table.row({first ? row.layer : "", row.strategy, grouped(n.grid), grouped(n.together), percent(n.share())});
}

std::string best_machine(const CoSearchStudy& study, const CoSearchStudyRow& row) {
  return row.together.status == Status::Infeasible ? "none" : join(study.machines[row.together.best]);
}

double value_ratio(const CoSearchStudyRow& row) { return row.grid.value > 0 ? row.together.value / row.grid.value : 1; }

template <class Count>
std::string count_table(const CoSearchStudy& study, const std::string& title, Count count) {
  Table table({"<layer", "<strategy", "every machine", "together", "share"});
  const CoSearchStudyRow* above = nullptr;
  for (const CoSearchStudyRow& row : study.rows) {
    add_count(table, row, above == nullptr || above->layer != row.layer, count(row));
    above = &row;
  }
  return title + "\n" + table.to_string() + "\n";
}

std::string answer_table(const CoSearchStudy& study, const SweepSpec& spec) {
  std::vector<std::string> names;
  for (const SweepParameter& p : spec.parameters) names.push_back(p.name);
  Table table({"<layer", "<strategy", "<best: " + join(names), "value", "of grid's", "<proven", "every machine",
               "together", "times faster"});
  const CoSearchStudyRow* above = nullptr;
  for (const CoSearchStudyRow& row : study.rows) {
    table.row({above == nullptr || above->layer != row.layer ? row.layer : "", row.strategy, best_machine(study, row),
               scientific(row.together.value), fmt::format("{:.5f}", value_ratio(row)),
               std::string(name(row.together.status)), seconds(row.grid.seconds), seconds(row.together.seconds),
               fmt::format("{:.1f}", row.grid.seconds / row.together.seconds)});
    above = &row;
  }
  return "Answers and times\n" + table.to_string();
}

}  // namespace

std::string co_search_tables(const CoSearchStudy& study, const SweepSpec& spec) {
  std::string out = count_table(study, "Configurations evaluated", configurations);
  for (std::size_t k = 0; k < study.levels.size(); ++k)
    out += count_table(study, fmt::format("Tiles of {} looked at", study.levels[k]),
                       [&](const CoSearchStudyRow& row) { return tiles(study, row)[k]; });
  return out + answer_table(study, spec);
}

std::string co_search_csv(const CoSearchStudy& study) {
  std::string out = "layer,strategy,configurations_grid,configurations";
  for (const std::string& level : study.levels) out += fmt::format(",tiles_grid_{0},tiles_{0}", level);
  out += ",value_grid,value,lower_bound,status,search_seconds_grid,search_seconds,best\n";
  for (const CoSearchStudyRow& row : study.rows) {
    const Pair machines = configurations(row);
    out += fmt::format("{},{},{},{}", csv_cell(row.layer), row.strategy, machines.grid, machines.together);
    for (const Pair& n : tiles(study, row)) out += fmt::format(",{},{}", n.grid, n.together);
    out += fmt::format(",{},{},{},{},{},{},{}\n", row.grid.value, row.together.value, row.together.lower_bound,
                       name(row.together.status), row.grid.seconds, row.together.seconds,
                       csv_cell(best_machine(study, row)));
  }
  return out;
}

Json co_search_json(const CoSearchStudy& study) {
  Json out = Json::array();
  const auto both = [](const Pair& n) { return Json{{"grid", n.grid}, {"together", n.together}}; };
  for (const CoSearchStudyRow& row : study.rows) {
    Json by_level = Json::object();
    const std::vector<Pair> counts = tiles(study, row);
    for (std::size_t k = 0; k < counts.size(); ++k) by_level[study.levels[k]] = both(counts[k]);
    Json one = {{"layer", row.layer},
                {"strategy", row.strategy},
                {"configurations", both(configurations(row))},
                {"tiles", std::move(by_level)},
                {"value", row.together.value},
                {"lower_bound", row.together.lower_bound},
                {"gap", row.together.gap},
                {"status", std::string(name(row.together.status))},
                {"value_of_grid", row.grid.value},
                {"seconds", row.together.seconds},
                {"seconds_of_grid", row.grid.seconds}};
    one["best"] = row.together.status == Status::Infeasible ? Json() : Json(study.machines[row.together.best]);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace heliolite::cli
