// heliolite show: the lists, what a name stands for, the numbers of a machine, its picture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"
#include "tests/support/svg_check.h"

namespace heliolite::cli_show_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

json answer(const std::string& arguments) {
  const CliResult result = run_cli("show " + arguments + " --json -");
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  return json::parse(result.out, nullptr, false);
}

std::string complaint(const std::string& arguments) {
  const CliResult result = run_cli("show " + arguments);
  EXPECT_EQ(result.exit_code, 2) << arguments << "\n" << result.out;
  return result.err;
}

// The number of this level and key.
json number(const json& shown, const std::string& of, const std::string& key) {
  for (const json& n : shown["numbers"])
    if (n["of"] == (of.empty() ? json() : json(of)) && n["key"] == key) return n;
  ADD_FAILURE() << of << "." << key;
  return {};
}

TEST(CliShow, ListsThePresets) {
  const json lists = answer("");
  const auto named = [](const json& list, const std::string& name) {
    for (const json& entry : list)
      if (entry["name"] == name) return entry;
    return json();
  };
  const json eyeriss = named(lists["machines"], "eyeriss");
  EXPECT_EQ(eyeriss["levels"], 5);
  EXPECT_EQ(eyeriss["units"], 168);
  EXPECT_EQ(eyeriss["words_on_chip"], 108 * 1024 / 2 + 168 * (12 + 192 + 16));
  EXPECT_TRUE(eyeriss["area_um2"].is_null());
  const json resnet = named(lists["workloads"], "resnet18");
  EXPECT_EQ(resnet["layers"], 12);
  EXPECT_EQ(resnet["runs"], 21);
  EXPECT_EQ(resnet["macs"], 1'814'073'344);
  EXPECT_THAT(run_cli("show").out, AllOf(ContainsRegex("eyeriss +5 +168 +92,256"), HasSubstr("bert_base_block")));
}

TEST(CliShow, PrintsThePresetsFileAsAStart) {
  const TempFolder folder;
  const std::string mine = folder.write("mine.yaml", run_cli("show simba").out);
  EXPECT_EQ(answer("-a " + mine)["machine"]["hash"], answer("simba")["machine"]["hash"]);
  EXPECT_THAT(run_cli("show resnet18 --yaml").out, HasSubstr("name: resnet18"));
  EXPECT_THAT(complaint(mine + " --yaml"), HasSubstr("is of presets"));
}

TEST(CliShow, SaysWhereNumbersComeFrom) {
  const json table = answer("eyeriss_45nm");
  EXPECT_EQ(number(table, "DRAM", "energy.read")["value"], 512);
  EXPECT_EQ(number(table, "DRAM", "energy.read")["from"], "tables, LPDDR4");
  EXPECT_EQ(number(table, "GLB", "area_um2")["from"], "tables, 45 nm");
  EXPECT_EQ(number(table, "GLB", "bandwidth.read")["value"], 16);
  EXPECT_TRUE(number(table, "GLB", "bandwidth.shared")["value"].is_null());
  EXPECT_EQ(number(table, "GLB", "word_bits")["from"], "the machine's");
  const json pat = answer("eyeriss");
  EXPECT_EQ(number(pat, "GLB", "energy.read")["from"], "pat, Timeloop's table");
  EXPECT_EQ(number(pat, "GLB", "area_um2")["from"], "not stated");
  EXPECT_TRUE(number(pat, "", "cycle_ns")["value"].is_null());
  const CliResult text = run_cli("show eyeriss_45nm --resolved");
  EXPECT_THAT(text.out, AllOf(ContainsRegex("bandwidth.read +16 words/cycle +32 GB/s +stated"),
                              ContainsRegex("cycle_ns +1 ns +1 GHz +stated"), HasSubstr("area         0.96")));
  EXPECT_THAT(run_cli("show eyeriss --resolved").out, HasSubstr("area         unknown: its energies come without"));
  const TempFolder folder;
  const std::string machine = folder.write("m.yaml",
                                           "architecture:\n  levels:\n  - {name: DRAM, dram: true, energy: 100}\n"
                                           "  - {name: Buf, entries: 64, energy: 2, area_um2: 5}\n"
                                           "  compute: {energy: 1}\n");
  const std::string ert = folder.write("ert.yaml",
                                       "ERT:\n  version: 0.4\n  tables:\n  - name: system.MAC\n    actions:\n"
                                       "    - {name: compute, arguments: {}, energy: 3}\n");
  const json listed = answer("-a " + machine + "," + ert);
  EXPECT_EQ(number(listed, "Buf", "energy.read")["from"], "stated");
  EXPECT_EQ(number(listed, "MAC", "energy")["value"], 1);
  EXPECT_THAT(run_cli("show " + machine).out, HasSubstr("5e-06 mm2 without MAC, whose area is not stated"));
}

TEST(CliShow, ShowsLayersAndEdges) {
  const json block = answer("bert_base_block");
  EXPECT_EQ(block["layers"].size(), 8);
  EXPECT_EQ(block["edges"].size(), 11);
  EXPECT_EQ(block["edges"][6]["through"], "softmax");
  EXPECT_EQ(block["edges"][8]["combine"], "add");
  EXPECT_EQ(block["edges"][9]["from_input"], true);
  const json gemm = answer("gemm:8x4x2");
  EXPECT_EQ(gemm["macs"], 64);
  EXPECT_EQ(gemm["layers"][0]["tensors"]["A"]["words"], 16);
  EXPECT_EQ(gemm["layers"][0]["tensors"]["Z"]["role"], "output");
  EXPECT_THAT(run_cli("show bert_base_block").out, AllOf(HasSubstr("X (input)"), HasSubstr("elementwise")));
  EXPECT_THAT(run_cli("show resnet18").out, HasSubstr("No edges"));
  EXPECT_EQ(block["edges"][3]["ranks"][0]["reader"], json::array({"H", "K"}));
  EXPECT_TRUE(block["edges"][6]["ranks"][1]["whole"]);
  EXPECT_TRUE(block["edges"][6]["not_fused"].is_null());
  const json net = answer("resnet18_unrolled");
  EXPECT_EQ(net["edges"][0]["not_fused"], "through pool");
  EXPECT_EQ(net["edges"][1]["ranks"][2]["window"], 3);
  EXPECT_THAT(run_cli("show bert_base_block").out, AllOf(HasSubstr("M: [H, K], N: M"), HasSubstr("[H, M]: K, N: N")));
  EXPECT_THAT(run_cli("show resnet18_unrolled").out, HasSubstr("not fused: through pool"));
}

TEST(CliShow, TellsNamesApart) {
  EXPECT_THAT(complaint("eyeris"), HasSubstr("neither a machine nor a workload, did you mean 'eyeriss'?"));
  EXPECT_THAT(complaint("resnet"), HasSubstr("did you mean 'resnet18'?"));
  EXPECT_THAT(complaint("qqqqqq"), HasSubstr("`heliolite show` lists the presets"));
  EXPECT_THAT(complaint("no/such.yaml"), HasSubstr("no such file"));
  EXPECT_THAT(complaint("-a eyeriss -w resnet18"), HasSubstr("one machine or one workload"));
  EXPECT_THAT(complaint("resnet18 --svg -"), HasSubstr("--svg: is of machines"));
  EXPECT_THAT(complaint("resnet18 --resolved"), HasSubstr("--resolved: is of machines"));
  EXPECT_THAT(complaint("--svg -"), HasSubstr("needs the name"));
  const TempFolder folder;
  folder.write("eyeriss", "einsum: \"o[i] += a[i]; i=4\"\n");
  folder.write("net.yaml", "layers:\n- {name: fc, fc: {c: 4, k: 2}}\n");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path(""));
  EXPECT_THAT(complaint("eyeriss"), HasSubstr("is a machine and a workload; say which: -a eyeriss or -w eyeriss"));
  EXPECT_THAT(run_cli("show -a eyeriss").out, HasSubstr("name: eyeriss"));
  EXPECT_THAT(run_cli("show net.yaml").out, HasSubstr("net: 1 layer, 8 MACs"));
  std::filesystem::current_path(before);
}

TEST(CliShow, DrawsMachines) {
  for (const std::string machine : {"eyeriss", "simba", "tpu_v4i", "edge_split", "gpu_sm", "snowcat"}) {
    const std::string svg = run_cli("show " + machine + " --svg -").out;
    EXPECT_THAT(svg, AllOf(StartsWith("<svg"), HasSubstr(">" + machine + "<"))) << machine;
    EXPECT_EQ(not_well_formed(svg), "") << machine;
    EXPECT_THAT(misplaced_texts(svg), IsEmpty()) << machine;
  }
  EXPECT_THAT(run_cli("show tpu_v4i --svg -").out,
              AllOf(HasSubstr("fan-out 128 x 128 = 16,384"), HasSubstr("32 x 32 are drawn"), HasSubstr("holds nothing"),
                    HasSubstr("both 614")));
  const TempFolder folder;
  const std::string odd = folder.write(
      "m.yaml", "architecture:\n  name: 'a<b & \"c\"'\n  energy: pat\n  levels:\n  - {name: 'D<&>', dram: true}\n");
  EXPECT_EQ(not_well_formed(run_cli("show " + odd + " --svg -").out), "");
}

}  // namespace
}  // namespace heliolite::cli_show_test
