// heliolite bench: what it says about bad suites, by file and line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/bench_runs.h"
#include "tests/support/cli_runner.h"

namespace heliolite::cli_bench_refusals_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kBenchSuite;

class CliBenchRefusals : public testing::BenchRuns {};

TEST_F(CliBenchRefusals, BadSuitesAreRefusedWithTheirLines) {
  for (const char* row : {"{name: sunstone, imperfect: true}", "{command: map, imperfect: true}"})
    EXPECT_THAT(refused(with(kBenchSuite, "sunstone", row)), HasSubstr("imperfect: write factors any"));
  EXPECT_THAT(refused(with(kBenchSuite, "random", "randon")),
              AllOf(HasSubstr("suite.yaml:4"), HasSubstr("did you mean 'random'")));
  EXPECT_THAT(refused(with(kBenchSuite, "machines", "machine")),
              AllOf(HasSubstr("missing key 'machines'"), HasSubstr("unknown key 'machine'")));
  EXPECT_THAT(refused(with(kBenchSuite, "edge_unified", "edge_unfied")),
              AllOf(HasSubstr("did you mean 'edge_unified'"), HasSubstr("suite.yaml:5")));
  EXPECT_THAT(refused(with(kBenchSuite, "gemm:8x8x8", "gem:8x8x8")),
              AllOf(HasSubstr("suite.yaml:6"), HasSubstr("cannot be read")));
  EXPECT_THAT(refused(with(kBenchSuite, "seed: 3", "seed: -3")), HasSubstr("seed = -3, must be an integer from 0"));
  EXPECT_THAT(refused(with(kBenchSuite, "seed: 3", "budget: 0")), HasSubstr("must be seconds above 0"));
  EXPECT_THAT(refused(with(kBenchSuite, "seed: 3", "without: [beams]")), HasSubstr("did you mean 'beam'"));
  EXPECT_THAT(refused(with(kBenchSuite, "seed: 3", "sed: 3")), HasSubstr("did you mean 'seed'"));
  EXPECT_THAT(refused(with(kBenchSuite, ", label: lucky", ", label: sunstone")),
              HasSubstr("'sunstone' is there already"));
  EXPECT_THAT(refused(with(kBenchSuite, "name: mine", "name: gemm:16x16x16")), HasSubstr("is there already"));
  EXPECT_THAT(refused(std::string(kBenchSuite) + "  objective: speed\n"),
              HasSubstr("energy_per_op, throughput_per_area, network_edp, network_ed2p or network_edap"));
  EXPECT_THAT(refused(std::string(kBenchSuite) + "  repeat: 0\n"), HasSubstr("repeat = 0"));
  EXPECT_THAT(refused("ablation: {machines: [edge_split], workloads: [gemm:4x4x4], budget: 2e5}\n"),
              HasSubstr("budget = 2e5, must be at most 100000 seconds"));
  EXPECT_THAT(refused(std::string(kBenchSuite) + "ablation: {machines: [edge_split], workloads: [gemm:4x4x4]}\n"),
              HasSubstr("must have one of the keys"));
  EXPECT_THAT(refused("strategies: [sunstone]\n"), HasSubstr("must have one of the keys"));
  EXPECT_THAT(refused("bench: 3\n"), HasSubstr("must be a map"));
  EXPECT_THAT(refused("[]\n"), HasSubstr("must be a map"));
  EXPECT_THAT(
      refused("bench: {strategies: [], machines: [], workloads: []}\n"),
      AllOf(HasSubstr("at least one strategy"), HasSubstr("at least one machine"), HasSubstr("at least one workload")));
  EXPECT_THAT(refused("bench: {strategies: [[x]], machines: [{machin: x}], workloads: [[1]], external: {}}\n"),
              AllOf(HasSubstr("did you mean 'machine'"), HasSubstr("external must be a file")));
  EXPECT_EQ(run_cli("bench").exit_code, 2);
  EXPECT_EQ(run_cli("bench /nowhere/suite.yaml").exit_code, 2);
  EXPECT_THAT(bench(kBenchSuite, "--csv /nowhere/rows.csv").err, HasSubstr("there is no folder /nowhere"));
}

TEST_F(CliBenchRefusals, BadTablesOfOthersAreRefusedWithTheirLines) {
  const auto table = [&](const std::string& text) {
    folder_.write("t.csv", text);
    return refused(std::string(kBenchSuite) + "  external: t.csv\n");
  };
  EXPECT_THAT(table("machine,layer,value\n"), HasSubstr("t.csv:1: missing column 'mapper'"));
  EXPECT_THAT(table("machine,layer,mapper,energy_pj\n"), HasSubstr("'value', or 'energy_pj' and 'cycles'"));
  EXPECT_THAT(table("machine,layer,mapper,value\na,b,c\n"), HasSubstr("t.csv:2: 3 cells, the header has 4"));
  EXPECT_THAT(table("machine,layer,mapper,value\na,b,c,-1\na,b,c,x\na,b,,1\n"),
              AllOf(HasSubstr("t.csv:2: value: '-1'"), HasSubstr("t.csv:3"), HasSubstr("t.csv:4")));
  EXPECT_THAT(table("machine,layer,mapper,value,objective\na,b,c,1,speed\n"), HasSubstr("'speed'"));
  EXPECT_THAT(table("# nothing\n"), HasSubstr("no header line"));
  EXPECT_THAT(table("machine;layer;mapper;value\n"),
              HasSubstr("t.csv:1: the names of the columns must be separated by commas"));
  EXPECT_THAT(table("machine,layer,mapper,value,value\n"), HasSubstr("t.csv:1: two columns are called 'value'"));
  EXPECT_THAT(table("machine,layer,mapper,value\na,b,\"c,1\n"), HasSubstr("t.csv:2: a quote is never closed"));
  EXPECT_THAT(table(""), HasSubstr("t.csv"));
  EXPECT_THAT(refused(std::string(kBenchSuite) + "  external: absent.csv\n"), HasSubstr("absent.csv"));
}

}  // namespace
}  // namespace heliolite::cli_bench_refusals_test
