// The commands end to end: answers agree with each other, JSON stands alone, exit codes say what happened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_commands_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The JSON answer of a command that must succeed; stdout carries nothing else.
json answer(const std::string& arguments) {
  const CliResult result = run_cli(arguments + " --json -");
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  json parsed = json::parse(result.out, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << arguments << "\n" << result.out;
  return parsed;
}

// Every energy of a breakdown together.
double sum_of_parts(const json& breakdown) {
  double sum = breakdown["compute"]["energy_pj"].get<double>();
  for (const json& level : breakdown["levels"]) {
    sum += level["leakage_pj"].get<double>();
    for (const json& tensor : level["tensors"]) {
      sum += tensor["energy_pj"].get<double>() + tensor["address_generation_pj"].get<double>();
    }
    for (const json& network : level["network_below"]) sum += network["energy_pj"].get<double>();
  }
  return sum;
}

constexpr const char* kMachine = R"(architecture:
  name: small
  word_bits: 16
  energy: pat
  levels:
  - {name: DRAM, dram: true}
  - {name: Buf, entries: 4096, fanout: 4x2}
  - {name: Reg, entries: 64}
  compute: {name: MAC}
)";

// `map`, then `eval` of every layer it mapped: same cost, inside the mapspace, parts that add up.
void expect_same_cost(const std::string& map_arguments, const std::string& eval_arguments) {
  const TempFolder folder;
  const std::string file = folder.path("best.json");
  const CliResult mapped = run_cli("map " + map_arguments + " --json " + file);
  ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
  const json best = json::parse(read_text(file));
  double energy = 0, cycles = 0;
  for (const json& layer : best["layers"]) {
    const std::string which = "eval " + eval_arguments + " -m " + file + " --layer " + layer["name"].get<std::string>();
    const json one = answer(which);
    for (const char* key : {"energy_pj", "cycles", "edp_pj_cycles", "utilization", "mapping", "macs"}) {
      EXPECT_EQ(one[key], layer[key]) << key << which;
    }
    EXPECT_EQ(one["question"]["workload"]["hash"], layer["hash"]);
    EXPECT_TRUE(one["outside_mapspace"].empty()) << one["outside_mapspace"];
    EXPECT_NEAR(sum_of_parts(one["breakdown"]) / one["energy_pj"].get<double>(), 1, 1e-9);
    energy += layer["energy_pj"].get<double>() * layer["count"].get<double>();
    cycles += layer["cycles"].get<double>() * layer["count"].get<double>();
    EXPECT_GE(layer["value"].get<double>(), layer["lower_bound"].get<double>());
  }
  EXPECT_NEAR(best["total"]["energy_pj"].get<double>() / energy, 1, 1e-9);
  EXPECT_EQ(best["total"]["cycles"].get<double>(), cycles);
  EXPECT_NEAR(best["total"]["edp_pj_cycles"].get<double>() / (energy * cycles), 1, 1e-9);
}

TEST(CliCommands, WhatMapFindsEvalCostsTheSame) {
  expect_same_cost("-a eyeriss -w resnet18", "-a eyeriss -w resnet18");
  expect_same_cost("-a simba -w vgg16 --layer conv1_1", "-a simba -w vgg16");
  const TempFolder folder;
  const std::string small = "-a " + folder.write("m.yaml", kMachine) + " -w gemm:64x32x128";
  expect_same_cost(small + " --objective energy", small);
}

