// Machines of several compute units and operators as layers, from the command line: what `map` writes other commands
// read, and what they do not know is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"
#include "tests/support/two_units.h"

namespace heliolite::cli_operators_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kQuestion = "-a tpu_v4i_vpu -w bert_base_block@operators=unit";

// What two runs agree in.
json without_times(json value) {
  if (value.is_object()) {
    for (const char* key : {"seconds", "threads"}) value.erase(key);
    for (auto& [key, inner] : value.items()) inner = without_times(inner);
  } else if (value.is_array()) {
    for (json& inner : value) inner = without_times(inner);
  }
  return value;
}

class CliOperators : public ::testing::Test {
 protected:
  json answer(const std::string& arguments) {
    const std::string path = folder_.path("answer" + std::to_string(++answers_) + ".json");
    const CliResult run = run_cli(arguments + " --json " + path);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(read_text(path));
  }

  TempFolder folder_;
  int answers_ = 0;
};

TEST_F(CliOperators, EvalReadsWhatMapWrote) {
  const json map = answer(std::string("map --no-look ") + kQuestion);
  const std::string best = folder_.path("answer1.json");
  int on_vector = 0;
  for (const json& layer : map["layers"]) {
    const std::string name = layer["name"];
    SCOPED_TRACE(name);
    EXPECT_EQ(layer["status"], "optimal");
    on_vector += layer["unit"] == "VPU";
    const json eval = answer(std::string("eval ") + kQuestion + " -l " + name + " -m " + best);
    EXPECT_EQ(eval["unit"], layer["unit"]);
    EXPECT_EQ(eval["energy_pj"], layer["energy_pj"]);
    EXPECT_EQ(eval["cycles"], layer["cycles"]);
    EXPECT_TRUE(eval["outside_mapspace"].empty());
  }
  EXPECT_EQ(on_vector, 6);
  EXPECT_EQ(map["total"]["units"].size(), 2u);
  double units = 0;
  for (const json& unit : map["total"]["units"]) units += unit["energy_pj"].get<double>();
  EXPECT_NEAR(units, map["total"]["compute_pj"], 1e-6 * units);
}

TEST_F(CliOperators, ThreadsChangeNoAnswer) {
  const json one = without_times(answer(std::string("map --no-look --threads 1 ") + kQuestion));
  for (const char* threads : {"2", "8"})
    EXPECT_EQ(without_times(answer(std::string("map --no-look --threads ") + threads + " " + kQuestion)), one);
}

TEST_F(CliOperators, AMappingFileNamesItsUnit) {
  const std::string mapping =
      folder_.write("m.yaml", "unit: VPU\nmapping:\n- {level: HBM, temporal: [M: 64, N: 64]}\n");
  const std::string layer = " -w \"Z[M,N] = A[M,N]; M=64,N=64\" -m " + mapping;
  const CliResult product = run_cli("eval -a tpu_v4i_vpu" + layer);
  EXPECT_NE(product.exit_code, 0);
  EXPECT_THAT(product.err, HasSubstr("VPU does not run operation product"));
  const std::string file = folder_.write(
      "w.yaml", "dimensions: {M: 64, N: 64}\ntensors: {A: [M, N], Z: [M, N]}\noutput: Z\noperation: norm\n");
  const CliResult norm = run_cli("explain -a tpu_v4i_vpu -w " + file + " -m " + mapping);
  EXPECT_EQ(norm.exit_code, 0) << norm.err;
  EXPECT_THAT(norm.out, HasSubstr("VPU units in use"));
  EXPECT_THAT(norm.out, HasSubstr("of 1 operation (norm)"));
  // Of the only unit that can.
  folder_.write("m.yaml", "mapping:\n- {level: HBM, temporal: [M: 64, N: 64]}\n");
  EXPECT_THAT(run_cli("explain -a tpu_v4i_vpu -w " + file + " -m " + mapping).out, HasSubstr("VPU units in use"));
}

