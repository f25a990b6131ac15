// How the commands read the files of Timeloop's users: --sparse, --define, --rename, --link-transfers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "tests/support/cli_runner.h"
#include "tests/support/onnx_models.h"

namespace heliolite::cli_reading_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The JSON answer of a command that must succeed.
json answer(const std::string& arguments) {
  const CliResult result = run_cli(arguments + " --json -");
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  return json::parse(result.out, nullptr, false);
}

// Files as Timeloop's users have them: templates, variables beside them, sparse ones, other names of dimensions.
TEST(CliReading, ReadsTimeloopsInputs) {
  const std::string data = HELIOLITE_TEST_DATA "/data/templates/";
  const std::string machine = " -a " + data + "top.yaml.jinja2";
  const json layer = answer("map" + machine + " --define design=wide -w " + data + "layers/small.yaml," + data +
                            "variables.yaml --factors perfect");
  EXPECT_EQ(layer["layers"][0]["dimensions"]["C"], 4);
  ASSERT_EQ(layer["notes"].size(), 4U);
  EXPECT_THAT(layer["notes"][0].get<std::string>(), HasSubstr("are from Timeloop's built-in table"));
  EXPECT_THAT(layer["notes"][1].get<std::string>(), HasSubstr("Hpad = 1: words of the padding"));
  const std::string sparse = " -a " + data + "sparse_machine.yaml -w " + data + "sparse_problem.yaml";
  const CliResult refused = run_cli("map" + sparse);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("with --sparse ignore it is read as a dense one"));
  const CliResult dense = run_cli("map" + sparse + " --sparse ignore");
  EXPECT_EQ(dense.exit_code, 0) << dense.err;
  EXPECT_THAT(dense.err, AllOf(HasSubstr("taken out: metadata_datawidth"), HasSubstr("taken out: densities")));
}

// Timeloop's utilization: map obeys, eval says what does not, layers that cannot are named and the others are mapped.
TEST(CliReading, LeastUtilization) {
  const TempFolder folder;
  const auto machine = [&](const std::string& name, const std::string& constraints) {
    return folder.write(
        name,
        "architecture:\n  version: 0.3\n  subtree:\n  - name: chip\n    local:\n"
        "    - {name: DRAM, class: DRAM, attributes: {width: 64, block-size: 8, word-bits: 8}}\n"
        "    - {name: Glob, class: SRAM, attributes: {depth: 4096, width: 64, block-size: 8, word-bits: 8}}\n"
        "    subtree:\n    - name: PE[0..15]\n      local:\n"
        "      - {name: Rf, class: regfile, attributes: {depth: 64, width: 8, word-bits: 8, meshX: 4}}\n"
        "      - {name: Mult, class: intmac, attributes: {datawidth: 8, meshX: 4}}\n" +
            constraints);
  };
  const std::string any = machine("any.yaml", "");
  const std::string most =
      machine("most.yaml", "architecture_constraints: {targets: [{target: Rf, type: parallelism, min: 0.9}]}\n");
  const auto units = [](const json& mapped) {
    u64 product = 1;
    for (const json& level : mapped["layers"][0]["mapping"])
      if (level.contains("spatial"))
        for (const auto& [axis, loops] : level["spatial"].items())
          for (const json& loop : loops)
            for (const auto& [dimension, factor] : loop.items()) product *= factor.get<u64>();
    return product;
  };
  const json free = answer("map -a " + any + " -w gemm:64x64x64 --objective energy"),
             all = answer("map -a " + most + " -w gemm:64x64x64 --objective energy");
  EXPECT_EQ(all["layers"][0]["status"], "optimal");
  EXPECT_EQ(units(all), 16U);
  EXPECT_GE(all["layers"][0]["energy_pj"], free["layers"][0]["energy_pj"]);
  const std::string one = folder.write("one.yaml", "mapping: [{level: DRAM, temporal: [M: 64, N: 64, K: 64]}]\n");
  const CliResult priced = run_cli("eval -a " + most + " -w gemm:64x64x64 -m " + one);
  EXPECT_EQ(priced.exit_code, 0);
  EXPECT_THAT(priced.err, HasSubstr("outside the machine's mapspace: min_parallelism: 1 units used, at least 15 of 16 "
                                    "compute units must be used"));
  const auto count = [&](const std::string& file) {
    return answer("space -a " + file + " -w gemm:8x8x8")["by_part"]["tilings"].get<u64>();
  };
  EXPECT_LT(count(most), count(any));
  // tiny has work for 2 units, whatever its factors; of the sizes of odd 2 alone has a divisor that fits.
  const std::string network =
      folder.write("n.yaml",
                   "name: n\nlayers:\n- {name: tiny, gemm: 2x1x1}\n- {name: odd, gemm: 17x19x2}\n- {name: fc, gemm: "
                   "16x16x16}\n");
  const CliResult both = run_cli("map -a " + most + " -w " + network);
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_THAT(both.err, AllOf(HasSubstr("tiny can use 2 at most: ask for less"),
                              HasSubstr("factors that divide the sizes of odd make 2 at most; others may make more")));
  EXPECT_THAT(both.out, AllOf(HasSubstr("fc"), HasSubstr("optimal")));
  EXPECT_EQ(run_cli("map -a " + most + " -w gemm:2x1x1 --free").exit_code, 0);
  // There and back.
  const CliResult written = run_cli("convert " + most + " --to heliolite -o " + folder.path("ours"));
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_THAT(read_text(folder.path("ours/machine.yaml")), HasSubstr("min_parallelism: 0.9"));
}

