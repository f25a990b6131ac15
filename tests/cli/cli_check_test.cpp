// check over all of tests/data that is a file of ours or of Timeloop, and over files of each kind that it refuses; diff
// of machines, workloads and mappings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_check_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kTests = HELIOLITE_TEST_DATA;
const std::string kQuick = kTests + "/../configs/quickstart/";

// A complaint that helps: it has a place or a name, says what to do, and is no other program's text.
bool is_confusing(const std::string& complaint) {
  for (const char* foreign : {"yaml-cpp", "std::", "bad conversion", "exception", " must be \n", "one of \n"})
    if (complaint.find(foreign) != std::string::npos) return true;
  return complaint.size() < 20 || complaint.ends_with("must be ") || complaint.ends_with("one of ");
}

// The corpus: the files of tests/data, with each construct of Timeloop's users, are read, or refused with a reason.
TEST(CliCheck, TheCorpusIsReadOrRefusedWithAReason) {
  for (const std::string& folder : {kTests + "/data", kTests + "/golden", kQuick}) {
    const CliResult result = run_cli("check " + folder + " --json -");
    ASSERT_LE(result.exit_code, 1) << result.err;
    const json answer = json::parse(result.out);
    const json& counts = answer["counts"];
    EXPECT_GE(counts["read"].get<int>() * 10, (counts["read"].get<int>() + counts["refused"].get<int>()) * 9) << counts;
    for (const json& file : answer["files"]) {
      const std::string state = file["state"];
      EXPECT_EQ(state == "refused" || state == "waits", !file["why"].empty()) << file;
      for (const json& why : file["why"]) EXPECT_FALSE(is_confusing(why)) << why;
    }
  }
}

TEST(CliCheck, SaysWhatAFileIs) {
  const TempFolder folder;
  folder.write("a/ert.yaml", "ERT: {version: 0.3, tables: [{name: a.GLB, actions: [{name: read, energy: 1}]}]}");
  folder.write("a/summary.yaml", "ERT_summary: {version: 0.3, table_summary: []}");
  folder.write("a/old.cfg", "arch = {\n  arithmetic = { instances = 4; };\n};\n");
  folder.write("a/template.yaml", "{{include_text('base.yaml')}}\n{% for x in y %}\n");
  folder.write("a/sparse.yaml", "sparse_optimizations: {targets: [{name: GLB}]}");
  folder.write("a/notes.txt", "buy milk");
  folder.write("a/forge.yaml",
               "arch: {nodes: [!Memory {name: Main, size: inf, component_class: Dummy}, !Compute {name: Mult}]}");
  folder.write("a/forged.yaml", "workload: {einsums: ['Z[m,n] = A[m,k]*B[k,n]']}");
  folder.write("a/other.yaml", "jobs: {build: {steps: [a, b]}}");
  folder.write("a/broken.yaml", "problem: {shape: cnn-layer\n");
  folder.write("a/lone.yaml", "mapping:\n- {target: Nowhere, type: temporal, factors: K1}\n");
  const CliResult result = run_cli("check " + folder.path("a") + " --all --json -");
  EXPECT_EQ(result.exit_code, 1);
  std::map<std::string, std::string> state;
  const json answer = json::parse(result.out);
  for (const json& file : answer["files"]) {
    const std::string path = file["file"];
    state[path.substr(path.rfind('/') + 1)] = file["state"];
  }
  const std::map<std::string, std::string> expected{
      {"forge.yaml", "refused"},  {"forged.yaml", "refused"},   {"ert.yaml", "read"},       {"summary.yaml", "refused"},
      {"old.cfg", "refused"},     {"template.yaml", "refused"}, {"sparse.yaml", "refused"}, {"notes.txt", "not ours"},
      {"other.yaml", "not ours"}, {"broken.yaml", "refused"},   {"lone.yaml", "waits"}};
  EXPECT_EQ(state, expected);
  EXPECT_EQ(answer["counts"]["refused"], 7);
  EXPECT_THAT(result.out, HasSubstr("AccelForge workload"));
  EXPECT_THAT(result.out, HasSubstr("Mult: no energy of compute"));
  EXPECT_THAT(run_cli("map -a " + folder.path("a/forged.yaml") + " -w conv").err,
              HasSubstr("is a workload of AccelForge, which -w takes"));
  EXPECT_EQ(run_cli("check " + folder.path("nothing")).exit_code, 2);
  const CliResult mapping = run_cli("check " + kQuick);
  EXPECT_EQ(mapping.exit_code, 0) << mapping.out;
  EXPECT_THAT(mapping.out, HasSubstr("3 read"));
}