TEST_F(CliOperators, RefusesByName) {
  const std::string machine = folder_.write("machine.yaml",
                                            "architecture:\n  levels:\n  - {name: DRAM, dram: true, energy: 9}\n"
                                            "  - {name: Regs, entries: 8, energy: 1}\n  compute: {energy: 1}\n"
                                            "  units: [{name: VPU, below: DRAM, energy: 1}]\n");
  const CliResult timeloop = run_cli("convert " + machine + " -o " + folder_.path("tl") + " --to timeloop");
  EXPECT_NE(timeloop.exit_code, 0);
  EXPECT_THAT(timeloop.err, HasSubstr("VPU beside MAC: Timeloop has one kind of compute units"));
  // What is asked of one chain of levels needs a layer of one.
  const std::string two = folder_.write("two.yaml",
                                        "architecture:\n  levels:\n  - {name: DRAM, dram: true, energy: 9}\n"
                                        "  - {name: Regs, entries: 8, energy: 1}\n  compute: {energy: 1}\n"
                                        "  units: [{name: VPU, below: DRAM, energy: 1, runs: all}]\n");
  for (const char* command : {"space", "bound", "bound --kind orojenesis --map"}) {
    const CliResult any = run_cli(std::string(command) + " -a " + two + " -w gemm:4x4x4");
    EXPECT_NE(any.exit_code, 0) << command;
    EXPECT_THAT(any.err, HasSubstr("MAC and VPU of two can run it, name one in the layer: unit: MAC")) << command;
  }
  // Seven operations of one cycle are several cycles.
  const CliResult proof =
      run_cli(std::string("map --no-look -l scores_softmax --proof ") + folder_.path("p.gz ") + kQuestion);
  EXPECT_THAT(proof.out, HasSubstr("scores_softmax: proof in "));
}

// A product and a softmax of it on units beside each other, fused in the buffer that feeds both.
TEST_F(CliOperators, FusesLayersOfDifferentUnits) {
  const std::string machine = write_two_units(folder_);
  const std::string network = folder_.write("w.yaml",
                                            "layers:\n- {name: a, gemm: 8x8x8}\n- {name: b, gemm: 8x8x8}\n"
                                            "edges:\n- {from: a, to: b, tensor: B, through: softmax, "
                                            "ranks: {M: K, N: N}}\n");
  const std::string question = "-a " + machine + " -w " + network + "@operators=unit ";
  const std::string schedule = folder_.path("s.yaml");
  const json found = answer("map --fuse " + question + "--schedule " + schedule);
  EXPECT_EQ(found["network"]["status"], "optimal");
  EXPECT_LT(found["network"]["value"], found["network"]["unfused"]["value"]);
  EXPECT_EQ(found["links"][0]["unit"], "MXU");
  EXPECT_EQ(found["links"][1]["unit"], "VPU");
  EXPECT_EQ(found["links"][1]["breakdown"]["levels"].back()["level"], "VRegs");
  const json again = answer("eval " + question + "-m " + schedule);
  for (const char* key : {"energy_pj", "cycles", "utilization", "schedule", "mappings"})
    EXPECT_EQ(again[key], found[key]);
  const CliResult explained = run_cli("explain " + question + "-m " + schedule + " --svg " + folder_.path("s.svg"));
  EXPECT_THAT(explained.out, HasSubstr(", on VPU"));
  EXPECT_EQ(run_cli("diff " + schedule + " " + schedule + " " + question).exit_code, 0);
  std::string wrong = read_text(schedule);
  wrong.replace(wrong.find("a: MXU"), 6, "a: VPU");
  const CliResult refused = run_cli("eval " + question + "-m " + folder_.write("wrong.yaml", wrong));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("a runs on MXU of two: must be that, or left out"));
}

