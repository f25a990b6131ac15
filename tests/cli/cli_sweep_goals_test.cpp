// heliolite sweep: the best machine of a family with its proof, and what limits leave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/cli_runner.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::cli_sweep_goals_test {
namespace {

using ::testing::HasSubstr;
using testing::small_sweep;

// The best machine of a family comes with what is proven of all.
TEST(CliSweepGoals, SaysWhatIsProvenOfAFamily) {
  const TempFolder folder;
  const std::string file = small_sweep(folder, "  objective: network_edp\n  goal: best\n");
  const std::string json = folder.path("a.json");
  const CliResult run = run_cli("sweep " + file + " --strategy exact -o " + folder.path("b.db") + " --json " + json);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("optimal: the least of 22 machines"));
  const auto answer = nlohmann::json::parse(read_text(json));
  const auto& certificate = answer["certificate"];
  EXPECT_EQ(certificate["status"], "optimal");
  EXPECT_EQ(certificate["point"], answer["best"][0]["id"]);
  EXPECT_EQ(certificate["value"], certificate["lower_bound"]);
  EXPECT_EQ(answer["best"][0]["status"], "best");
  const CliResult all =
      run_cli("sweep " + file + " --goal all --strategy exact -o " + folder.path("c.db") + " --json " + json);
  ASSERT_EQ(all.exit_code, 0) << all.err;
  const auto every = nlohmann::json::parse(read_text(json));
  EXPECT_TRUE(every["certificate"].is_null());
  EXPECT_NEAR(every["best"][0]["value"].get<double>() / certificate["value"].get<double>(), 1, 1e-9);
}

// Structure of every kind: shapes of arrays, levels that are there or not, split against unified buffers, what levels
// keep, sizes of words, bandwidths, technology, named alternatives, constraints and budgets of area, bandwidth and idle
// power. The best machine is that of a search of every machine.
TEST(CliSweepGoals, FindsTheBestOfStructuresOfEveryKind) {
  const TempFolder folder;
  folder.write("parts.yaml", R"(
architecture:
  name: parts
  technology_nm: 45
  word_bits: 16
  energy: table
  levels:
  - {name: DRAM, dram: LPDDR4, bandwidth: {read: 4, write: 4}}
  - {name: L2, capacity: 8 KB, bandwidth: {read: 8, write: 8}}
  - {name: GLB, capacity: 2 KB, bandwidth: {read: 8, write: 8}, fanout: 2x2}
  - name: Local
    buffers:
    - {name: In, keep: [inputs], entries: 32, bandwidth: {read: 4, write: 4}}
    - {name: Wgt, keep: [weights], entries: 32, bandwidth: {read: 4, write: 4}}
    - {name: Out, keep: [outputs], entries: 32, bandwidth: {read: 4, write: 4}}
)");
  const std::array families{
      R"(
    array: {set: GLB.fanout, values: [2x2, 4x4, 1x8]}
    second_buffer:
      values:
        present: {L2.keep: all, L2.capacity: 64 KB}
        absent: {L2.keep: [], L2.capacity: 64 KB, L2.leak_pj_per_cycle: 0, L2.area_um2: 0}
    word: {set: word_bits, values: [8, 16]})",
      R"(
    local:
      values:
        split: {In.keep: [inputs], Wgt.keep: [weights], Out.keep: [outputs], Out.entries: 32}
        unified: {In.keep: [], Wgt.keep: [], Out.keep: all, Out.entries: 128}
    held: {set: GLB.keep, values: [all, [inputs, outputs], [weights]]}
    memory:
      values:
        cheap: {DRAM.dram: LPDDR4, DRAM.bandwidth: {read: 2, write: 2}}
        fast: {DRAM.dram: HBM2, DRAM.bandwidth: {read: 16, write: 16}})",
      R"(
    array: {set: GLB.fanout, values: [2x2, 4x4, 8x8]}
    out: {set: Out.entries, from: 16, to: 64, factor: 2}
    rate: {set: [GLB.bandwidth.read, GLB.bandwidth.write], values: [4, 16]}
    node: {set: technology_nm, values: [45, 22]}
  constraints: [out * array <= 1024, area_mm2 <= 0.1, GLB_words_per_cycle <= 16, leak_pj_per_cycle_of_all <= 1])"};
  for (const char* parameters : families) {
    double least = 0;
    for (const char* goal : {"all", "best"}) {
      const std::string file = folder.write(
          "s.yaml",
          "sweep:\n  machine: parts.yaml\n  workloads: ['gemm:8x8x6']\n  objective: edap\n  strategy: exact\n"
          "  parameters:" +
              std::string(parameters) + "\n");
      const std::string out = " -o " + folder.path("s.db") + " --json " + folder.path("a.json");
      ASSERT_EQ(run_cli("sweep " + file + " -q -t 1 --goal " + goal + out).exit_code, 0) << parameters;
      std::filesystem::remove(folder.path("s.db"));
      const auto answer = nlohmann::json::parse(read_text(folder.path("a.json")));
      const double value = answer["best"][0]["value"];
      if (goal == std::string("all")) {
        least = value;
        EXPECT_GE(answer["counts"]["done"], 12) << parameters;
      } else {
        EXPECT_EQ(answer["certificate"]["status"], "optimal");
        EXPECT_NEAR(value / least, 1, 1e-9) << parameters;
      }
    }
  }
}

// Mappings keep to limits; where none does the point says so.
TEST(CliSweepGoals, SaysWhatLimitsLeave) {
  const TempFolder folder;
  const std::string json = folder.path("a.json");
  const CliResult run = run_cli("sweep " + small_sweep(folder, "  objective: energy\n  limits: {delay: 1e-12}\n") +
                                " -o " + folder.path("a.db") + " --json " + json);
  EXPECT_EQ(run.exit_code, 1);
  const auto answer = nlohmann::json::parse(read_text(json));
  EXPECT_EQ(answer["counts"]["done"], 0);
  EXPECT_THAT(run.out, HasSubstr("outside the limits"));
}

}  // namespace
}  // namespace heliolite::cli_sweep_goals_test