TEST(CliReading, RenamesDimensions) {
  const TempFolder folder;
  folder.write("m.yaml",
               "architecture:\n  name: m\n  energy: pat\n  word_bits: 16\n  levels:\n  - {name: DRAM, dram: true}\n"
               "  - {name: Buf, entries: 4096, constraints: {temporal: {factors: [M=2]}}}\n  compute: {name: MAC}\n");
  const std::string machine = "map -a " + folder.path("m.yaml");
  const json fitted = answer(machine + " -w conv:p=4,c=4,k=4,r=3");
  EXPECT_EQ(fitted["layers"][0]["dimensions"]["M"], 4);
  EXPECT_THAT(fitted["notes"][0].get<std::string>(), HasSubstr("--rename K=M"));
  const json said = answer(machine + " -w \"o[i,j] += a[i,k]*b[k,j]; i=4,j=4,k=4\" --rename i=M,k=C");
  EXPECT_EQ(said["layers"][0]["dimensions"]["C"], 4);
  const CliResult wrong = run_cli(machine + " -w conv:p=4,c=4,k=4,r=3 --rename X=M");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("has no dimension 'X'"));
  const CliResult lost = run_cli(machine + " -w \"o[i,j] += a[i,k]*b[k,j]; i=4,j=4,k=4\"");
  EXPECT_THAT(lost.err, HasSubstr("if they are the same things under other names: --rename OLD=M, OLD one of i, j"));
}

// A machine whose constraints were written for one convolution, and layers of other shapes.
constexpr const char* kConvMachine = R"(architecture:
  version: 0.3
  subtree:
  - name: chip
    local:
    - {name: DRAM, class: DRAM, attributes: {width: 64, block-size: 8, word-bits: 8}}
    - {name: Glob, class: SRAM, attributes: {depth: 4096, width: 64, block-size: 8, word-bits: 8}}
    subtree:
    - name: PE[0..15]
      local:
      - {name: Rf, class: regfile, attributes: {depth: 64, width: 8, block-size: 1, word-bits: 8, meshX: 4}}
      - {name: Mult, class: intmac, attributes: {datawidth: 8, meshX: 4}}
architecture_constraints:
  targets:
)";

