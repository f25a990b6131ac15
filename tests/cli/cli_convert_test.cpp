// convert as a user runs it: what it writes is used like what it was made of, and nothing that was read is written
// over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_convert_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kRoot = HELIOLITE_TEST_DATA "/../";

json evaluated(const std::string& arguments) {
  const CliResult result = run_cli("eval " + arguments + " --json -");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.exit_code == 0 ? json::parse(result.out) : json();
}

TEST(CliConvert, ThereAndBackAtTheSameCost) {
  const TempFolder folder;
  const std::string ours = kRoot + "configs/quickstart/";
  const json before = evaluated("-a " + ours + "machine.yaml -w " + ours + "workload.yaml -m " + ours + "mapping.yaml");
  for (const char* version : {"0.3", "0.4"}) {
    const std::string there = folder.path(std::string("timeloop") + version), back = folder.path("ours");
    const CliResult out =
        run_cli("convert " + ours + "machine.yaml " + ours + "mapping.yaml " + ours + "workload.yaml -o " + there +
                " --timeloop-version " + version + " --json " + folder.path("answer.json"));
    ASSERT_EQ(out.exit_code, 0) << out.err;
    EXPECT_THAT(out.out, HasSubstr("arch.yaml"));
    EXPECT_EQ(json::parse(read_text(folder.path("answer.json")))["question"]["timeloop_version"], version);
    std::string machine = there + "/arch.yaml," + there + "/ERT.yaml," + there + "/ART.yaml";
    if (!read_text(there + "/constraints.yaml").empty()) machine += "," + there + "/constraints.yaml";
    const json after = evaluated("-a " + machine + " -w " + there + "/problem.yaml -m " + there + "/mapping.yaml");
    EXPECT_EQ(after["energy_pj"], before["energy_pj"]);
    EXPECT_EQ(after["cycles"], before["cycles"]);
    const CliResult again = run_cli("convert " + there + "/*.yaml -o " + back + " --to heliolite");
    ASSERT_EQ(again.exit_code, 0) << again.err;
    const json home =
        evaluated("-a " + back + "/machine.yaml -w " + back + "/workload.yaml -m " + back + "/mapping.yaml");
    EXPECT_EQ(home["energy_pj"], before["energy_pj"]);
  }
}

// The optimum of a machine without links goes out in both versions, also where it has words on links in Timeloop.
TEST(CliConvert, MappingsOfMachinesWithoutLinks) {
  const TempFolder folder;
  const std::string machine = folder.write(
      "ra.yaml",
      "architecture: {levels: [{name: DRAM, capacity: unbounded, energy: 1}, {name: Buf, entries: 8, energy: 1, "
      "fanout: 2}], compute: {energy: 1}}");
  const std::string mapping =
      folder.write("rm.yaml", "mapping: [{level: DRAM, temporal: [M: 2]}, {level: Buf, spatial: {x: [M: 2]}}]");
  const json before = evaluated("-a " + machine + " -w gemm:4x1x1 -m " + mapping);
  for (const char* version : {"0.3", "0.4"}) {
    const std::string out = folder.path(version);
    const CliResult written =
        run_cli("convert " + machine + " gemm:4x1x1 " + mapping + " -o " + out + " --timeloop-version " + version);
    ASSERT_EQ(written.exit_code, 0) << written.err;
    EXPECT_THAT(read_text(out + "/mapping.yaml"), HasSubstr("no_link_transfer: "));
    const json after = evaluated("-a " + out + "/arch.yaml," + out + "/ERT.yaml -w " + out + "/problem.yaml -m " + out +
                                 "/mapping.yaml");
    EXPECT_EQ(after["energy_pj"], before["energy_pj"]);
  }
}