TEST(CliCommands, EvalReadsItsOwnAnswerAndTimeloopMappings) {
  const TempFolder folder;
  const std::string common = " -a " + folder.write("m.yaml", kMachine) + " -w gemm:8x8x8 -m ";
  const std::string ours = folder.write("ours.yaml",
                                        "mapping:\n"
                                        "  - {level: DRAM, temporal: [K: 8]}\n"
                                        "  - {level: Buf, temporal: [N: 4], spatial: {x: [M: 4], y: [N: 2]}}\n"
                                        "  - {level: Reg, temporal: [M: 2]}\n");
  const std::string theirs =
      folder.write("theirs.yaml",
                   "mapping:\n"
                   "- {target: DRAM, type: temporal, factors: K=8}\n"
                   "- {target: Buf, type: temporal, factors: N=4}\n"
                   "- {target: Buf, type: spatial, factors: M=4 N=2, permutation: MN, split: 1}\n"
                   "- {target: Reg, type: temporal, factors: M=2}\n");
  const json expected = answer("eval" + common + ours);
  EXPECT_EQ(answer("eval" + common + theirs)["breakdown"], expected["breakdown"]);
  const std::string again = folder.write("again.json", expected.dump());
  EXPECT_EQ(answer("eval" + common + again), expected);
  EXPECT_EQ(answer("explain" + common + ours)["breakdown"], expected["breakdown"]);
  EXPECT_EQ(expected["macs"], 512);
}

// Where factors do not divide the answer says how it counts; where they do both ways are the same.
TEST(CliCommands, EvalCountsAsAsked) {
  const TempFolder folder;
  const auto mapping = [&](const char* name, const char* m) {
    return folder.write(name, std::string("mapping:\n"
                                          "  - {level: DRAM, temporal: [M: 2, K: 5]}\n"
                                          "  - {level: Buf, temporal: [M: ") +
                                  m + "], spatial: {x: [N: 2]}}\n  - {level: Reg}\n");
  };
  const std::string machine = " -a " + folder.write("m.yaml", kMachine);
  const std::string uneven = machine + " -w gemm:7x2x5 -m " + mapping("u.yaml", "[4, 3]");
  const json timeloop = answer("eval" + uneven), counted = answer("explain" + uneven + " --counts true");
  EXPECT_EQ(timeloop["counts"], "timeloop");
  EXPECT_EQ(counted["counts"], "true");
  EXPECT_EQ(counted["factors_divide"], false);
  EXPECT_EQ(timeloop["breakdown"]["compute"]["cycles"], 40);  // 4 steps of each of two tiles
  EXPECT_EQ(counted["breakdown"]["compute"]["cycles"], 35);   // 4 and 3
  const json& reg = counted["breakdown"]["levels"][2]["tensors"]["A"];
  EXPECT_EQ(reg["all_instances"]["reads"], 70);
  EXPECT_EQ(reg["reads"], 35);
  EXPECT_THAT(run_cli("explain" + uneven + " --counts true").out,
              AllOf(HasSubstr("counts       true"), HasSubstr("words and energy of all instances")));
  EXPECT_THAT(run_cli("eval" + uneven).out, HasSubstr("Timeloop's averages"));
  const std::string even = machine + " -w gemm:8x2x5 -m " + mapping("e.yaml", "4");
  EXPECT_EQ(answer("eval" + even)["breakdown"], answer("eval" + even + " --counts true")["breakdown"]);
  const CliResult unknown = run_cli("eval" + uneven + " --counts averages");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--counts: unknown name 'averages'; known: timeloop and true"));
}

TEST(CliCommands, TablesShowTheNumbersOfTheJson) {
  const TempFolder folder;
  const std::string common = " -a " + folder.write("m.yaml", kMachine) + " -w gemm:8x8x8 -m " +
                             folder.write("x.yaml", "mapping: [{level: DRAM, temporal: [K: 8, M: 8, N: 8]}]");
  const CliResult table = run_cli("explain" + common);
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_EQ(table.err, "");
  EXPECT_THAT(table.out, AllOf(HasSubstr("gemm on small"), HasSubstr("K 8, M 8, N 8"), HasSubstr("DRAM -> Buf"),
                               HasSubstr("100.0 %"), HasSubstr("1 of 8 MAC units")));
  EXPECT_THAT(table.out, Not(HasSubstr("\x1b")));
}

