// How the commands read the files of Timeloop's users: --sparse, --define, --rename, --link-transfers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/cli_runner.h"

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