// Where constraints call a dimension otherwise than the workload does, convert and check take the mapping that map
// found.
TEST(CliConvert, WhatTimeloopCountsOtherwiseIsNoted) {
  const TempFolder folder;
  const std::string machine = folder.write(
      "own.yaml",
      "architecture:\n  name: own\n  leakage: all\n  drain_reads: on\n  latency: ramps\n  levels:\n"
      "  - {name: DRAM, dram: true, energy: 200, bandwidth: {read: 2, write: 2}}\n"
      "  - {name: SRAM, entries: 512, energy: 6, fanout: 4, leak_pj_per_cycle: 0.01}\n  compute: {energy: 1}\n");
  const std::string mapping = folder.path("own.json");
  ASSERT_EQ(run_cli("map -a " + machine + " -w gemm:16x16x16 --no-look -q -o " + mapping).exit_code, 0);
  const CliResult run = run_cli("convert " + machine + " gemm:16x16x16 " + mapping + " -o " + folder.path("theirs"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* key : {"leakage = all", "drain_reads = on", "latency = ramps", "cycles = exact"})
    EXPECT_THAT(run.err, HasSubstr(key));
}

TEST(CliConvert, NamesThatMachinesUse) {
  const TempFolder folder;
  const std::string machine = folder.write(
      "m.yaml",
      "architecture: {levels: [{name: DRAM, capacity: unbounded, energy: 1}, {name: L1, entries: 64, energy: "
      "1, fanout: 2, constraints: {spatial: {order: [M, C]}}}], compute: {energy: 1}}");
  const std::string pair = machine + " conv:k=4,c=2,p=4,r=3", mapping = folder.path("best.json");
  ASSERT_EQ(run_cli("map -a " + machine + " -w conv:k=4,c=2,p=4,r=3 --no-look --json " + mapping).exit_code, 0);
  const CliResult written = run_cli("convert " + pair + " " + mapping + " -o " + folder.path("out"));
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_THAT(read_text(folder.path("out/problem.yaml")), HasSubstr("M: 4"));
  const CliResult checked = run_cli("check " + mapping + " -a " + machine + " -w conv:k=4,c=2,p=4,r=3");
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
}

// A mapping as Timeloop prints it is one for every command; a machine of nodes gets its mapping in their words.
TEST(CliConvert, PrintedNestsAndMachinesOfNodes) {
  const TempFolder folder;
  const std::string machine =
      folder.write("arch.yaml",
                   "architecture:\n  version: 0.4\n  nodes:\n"
                   "  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, datawidth: 8}}\n"
                   "  - !Component {name: Buf, class: SRAM, attributes: {depth: 512, width: 64, datawidth: 8}}\n"
                   "  - !Component {name: Mult, class: intmac, attributes: {datawidth: 8}}\n");
  const std::string nest = folder.write("timeloop-mapper.map.txt",
                                        "DRAM [ A:32 (32) B:32 (32) Z:16 (16) ] \n----\n| for M in [0:4)\n\n"
                                        "Buf [ A:8 (8) B:32 (32) Z:4 (4) ] \n----\n|   for N in [0:4)\n"
                                        "|     for K in [0:8)\n|       << Compute >>\n");
  const std::string pair = "-a " + machine + " -w gemm:4x4x8";
  const json nested = evaluated(pair + " -m " + nest);
  const std::string written = folder.path("map.yaml");
  const CliResult found = run_cli("map " + pair + " --no-look --json - --timeloop " + written);
  ASSERT_EQ(found.exit_code, 0) << found.err;
  EXPECT_THAT(read_text(written), HasSubstr("type: dataspace"));
  EXPECT_EQ(evaluated(pair + " -m " + written)["energy_pj"], json::parse(found.out)["layers"][0]["energy_pj"]);
  EXPECT_EQ(run_cli("explain " + pair + " -m " + nest).exit_code, 0);
  const std::string out = folder.path("out");
  ASSERT_EQ(run_cli("convert " + machine + " gemm:4x4x8 " + nest + " -o " + out + " --to heliolite").exit_code, 0);
  EXPECT_EQ(evaluated("-a " + out + "/machine.yaml -w gemm:4x4x8 -m " + out + "/mapping.yaml")["energy_pj"],
            nested["energy_pj"]);
  folder.write("p.yaml", "problem: {shape: gemm-ABZ, instance: {M: 4, N: 4, K: 8}}");
  const CliResult checked = run_cli("check " + folder.path("arch.yaml") + " " + folder.path("p.yaml") + " " + nest);
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("Timeloop mapping"));
  // Which energies nobody states, in every answer.
  for (const std::string& arguments : {"map " + pair + " --no-look", "eval " + pair + " -m " + nest,
                                       "explain " + pair + " -m " + nest, "show " + machine + " --resolved"}) {
    const CliResult result = run_cli(arguments);
    EXPECT_THAT(result.err, HasSubstr("energies of DRAM, Buf and Mult are from Timeloop's built-in table"))
        << arguments;
  }
  EXPECT_THAT(run_cli("show " + machine + " --resolved").out, HasSubstr("Timeloop's built-in table"));
  EXPECT_THAT(nested["notes"].dump(), HasSubstr("built-in table"));
}