TEST_F(CliOperators, BenchAndSweepsKnowAllUnits) {
  write_two_units(folder_);
  const std::string layers = write_product_and_gate(folder_);
  const json map = answer("map --no-look -a " + folder_.path("two.yaml") + " -w " + layers);
  const json bench = answer("bench " + folder_.write("b.yaml",
                                                     "bench: {strategies: [exact], machines: [two.yaml], "
                                                     "workloads: [w.yaml]}\n"));
  ASSERT_EQ(bench["rows"].size(), 2u);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(bench["rows"][i]["value"], map["layers"][i]["value"]);
  // The larger registers and the cheaper unit are best; points are named by what their unit is.
  const std::string sweep = folder_.write(
      "s.yaml",
      "sweep:\n  machine: two.yaml\n  workloads: [w.yaml]\n  strategy: exact\n  goal: best\n  parameters:\n"
      "    regs: {set: VRegs.entries, values: [4, 64]}\n    vpu: {set: VPU.energy, values: [2, 1]}\n"
      "    lanes: {set: VPU.fanout.x, values: [2, 4]}\n    held: {set: VRegs.bandwidth.read, values: [4, 8]}\n"
      "  constraints: [\"VRegs_words <= 64\"]\n");
  const json swept = answer("sweep " + sweep + " -o " + folder_.path("s.db"));
  EXPECT_EQ(swept["best"][0]["parameters"]["vpu"], "1");
  EXPECT_EQ(swept["best"][0]["parameters"]["lanes"], "4");
  folder_.write(
      "bad.yaml",
      "sweep:\n  machine: two.yaml\n  workloads: [w.yaml]\n  parameters: {a: {set: VPU.below, values: [1]}}\n");
  EXPECT_THAT(run_cli("sweep " + folder_.path("bad.yaml") + " --check").err, HasSubstr("VPU.below: is no field"));
}

// Where several units can run the layers, the answer and its schedule say which do, and are read so.
TEST_F(CliOperators, FusedLayersRunOnTheUnitsThatTheScheduleNames) {
  const std::string machine = folder_.write(
      "two.yaml",
      "architecture:\n  levels:\n  - {name: DRAM, dram: true, energy: 200, bandwidth: {shared: 8}}\n"
      "  - {name: SRAM, entries: 512, energy: 6, fanout: 4}\n  compute: {name: MXU, energy: 9, runs: all}\n  units:\n"
      "  - {name: VPU, below: SRAM, fanout: 2, energy: 1, runs: all}\n");
  const std::string network = folder_.write("pair.yaml",
                                            "layers:\n- {name: a, gemm: 4x4x4}\n- {name: b, gemm: 4x4x4}\n"
                                            "edges: [{from: a, to: b, tensor: B, ranks: {M: K, N: N}}]\n");
  const std::string question = "-a " + machine + " -w " + network + " ";
  const std::string schedule = folder_.path("s.yaml");
  const json found = answer("map --fuse --objective energy " + question + "--schedule " + schedule);
  EXPECT_EQ(found["network"]["status"], "optimal");
  for (const json& link : found["links"]) EXPECT_EQ(link["unit"], "VPU");
  for (const std::string& file : {schedule, folder_.write("s.json", found.dump())})
    EXPECT_EQ(answer("eval " + question + "-m " + file)["energy_pj"], found["energy_pj"]) << file;
}

// Commands that ask about one chain of levels ask about that of the unit that runs the layer.
TEST_F(CliOperators, AskTheUnitThatRunsALayer) {
  const json space = answer(std::string("space -l scores_softmax ") + kQuestion);
  EXPECT_TRUE(space["by_part"]["orders"].contains("VectorReg"));
  EXPECT_FALSE(space["by_part"]["orders"].contains("WeightReg"));
  const json bound = answer(std::string("bound --kind orojenesis --map -l scores_softmax ") + kQuestion);
  EXPECT_EQ(bound["bounds"][0]["level"], "VectorReg");
  const json front = answer(std::string("map --front energy,delay --no-look -l scores_softmax ") + kQuestion);
  ASSERT_EQ(front["layers"].size(), 1u);
  EXPECT_EQ(front["layers"][0]["points"][0]["unit"], "VPU");
  EXPECT_EQ(front["front"]["status"], "certain");
  const json best = answer(std::string("map --objective energy --no-look -l scores_softmax ") + kQuestion);
  EXPECT_EQ(front["front"]["least_energy_pj"], best["total"]["energy_pj"]);
}

// Products are mapped as on the machine without the unit.
TEST_F(CliOperators, ProductsStayAsTheyAre) {
  const json with = answer("map --no-look -a tpu_v4i_vpu -w bert_base_block");
  const json without = answer("map --no-look -a tpu_v4i -w bert_base_block");
  EXPECT_EQ(with["total"]["energy_pj"], without["total"]["energy_pj"]);
  EXPECT_EQ(with["total"]["cycles"], without["total"]["cycles"]);
}

}  // namespace
}  // namespace heliolite::cli_operators_test
