// Whatever is minimised bears its own name, its unit and its value in everything that the program prints: for every row
// of the table of objectives the value is computed anew here from energy, cycles, area and operations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/search/core/objective.h"
#include "tests/support/cli_runner.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::cli_objectives_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json json_of(const std::string& path) { return json::parse(read_text(path)); }

// The value of one run, or of the totals of several.
double recomputed(const ObjectiveInfo& o, double energy_pj, double cycles, double area_um2, double operations) {
  return std::pow(energy_pj, o.energy_power) * std::pow(cycles, o.cycles_power) * std::pow(area_um2, o.area_power) /
         (o.per_operation ? operations : 1);
}

// Units as people write them, one by one: the table of the program derives them from powers. `time`: "cycles", or "s"
// in sweeps of machines that state how long a cycle is.
std::string unit_of(Objective objective, const std::string& times, const std::string& time = "cycles") {
  const std::map<Objective::Kind, std::vector<std::string>> parts{
      {Objective::Energy, {"pJ"}},
      {Objective::Delay, {time}},
      {Objective::Edp, {"pJ", time}},
      {Objective::Ed2p, {"pJ", time + "^2"}},
      {Objective::Edap, {"pJ", time, "um^2"}},
      {Objective::EnergyPerOp, {"pJ / operation"}},
      {Objective::ThroughputPerArea, {time, "um^2 / operation"}},
  };
  std::string out;
  for (const std::string& part : parts.at(objective.kind())) out += (out.empty() ? "" : times) + part;
  return out;
}

// Energy, cycles and their product have columns of their own in any case.
bool has_own_column(Objective objective) {
  return objective == Objective::Energy || objective == Objective::Delay || objective == Objective::Edp;
}

// The cell of a CSV file's first row.
std::string cell(const std::string& csv, const std::string& column) {
  std::vector<std::string> rows = split(csv, '\n');
  const std::vector<std::string> names = split(rows.at(0), ','), cells = split(rows.at(1), ',');
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == column) return cells.at(k);
  return "no column " + column;
}

TEST(CliObjectives, MapShowsEachUnderItsNameInItsUnit) {
  const TempFolder folder;
  const std::string machine = folder.write("machine.yaml", testing::kSmallMachine);
  for (const ObjectiveInfo& o : kObjectiveTable) {
    SCOPED_TRACE(std::string(o.name));
    const std::string answer = folder.path("a.json"), csv = folder.path("a.csv"), page = folder.path("a.html");
    const CliResult run = run_cli("map --wide -a " + machine + " -w gemm:8x8x8 --no-look --objective " +
                                  std::string(o.name) + " --json " + answer + " --csv " + csv);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const std::string title = std::string(o.label) + " [" + unit_of(o.objective, " x ") + "]";
    EXPECT_THAT(run.out, HasSubstr("objective " + std::string(o.name)));
    EXPECT_THAT(run.out, HasSubstr(has_own_column(o.objective) ? "EDP [pJ x cycles]" : title));
    const json all = json_of(answer);
    const json& layer = all["layers"][0];
    const double value = recomputed(o, layer["energy_pj"], layer["cycles"], all["total"]["area_um2"], 512);
    EXPECT_EQ(layer["objective"], o.name);
    EXPECT_EQ(layer["value_unit"], unit_of(o.objective, " "));
    EXPECT_NEAR(layer["value"].get<double>(), value, 1e-12 * value);
    EXPECT_EQ(layer["value"], layer["lower_bound"]);
    EXPECT_NEAR(all["total"]["value_of_totals"].get<double>(), value, 1e-12 * value);
    EXPECT_NEAR(std::stod(cell(read_text(csv), "value")), value, 1e-12 * value);
    EXPECT_EQ(cell(read_text(csv), "value_unit"), unit_of(o.objective, " "));
    ASSERT_EQ(run_cli("report " + answer + " -o " + page).exit_code, 0);
    EXPECT_THAT(read_text(page), HasSubstr(title));
  }
}