TEST(CliReading, FactorsAboveALayersSizesAreCutDown) {
  const TempFolder folder;
  const auto machine = [&](const std::string& file, const std::string& factors) {
    return " -a " + folder.write(file, kConvMachine + ("  - {target: Glob, type: spatial, factors: " + factors +
                                                       ", permutation: CK}\n"));
  };
  const std::string above = machine("above.yaml", "C=4"), cut = machine("cut.yaml", "C=3");
  const std::string rgb = " -w conv:c=3,k=16,p=8,r=3";
  for (const std::string mode : {"", " --factors any --budget 1"}) {
    const json a = answer("map" + above + rgb + mode + " --strategy sunstone -t 1"),
               b = answer("map" + cut + rgb + mode + " --strategy sunstone -t 1");
    EXPECT_EQ(a["layers"][0]["energy_pj"], b["layers"][0]["energy_pj"]) << mode;
    EXPECT_EQ(a["layers"][0]["cycles"], b["layers"][0]["cycles"]) << mode;
    ASSERT_EQ(a["notes"].size(), b["notes"].size() + 1) << mode;
    EXPECT_THAT(a["notes"].back().get<std::string>(),
                HasSubstr("C = 4 to 3 (level 'Glob', spatial constraint) in conv"));
  }
  for (const std::string command : {"space", "map --free"})
    EXPECT_EQ(run_cli(command + above + rgb + " -q").exit_code, 0) << command;
  const json lifted = answer("map --free" + above + rgb);
  for (const json& note : lifted["notes"]) EXPECT_EQ(note.get<std::string>().find("C = 4"), std::string::npos);
}

TEST(CliReading, ProductsBesideConvolutions) {
  const TempFolder folder;
  const std::string machine =
      " -a " +
      folder.write("m.yaml", kConvMachine + std::string("  - {target: Glob, type: spatial, factors: [N=1, R=1, "
                                                        "S=1, P=1, Q=1], permutation: [C, K], split: 1}\n"
                                                        "  - {target: Rf, type: bypass, keep: [Weights], "
                                                        "bypass: [Inputs, Outputs]}\n"
                                                        "  - {target: Rf, type: temporal, factors: [R=1, "
                                                        "S=1]}\n"));
  const std::string conv = "- {name: conv, conv: {c: 16, k: 16, p: 4, r: 3}}\n";
  const std::string net = folder.write("net.yaml", "layers:\n" + conv + "- {name: head, gemm: 32x1x16}\n");
  const std::string same = folder.write("same.yaml", "layers:\n" + conv + "- {name: head, fc: {c: 16, k: 32}}\n");
  const json a = answer("map" + machine + " -w " + net), b = answer("map" + machine + " -w " + same);
  for (const char* key : {"energy_pj", "cycles", "status"}) EXPECT_EQ(a["layers"][1][key], b["layers"][1][key]) << key;
  EXPECT_EQ(a["layers"][1]["cycles"], 32);
  std::string notes;
  for (const json& note : a["notes"]) notes += note.get<std::string>() + "\n";
  EXPECT_THAT(notes, AllOf(HasSubstr("K is M, C is K in head"), HasSubstr("P, Q, R and S in head")));
  // The end of an ONNX model.
  using namespace onnx_models;  // NOLINT(google-build-using-namespace)
  Model cnn = onnx_models::conv({"1", "16", "6", "6"}, {16, 16, 3, 3});
  cnn.constants.push_back(weights("w2", {32, 16}));
  cnn.nodes.push_back(node("GlobalAveragePool", {"y"}, {"pooled"}, {}, "pool"));
  cnn.nodes.push_back(node("Flatten", {"pooled"}, {"flat"}, {}, "flatten"));
  cnn.nodes.push_back(node("Gemm", {"flat", "w2"}, {"z"}, {{"transB", 1}}, "head"));
  const json model = answer("map" + machine + " -w " + folder.write("cnn.onnx", cnn.bytes()));
  ASSERT_EQ(model["layers"].size(), 2U);
  EXPECT_EQ(model["layers"][1]["energy_pj"], b["layers"][1]["energy_pj"]);
  // K alone means what it means to the layers beside, in every command.
  const std::string only_k =
      " -a " +
      folder.write("k.yaml", kConvMachine + std::string("  - {target: Glob, type: spatial, factors: [K=4]}\n"));
  const json k = answer("map" + only_k + " -w " + net + " --strategy sunstone"),
             fc = answer("map" + only_k + " -w " + same + " --strategy sunstone");
  EXPECT_EQ(k["layers"][1]["energy_pj"], fc["layers"][1]["energy_pj"]);
  folder.write("bench.yaml", "bench: {machines: [k.yaml], workloads: [net.yaml], strategies: [sunstone]}\n");
  EXPECT_THAT(run_cli("bench --check " + folder.path("bench.yaml")).err, HasSubstr("M is K and K is C"));
  const CliResult alone = run_cli("map" + only_k + " -w gemm:32x1x16 --strategy sunstone");
  EXPECT_THAT(alone.err, HasSubstr("taken to mean the dimension that is called K in gemm"));
}