// The table shows the outermost level, of a single layer all of them; the JSON has all of every layer.
TEST(CliCommands, MapTellsTheDistanceToTheLeastDataMovement) {
  const json network = answer("map -a eyeriss -w alexnet --strategy sunstone");
  for (const json& layer : network["layers"]) {
    ASSERT_EQ(layer["bounds"].size(), 4u) << layer["bounds"];
    for (const json& bound : layer["bounds"]) {
      const json& mapping = bound["mapping"];
      EXPECT_GE(mapping["words"], mapping["least_for_words_held"]);
      EXPECT_GE(mapping["least_for_words_held"], bound["words"]);
      EXPECT_DOUBLE_EQ(mapping["distance"].get<double>(),
                       mapping["words"].get<double>() / bound["words"].get<double>());
    }
  }
  const CliResult table = run_cli("map -a eyeriss -w alexnet --strategy sunstone --wide");
  EXPECT_THAT(table.out, AllOf(HasSubstr("x least DRAM"), Not(HasSubstr("outside level"))));
  const CliResult single = run_cli("map -a eyeriss -w alexnet --layer conv1 --strategy sunstone --wide");
  EXPECT_THAT(single.out, AllOf(HasSubstr("x least DRAM"), HasSubstr("outside level")));

  const TempFolder folder;
  const std::string tight = folder.write("tight.yaml", kMachine);
  const json odd = answer("map -a " + tight + " -w tcl:48x48x48x48x48x48 --strategy sunstone")["layers"][0];
  EXPECT_TRUE(odd["bounds"].is_null());
  EXPECT_THAT(odd["why_no_bounds"].get<std::string>(), HasSubstr("too many nested tiles"));
}

TEST(CliCommands, MapWithEveryOption) {
  const json delay = answer("map -a eyeriss -w gemm:64x64x64 --objective delay --threads 1 --without beam -q");
  EXPECT_EQ(delay["layers"][0]["objective"], "delay");
  EXPECT_EQ(delay["layers"][0]["value"], delay["layers"][0]["cycles"]);
  EXPECT_EQ(delay["question"]["options"]["without"], json::array({"beam"}));
  const json energy = answer("map -a gemmini -w resnet18 --layer conv1 --objective energy --free");
  EXPECT_EQ(energy["layers"].size(), 1u);
  EXPECT_EQ(energy["layers"][0]["name"], "conv1");
  EXPECT_EQ(energy["layers"][0]["value"], energy["layers"][0]["energy_pj"]);
  const json kept = answer("map -a edge_unified -w gemm:64x64x64")["layers"][0];
  const json opened = answer("map -a edge_unified -w gemm:64x64x64 --open")["layers"][0];
  EXPECT_EQ(opened["status"], "optimal");
  EXPECT_LT(opened["value"], kept["value"]);  // of three levels that all hold everything some do better without
}

TEST(CliCommands, OrdersCountsAreThePublishedOnes) {
  const auto kept = [](const std::string& workload) { return answer("orders -w " + workload)["kept"].size(); };
  EXPECT_EQ(kept("gemm:8x8x8"), 3u);
  EXPECT_EQ(kept("'o[i,j] += a[i,k,l]*b[k,j]*c[l,j]; i=8,j=8,k=8,l=8'"), 7u);
  EXPECT_EQ(kept("'o[i,l] += a[i,j]*b[j,k]*c[k,l]; i=8,j=8,k=8,l=8'"), 8u);
  const json conv = answer("orders -w resnet18 --layer conv2_x --all");
  EXPECT_EQ(conv["total"], 5040);
  EXPECT_EQ(conv["kept"].size(), 8u);
  EXPECT_FALSE(conv["rejected"].empty());
  for (const json& r : conv["rejected"]) EXPECT_NE(r["reason"], "");
  EXPECT_EQ(answer("orders -w resnet18")["layers"].size(), 12u);
}

TEST(CliCommands, SpaceIsTheProductOfItsParts) {
  const json space = answer("space -a edge_unified -w gemm:16x16x16");
  double product = space["by_part"]["tilings"].get<double>();
  for (const char* part : {"orders", "keeps"})
    for (const json& n : space["by_part"][part]) product *= n.get<double>();
  EXPECT_NEAR(space["mappings"].get<double>() / product, 1, 1e-9);
  EXPECT_EQ(std::stod(space["mappings_exact"].get<std::string>()), space["mappings"].get<double>());
}