TEST(CliObjectives, SweepsRankByEachAndSayWhatItIs) {
  const TempFolder folder;
  folder.write("machine.yaml", testing::kSmallMachine);
  const std::string sweep = folder.write("sweep.yaml", R"(
sweep:
  name: small
  machine: machine.yaml
  workloads: ['gemm:8x8x8', 'gemm:16x8x4']
  goal: all
  parameters:
    glb: {set: GLB.capacity, values: [1 KB, 2 KB, 64 KB]}
)");
  for (const ObjectiveInfo& o : kObjectiveTable)
    for (const std::string rank : {"totals", "layers"}) {
      SCOPED_TRACE(std::string(o.name) + " " + rank);
      const std::string db = folder.path(std::string(o.name) + rank + ".db"), answer = folder.path("a.json");
      const CliResult run = run_cli("sweep --wide " + sweep + " --rank " + rank + " --objective " +
                                    std::string(o.name) + " -o " + db + " --json " + answer);
      ASSERT_EQ(run.exit_code, 0) << run.err;
      EXPECT_THAT(run.out, HasSubstr(std::string(o.label)));
      EXPECT_THAT(run.out, HasSubstr("[" + unit_of(o.objective, " ", "s") + "]"));
      const json all = json_of(answer);
      double last = 0;
      ASSERT_EQ(all["best"].size(), 3u);
      for (const json& point : all["best"]) {
        const double seconds = point["cycles"].get<double>() * 1e-9;  // the small machine's cycle takes 1 ns
        const double of_totals = recomputed(o, point["energy_pj"], seconds, point["area_um2"], 1024);
        EXPECT_EQ(point["value_unit"], unit_of(o.objective, " ", "s"));
        EXPECT_NEAR(point["value_of_totals"].get<double>(), of_totals, 1e-9 * of_totals);
        if (rank == "totals" || o.per_operation) {
          EXPECT_NEAR(point["value"].get<double>(), of_totals, 1e-9 * of_totals);
        }
        EXPECT_LE(point["lower_bound"].get<double>(), point["value"].get<double>() * (1 + 1e-12));
        EXPECT_GE(point["value"].get<double>(), last);
        last = point["value"];
      }
      double sum = 0;
      for (const json& layer : all["layers"])
        sum += recomputed(o, layer["energy_pj"], layer["cycles"].get<double>() * 1e-9, all["best"][0]["area_um2"], 1);
      if (rank == "layers" && !o.per_operation) {
        EXPECT_NEAR(all["best"][0]["value"].get<double>(), sum, 1e-9 * sum);
      }
      ASSERT_EQ(run_cli("report " + db + " -o " + folder.path("a.html")).exit_code, 0);
      EXPECT_THAT(read_text(folder.path("a.html")), HasSubstr("\"label\":\"" + std::string(o.label) + "\""));
    }
}

// A co-search of all memories at once finds the point that the sweep of every one finds.
TEST(CliObjectives, CoSearchesFindTheBestPointOfEach) {
  const TempFolder folder;
  folder.write("machine.yaml", testing::kSmallMachine);
  const std::string sweep = folder.write("sweep.yaml", R"(
sweep:
  name: small
  machine: machine.yaml
  workloads: ['gemm:8x8x8', 'gemm:16x8x4']
  strategy: exact
  parameters:
    glb: {set: GLB.capacity, values: [1 KB, 2 KB, 64 KB]}
    spad: {set: Spad.entries, values: [16, 64]}
)");
  for (const ObjectiveInfo& o : kObjectiveTable) {
    SCOPED_TRACE(std::string(o.name));
    std::vector<json> best;
    for (const std::string goal : {"best", "all"}) {
      const CliResult run =
          run_cli("sweep " + sweep + " --rank layers --goal " + goal + " --objective " + std::string(o.name) + " -o " +
                  folder.path(std::string(o.name) + goal + ".db") + " --json " + folder.path("a.json"));
      ASSERT_EQ(run.exit_code, 0) << run.err;
      best.push_back(json_of(folder.path("a.json"))["best"][0]);
    }
    EXPECT_NEAR(best[0]["value"].get<double>(), best[1]["value"].get<double>(), 1e-9 * best[1]["value"].get<double>());
  }
}

TEST(CliObjectives, OneOfTheAreaAsksForTheArea) {
  const TempFolder folder;
  const std::string machine = folder.write("bare.yaml", R"(
architecture:
  name: bare
  word_bits: 16
  levels:
  - {name: DRAM, capacity: unbounded, energy: 200}
  - {name: Buf, entries: 64, energy: 2}
  compute: {energy: 1}
)");
  for (const ObjectiveInfo& o : kObjectiveTable) {
    const CliResult run = run_cli("map -a " + machine + " -w gemm:4x4x4 --objective " + std::string(o.name));
    EXPECT_EQ(run.exit_code, o.area_power > 0 ? 2 : 0) << o.name << run.err;
    if (o.area_power > 0) {
      EXPECT_THAT(run.err, HasSubstr("needs the area of bare, which states none"));
    }
  }
}

}  // namespace
}  // namespace heliolite::cli_objectives_test