// Each mapping finds the workload of its sizes among many, whose number does not count twice.
TEST(CliCheck, MappingsFindTheirWorkloads) {
  const TempFolder folder;
  folder.write("arch.yaml",
               "architecture: {version: 0.4, nodes: [!Component {name: DRAM, class: DRAM}, "
               "!Component {name: MAC, class: intmac}]}");
  const int count = 60;
  for (int i = 1; i <= count; ++i) {
    const std::string n = std::to_string(i), size = std::to_string(4 * i);
    folder.write("problems/p" + n + ".yaml", "problem: {shape: gemm-ABZ, instance: {M: " + size + ", N: 8, K: 8}}");
    folder.write("mappings/m" + n + ".yaml",
                 "mapping:\n- {target: DRAM, type: temporal, factors: [M=" + size + ", N=8, K=8]}\n");
  }
  const CliResult result = run_cli("check " + folder.path("") + " --json -");
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_EQ(json::parse(result.out)["counts"]["read"], 2 * count + 1) << result.out;
}

// Files of one command are read with its reader, with all that they name.
TEST(CliCheck, ReadsSuitesAndExperiments) {
  const TempFolder folder;
  const std::string configs = kTests + "/../configs/";
  folder.write("bad_bench.yaml", "bench: {objective: edp, strategies: [exact], machines: [eyeris], workloads: [conv]}");
  folder.write("bad_rows.yaml", "name: x\nrows:\n- {what: a, workload: gemm:4x4x4, measure: nothing, paper: 1}\n");
  const CliResult result = run_cli("check " + configs + "bench/quick.yaml " + configs + "bench/ablation.yaml " +
                                   configs + "bounds/table3_2.yaml " + folder.path("bad_bench.yaml") + " " +
                                   folder.path("bad_rows.yaml") + " --json -");
  const json answer = json::parse(result.out);
  EXPECT_EQ(answer["counts"]["read"], 3) << answer;
  EXPECT_EQ(answer["files"][2]["used_by"], "bound --experiment");
  ASSERT_EQ(answer["counts"]["refused"], 2) << answer;
  EXPECT_THAT(answer["files"][3]["why"].dump(), HasSubstr("eyeriss"));
  EXPECT_THAT(answer["files"][4]["why"].dump(), HasSubstr("bad_rows.yaml:3"));
}

TEST(CliDiff, MachinesWorkloadsAndMappings) {
  EXPECT_EQ(run_cli("diff eyeriss eyeriss").exit_code, 0);
  const CliResult machines = run_cli("diff eyeriss eyeriss_45nm");
  EXPECT_EQ(machines.exit_code, 1);
  EXPECT_THAT(machines.out, HasSubstr("GLB.energy.read"));
  EXPECT_THAT(run_cli("diff gemm:4x4x4 gemm:4x4x8").out, HasSubstr("K"));
  EXPECT_THAT(run_cli("diff eyeriss gemm:4x4x4").err, HasSubstr("nothing to compare"));

  const TempFolder folder;
  const std::string pair = " -a " + kQuick + "machine.yaml -w " + kQuick + "workload.yaml";
  ASSERT_EQ(run_cli("map" + pair + " --no-look --json " + folder.path("best.json")).exit_code, 0);
  const CliResult mappings = run_cli("diff " + kQuick + "mapping.yaml " + folder.path("best.json") + pair + " --json " +
                                     folder.path("d.json"));
  EXPECT_EQ(mappings.exit_code, 1) << mappings.err;
  EXPECT_THAT(mappings.out, HasSubstr("second - first"));
  const json answer = json::parse(read_text(folder.path("d.json")));
  double sum = 0, total = 0;
  for (const json& share : answer["costs"]["energy_pj"])
    (share["place"] == "total" ? total : sum) += share["second"].get<double>();
  EXPECT_NEAR(sum, total, 1e-9 * total);
  EXPECT_THAT(run_cli("diff " + kQuick + "mapping.yaml " + kQuick + "mapping.yaml").err, HasSubstr("give -a and -w"));
  // A mapping that names its machine is no machine.
  const std::string named = folder.write("named.yaml", "architecture: m\n" + read_text(kQuick + "mapping.yaml"));
  EXPECT_EQ(run_cli("diff " + kQuick + "mapping.yaml " + named + pair).exit_code, 0);
  // What convert writes is what it was made of, but for the names of the copies.
  ASSERT_EQ(run_cli("convert " + kTests + "/golden/arch/eyeriss_ert.yaml -o " + folder.path("out")).exit_code, 0);
  const std::string out = folder.path("out/");
  EXPECT_EQ(run_cli("diff " + kTests + "/golden/arch/eyeriss_ert.yaml " + out + "arch.yaml," + out + "ERT.yaml," + out +
                    "ART.yaml")
                .exit_code,
            0);
}

}  // namespace
}  // namespace heliolite::cli_check_test