TEST(CliCommands, TilesAreThoseOfTheFigureAndArePictured) {
  const std::string question = "space -a '" HELIOLITE_TEST_DATA
                               "/../configs/figures/fig4_3.yaml'"
                               " -w 'o[K,P] += i[C,P+R]*w[K,C,R]; K=4,P=14,C=4,R=3' --tiles L1 ";
  const json tiles = answer(question);
  EXPECT_EQ(tiles["capacity_words"], 8);
  EXPECT_EQ(tiles["kept"], 4);
  ASSERT_EQ(tiles["tiles"].size(), 4u);
  for (const json& tile : tiles["tiles"]) {
    EXPECT_EQ(tile["words"], tile["factors"]["R"] == 3 ? 7 : 8);
    EXPECT_EQ(tile["words"],
              tile["tensors"]["o"].get<int>() + tile["tensors"]["i"].get<int>() + tile["tensors"]["w"].get<int>());
  }
  EXPECT_EQ(answer(question + "--all")["tiles"].size(), tiles["fit"]);
  const TempFolder folder;
  const std::string file = folder.path("tiles.dot");
  EXPECT_THAT(run_cli(question + "--dot " + file).out, HasSubstr("4 of them cannot grow"));
  const std::string picture = read_text(file);
  EXPECT_THAT(picture, AllOf(HasSubstr("digraph"), HasSubstr("L1 holds 8"), HasSubstr("R 3\\n7 words")));
  EXPECT_EQ(run_cli(question + "--dot -").out, picture);
  const std::string trie = run_cli("orders -w gemm:8x8x8 --dot -").out;
  EXPECT_THAT(trie, AllOf(HasSubstr("digraph"), HasSubstr("no tensor gains"), Not(HasSubstr("can matter"))));
}

TEST(CliCommands, VerifySaysWhatMatched) {
  const std::string golden = HELIOLITE_TEST_DATA "/golden/golden.jsonl";
  const json all = answer("verify '" + golden + "' --mode imperfect");
  EXPECT_EQ(all["matched"], 163);
  EXPECT_EQ(all["mismatched"], 0);
  EXPECT_EQ(all["by_mode"]["imperfect"]["skipped"], 0);

  // One record with one wrong number: exit code 1 and the difference.
  const TempFolder folder;
  std::filesystem::copy(HELIOLITE_TEST_DATA "/golden", folder.path("g"), std::filesystem::copy_options::recursive);
  std::string line = read_text(golden);
  line = line.substr(0, line.find('\n') + 1);
  json record = json::parse(line);
  record["expect"]["cycles"] = record["expect"]["cycles"].get<double>() + 1;
  const CliResult wrong = run_cli("verify " + folder.write("g/wrong.jsonl", record.dump() + "\n"));
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.out, AllOf(HasSubstr("wrong.jsonl:1"), HasSubstr("cycles"), HasSubstr("1 ")));
  EXPECT_EQ(run_cli("verify " + folder.path("g/wrong.jsonl") + " --show 0").exit_code, 1);
}

TEST(CliCommands, VersionAndHelp) {
  EXPECT_THAT(answer("--version")["version"], "0.1.0");
  EXPECT_THAT(run_cli("--version").out, HasSubstr("heliolite 0.1.0 (commit "));
  const CliResult help = run_cli("--help");
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command : {"map", "eval", "explain", "orders", "space", "verify"}) {
    EXPECT_THAT(help.out, HasSubstr(std::string("\n  ") + command + " "));
    const CliResult of_command = run_cli(std::string(command) + " --help");
    EXPECT_EQ(of_command.exit_code, 0);
    EXPECT_THAT(of_command.out, AllOf(HasSubstr(std::string("Usage: heliolite ") + command), HasSubstr("Example")));
    EXPECT_EQ(of_command.err, "");
  }
}

TEST(CliCommands, JsonFilesKeepTheTables) {
  const TempFolder folder;
  const CliResult result = run_cli("orders -w gemm:8x8x8 --json " + folder.path("o.json"));
  EXPECT_THAT(result.out, HasSubstr("3 of 6"));
  EXPECT_EQ(json::parse(read_text(folder.path("o.json")))["total"], 6);
}

}  // namespace
}  // namespace heliolite::cli_commands_test
