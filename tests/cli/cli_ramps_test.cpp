// Machines that count ramps (`latency: ramps`) from the command line: what they add is shown, `map` and `eval` agree,
// and what does not know them refuses by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_ramps_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class CliRamps : public ::testing::Test {
 protected:
  CliRamps()
      : machine_(folder_.write("ramps.yaml",
                               "architecture:\n  name: chain\n  latency: ramps\n  levels:\n"
                               "  - {name: DRAM, dram: true, energy: 100, bandwidth: {shared: 2}}\n"
                               "  - {name: Buf, entries: 96, energy: 6, bandwidth: {shared: 16}, fanout: 4}\n"
                               "  - {name: Regs, entries: 12, energy: 1}\n  compute: {energy: 1}\n")) {}

  json answer(const std::string& arguments) {
    const std::string path = folder_.path("answer" + std::to_string(++answers_) + ".json");
    const CliResult run = run_cli(arguments + " --json " + path);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(read_text(path));
  }

  TempFolder folder_;
  std::string machine_;
  int answers_ = 0;
};

TEST_F(CliRamps, ExplainShowsThem) {
  const std::string mapping = folder_.write(
      "m.yaml",
      "mapping:\n- {level: DRAM, temporal: [M: 2, N: 2]}\n- {level: Buf, temporal: [K: 8], spatial: {x: [N: 4]}}\n"
      "- {level: Regs, temporal: [M: 4]}\n");
  const std::string asked = " -a " + machine_ + " -w gemm:8x8x8 -m " + mapping;
  const CliResult run = run_cli("explain" + asked);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Ramps: 33 cycles until the first tiles are in, 9 until the last outputs are out"));
  const json steady = answer("explain -a eyeriss -w gemm:8x8x8 -m " +
                             folder_.write("e.yaml", "mapping:\n- {level: DRAM, temporal: [M: 8, N: 8, K: 8]}\n"));
  EXPECT_TRUE(steady["breakdown"]["ramps"].is_null());
  const json ramps = answer("explain" + asked);
  EXPECT_EQ(ramps["cycles"], 170);
  EXPECT_EQ(ramps["breakdown"]["ramps"], (json{{"fill_cycles", 33}, {"drain_cycles", 9}}));
}

TEST_F(CliRamps, MapProvesAndEvalAgrees) {
  for (const std::string objective : {"delay", "edp"}) {
    const json map = answer("map -a " + machine_ + " -w gemm:8x8x8 --objective " + objective);
    const json& layer = map["layers"][0];
    EXPECT_EQ(layer["status"], "optimal") << objective;
    EXPECT_THAT(map["notes"].dump(), HasSubstr("the rules push-in, any-dominance, candidate-ends are off"));
    const std::string best = folder_.write("best-" + objective + ".json", map.dump());
    const json eval = answer("eval -a " + machine_ + " -w gemm:8x8x8 -m " + best);
    EXPECT_EQ(eval["cycles"], layer["cycles"]);
    EXPECT_GT(eval["breakdown"]["ramps"]["fill_cycles"], 0);
  }
}

// Machines that differ in memories are not searched together, but one by one.
TEST_F(CliRamps, SweepsMapEachMachine) {
  const std::string sweep = folder_.write(
      "sweep.yaml", "sweep:\n  name: s\n  machine: " + machine_ +
                        "\n  workloads: gemm:8x8x8\n  strategy: sunstone\n  goal: best\n  objective: delay\n"
                        "  parameters:\n    buf: {set: Buf.entries, values: [96, 192]}\n"
                        "    latency: {set: latency, values: [steady, ramps]}\n");
  const CliResult run = run_cli("sweep " + sweep + " -o " + folder_.path("s.db"));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("steady"));
}

TEST_F(CliRamps, WhatDoesNotCountThemSaysSo) {
  const std::string question = " -a " + machine_ + " -w gemm:8x8x8";
  const CliResult uneven = run_cli("map --tiles uneven" + question);
  EXPECT_NE(uneven.exit_code, 0);
  EXPECT_THAT(uneven.err, HasSubstr("latency: ramps"));
  const CliResult fused = run_cli("map --fuse -a " + machine_ + " -w conv_pair");
  EXPECT_NE(fused.exit_code, 0);
  EXPECT_THAT(fused.err, HasSubstr("counts ramps"));
  const CliResult proof = run_cli("map --proof " + folder_.path("p.proof") + question);
  EXPECT_THAT(proof.out + proof.err, HasSubstr("latency: ramps"));
  const CliResult timeloop = run_cli("convert " + machine_ + " gemm:8x8x8 -o " + folder_.path("timeloop"));
  EXPECT_EQ(timeloop.exit_code, 0) << timeloop.err;
  EXPECT_THAT(timeloop.err, HasSubstr("latency = ramps"));
}

}  // namespace
}  // namespace heliolite::cli_ramps_test