TEST(CliConvert, NetworksAndTheirLayers) {
  const TempFolder folder;
  const CliResult out = run_cli("convert eyeriss alexnet -o " + folder.path("net"));
  ASSERT_EQ(out.exit_code, 0) << out.err;
  EXPECT_THAT(read_text(folder.path("net/problem_conv1.yaml")), HasSubstr("coefficient_4"));
  EXPECT_THAT(out.err, HasSubstr("one_axis_per_dimension = false"));
  const CliResult back = run_cli("convert alexnet -o " + folder.path("ours") + " --to heliolite");
  ASSERT_EQ(back.exit_code, 0) << back.err;
  EXPECT_EQ(run_cli("orders -w " + folder.path("ours/network.yaml")).exit_code, 0);
  // What layers feed, and how often one is executed, is written too.
  ASSERT_EQ(run_cli("convert bert_base_block -o " + folder.path("block") + " --to heliolite").exit_code, 0);
  const CliResult fused = run_cli("bound --fuse -w " + folder.path("block/network.yaml") + " --buffer 65536");
  const CliResult original = run_cli("bound --fuse -w bert_base_block --buffer 65536");
  ASSERT_EQ(fused.exit_code, 0) << fused.err;
  EXPECT_EQ(fused.out, original.out);
  const std::string one = folder.write("one.yaml", "layers:\n- {name: a, gemm: {m: 4, n: 4, k: 4}, count: 3}\n");
  ASSERT_EQ(run_cli("convert " + one + " -o " + folder.path("one") + " --to heliolite").exit_code, 0);
  EXPECT_THAT(read_text(folder.path("one/network.yaml")), HasSubstr("count: 3"));
}

TEST(CliConvert, RefusesByName) {
  const TempFolder folder;
  const std::string out = " -o " + folder.path("out");
  EXPECT_THAT(run_cli("convert simba" + out).err, HasSubstr("name classes of dimensions"));
  EXPECT_THAT(run_cli("convert " + kRoot + "configs/sweeps/quick.yaml" + out).err, HasSubstr("is a sweep"));
  EXPECT_THAT(run_cli("convert eyeris" + out).err, HasSubstr("no such workload"));
  EXPECT_THAT(run_cli("convert " + kRoot + "configs/quickstart/mapping.yaml" + out).err,
              HasSubstr("needs its machine and its workload"));
  const std::string problem =
      folder.write("out/problem.yaml", "problem: {shape: gemm-ABZ, instance: {M: 4, N: 4, K: 4}}");
  const CliResult over = run_cli("convert " + problem + out);
  EXPECT_EQ(over.exit_code, 2);
  EXPECT_THAT(over.err, HasSubstr("which is read: choose another file"));
}

TEST(CliConvert, MapWritesTimeloopsMapping) {
  const TempFolder folder;
  const std::string machine = HELIOLITE_TEST_DATA "/data/timeloop/small_nodes.yaml", mapping = folder.path("map.yaml");
  const std::string problem = folder.write(
      "p.yaml",
      "problem: {shape: {dimensions: [R, S, P, Q, C, M, N], data_spaces: ["
      "{name: Weights, projection: [C, M, R, S]}, {name: Inputs, projection: [N, C, [[R], [P]], [[S], [Q]]]},"
      "{name: Outputs, projection: [N, M, Q, P], read_write: true}]},"
      "instance: {R: 1, S: 3, P: 4, Q: 4, C: 8, M: 16, N: 1}}");
  const std::string pair = "-a " + machine + " -w " + problem;
  const CliResult found = run_cli("map " + pair + " --no-look --json - --timeloop " + mapping);
  ASSERT_EQ(found.exit_code, 0) << found.err;
  EXPECT_THAT(read_text(mapping), HasSubstr("{target: PE, type: spatial"));
  EXPECT_EQ(evaluated(pair + " -m " + mapping)["energy_pj"], json::parse(found.out)["layers"][0]["energy_pj"]);
  EXPECT_THAT(run_cli("map -a eyeriss -w resnet18 --timeloop " + mapping).err, HasSubstr("choose a layer"));
}

}  // namespace
}  // namespace heliolite::cli_convert_test