// Every command that takes a machine or a workload reads it with the same options.
TEST(CliReading, AllReadersKnowHowToRead) {
  const std::string data = HELIOLITE_TEST_DATA "/data/templates/";
  const std::string problem = data + "sparse_problem.yaml", machine = data + "sparse_machine.yaml";
  const TempFolder folder;
  const auto path = [&](const std::string& file) { return fs::absolute(file).string(); };
  folder.write("sweep.yaml", "sweep: {machine: eyeriss, workloads: [" + path(problem) +
                                 "], objective: edp, strategy: sunstone, "
                                 "parameters: {glb: {set: GLB.entries, values: [65536]}}}\n");
  folder.write("bench.yaml", "bench: {machines: [" + path(machine) + "], workloads: [" + path(problem) +
                                 "], objective: edp, strategies: [sunstone]}\n");
  const std::vector<std::string> commands{
      "orders -w " + problem,
      "space -a " + machine + " -w " + problem,
      "bound --kind hbl -w " + problem,
      "bound --regions -w " + problem,
      "bound --kind orojenesis -w " + problem,
      "simulate --cache 64 -w " + problem,
      "emit --tiling none -w " + problem,
      "show -w " + problem,
      "show --resolved -a " + machine,
      "convert " + problem + " -o " + folder.path("out"),
      "diff " + problem + " " + problem,
      "check " + problem,
      "sweep --check " + folder.path("sweep.yaml"),
      "bench --check " + folder.path("bench.yaml"),
  };
  for (const std::string& command : commands) {
    const CliResult refused = run_cli(command);
    EXPECT_NE(refused.exit_code, 0) << command;
    EXPECT_THAT(refused.out + refused.err, HasSubstr("with --sparse ignore it is read")) << command;
    const CliResult dense = run_cli(command + " --sparse ignore");
    EXPECT_EQ(dense.exit_code, 0) << command << dense.err;
  }
  // So with link transfers.
  for (const std::string& command : commands) {
    const CliResult wrong = run_cli(command + " --sparse ignore --link-transfers perhaps");
    EXPECT_EQ(wrong.exit_code, 2) << command;
    EXPECT_THAT(wrong.err, HasSubstr("--link-transfers: perhaps not in {on,off}")) << command;
  }
  const CliResult renamed = run_cli("orders --sparse ignore --rename M=Rows -w " + problem);
  EXPECT_THAT(renamed.out, HasSubstr("Rows")) << renamed.err;
  const CliResult twice = run_cli("show --rename M=A,M=B -w " + problem);
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--rename: 'M=B' must be OLD=NEW"));
}

TEST(CliReading, LinkTransfersOverruleTheMachine) {
  const TempFolder folder;
  for (const std::string word : {"on", "off"})
    folder.write(word + ".yaml",
                 "architecture:\n  name: m\n  energy: pat\n  word_bits: 16\n  link_transfers: " + word +
                     "\n  levels:\n  - {name: DRAM, dram: true}\n  - {name: Buf, entries: 4096, fanout: 4x1}\n"
                     "  - {name: Reg, entries: 8}\n  compute: {name: MAC}\n");
  const std::string on = folder.path("on.yaml"), off = folder.path("off.yaml");
  EXPECT_EQ(run_cli("diff " + on + " " + off).exit_code, 1);
  for (const std::string word : {"on", "off"})
    EXPECT_EQ(run_cli("diff " + on + " " + off + " --link-transfers " + word).exit_code, 0) << word;
  const std::string layer = " -w conv:p=4,r=3,c=2,k=2 --factors perfect";
  EXPECT_TRUE(answer("map -a " + on + layer + " --link-transfers off")["layers"][0]["without_links"].is_null());
  EXPECT_FALSE(answer("map -a " + off + layer + " --link-transfers on")["layers"][0]["without_links"].is_null());
}

}  // namespace
}  // namespace heliolite::cli_reading_test
