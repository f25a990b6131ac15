// heliolite bench: its suites, its three outputs, and what else a run writes and says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/bench_runs.h"
#include "tests/support/cli_runner.h"

namespace heliolite::cli_bench_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kBenchSuite;
using ::testing::Not;

const std::string kConfigs = std::string(HELIOLITE_TEST_DATA) + "/../configs/bench/";

class CliBench : public testing::BenchRuns {};

TEST_F(CliBench, TheQuickBenchSuiteRunsAndItsThreeOutputsAgree) {
  const std::string csv = folder_.path("rows.csv"), file = folder_.path("rows.json");
  const CliResult result = run_cli("bench " + kConfigs + "quick.yaml --wide --csv " + csv + " --json " + file);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("resnet18/conv3_x"), HasSubstr("mean ratio"), HasSubstr("sunstone")));
  const json rows = json::parse(read_text(file))["rows"];
  ASSERT_FALSE(rows.empty());
  std::istringstream lines(read_text(csv));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "strategy,machine,layer,objective,search_seconds,evaluated,value,lower_bound,gap,ratio_to_best,status,"
            "unfused_value");
  for (const json& row : rows) {
    for (const char* key :
         {"strategy", "machine", "layer", "seconds", "evaluated", "value", "ratio_to_best", "gap", "status"})
      EXPECT_TRUE(row.contains(key)) << key;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_THAT(line, AllOf(HasSubstr(row["strategy"].get<std::string>() + "," + row["machine"].get<std::string>()),
                            HasSubstr(row["layer"].get<std::string>())));
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(CliBench, ComparesItsMappersInTablesJsonTraceAndPage) {
  const std::string suite = folder_.write("suite.yaml", R"(bench:
  strategies:
  - exact
  - {name: random, victory: 50}
  - {name: hybrid, victory: 25, timeout: 20000, label: timeloop fast}
  machines: [edge_unified]
  workloads: [gemm:16x16x16, gemm:24x16x8]
  published:
  - {says: never below, source: nobody, of: timeloop fast, over: exact, from: 1}
)");
  const std::string trace = folder_.path("t.csv"), page = folder_.path("p.html"), file = folder_.path("a.json");
  const CliResult result =
      run_cli("bench " + suite + " --trace " + trace + " --page " + page + " --json " + file + " --wide");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* part :
       {"within 1 %", "Performance profile", "In pairs", "Against random search", "never below", "same"})
    EXPECT_THAT(result.out, HasSubstr(part));
  const json a = json::parse(read_text(file));
  EXPECT_EQ(a["near"][0]["within"][0]["layers"], 2);
  EXPECT_EQ(a["profiles"][0]["steps"], json::parse("[[1.0, 1.0]]"));
  EXPECT_EQ(a["comparisons"].size(), 3u);
  EXPECT_GE(a["comparisons"][0]["seconds"]["mean"], 0);
  EXPECT_EQ(a["against_random"].size(), 2u);
  EXPECT_EQ(a["published"][0]["verdict"], "same");
  EXPECT_EQ(a["rows"][0]["trace"].back()[2], a["rows"][0]["value"]);
  EXPECT_THAT(read_text(trace),
              AllOf(HasSubstr("strategy,machine,layer,evaluated,search_seconds,value\nexact,edge_unified,"),
                    HasSubstr("\ntimeloop fast,edge_unified,gemm:24x16x8,")));
  EXPECT_THAT(read_text(page), AllOf(HasSubstr("<svg"), HasSubstr("timeloop fast"), Not(HasSubstr("://"))));
  EXPECT_EQ(run_cli("bench " + kConfigs + "ablation.yaml --page " + page).exit_code, 2);
  const std::string bad = read_text(suite);
  EXPECT_THAT(refused(with(bad, "of: timeloop fast", "of: timeloop fst")), HasSubstr("did you mean 'timeloop fast'"));
  EXPECT_THAT(refused(with(bad, ", from: 1", "")), HasSubstr("must have 'from' or 'to'"));
  EXPECT_THAT(refused(with(bad, "from: 1", "from: 1, quantity: energy")),
              HasSubstr("must be value, seconds or evaluated"));
  EXPECT_THAT(refused(with(bad, "timeout: 20000", "timeouts: 20000")), HasSubstr("timeouts"));
}

TEST_F(CliBench, EverySuiteOfTheProjectIsGood) {
  for (const auto& entry : std::filesystem::directory_iterator(kConfigs)) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string file = folder_.path("plan.json");
    const CliResult result = run_cli("bench " + entry.path().string() + " --check --json " + file);
    EXPECT_EQ(result.exit_code, 0) << entry.path() << result.err;
    const json a = json::parse(read_text(file));
    EXPECT_THAT(result.out, HasSubstr(std::to_string(a["plan"]["searches"].get<int>()) + " searches")) << entry.path();
    EXPECT_EQ(a["question"]["config"], entry.path().string());
    EXPECT_GT(a["plan"]["machines"], 0);
  }
}

TEST_F(CliBench, ProvenRowsHaveProofsWhichLaterRunsKeep) {
  const std::string exact = R"(bench:
  strategies: [exact, {name: random, evaluations: 5}]
  machines: [edge_unified]
  workloads: ["gemm:16x16x16"]
  proofs: proofs
)";
  const json first = answer(exact);
  const std::string file = folder_.path("proofs/edge_unified/gemm:16x16x16-exact.proof.gz");
  ASSERT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(first["rows"][0]["proof"]["file"], file);
  EXPECT_GT(first["rows"][0]["proof"]["bytes"], 100);
  EXPECT_FALSE(first["rows"][1].contains("proof"));
  const std::string bytes = read_text(file);
  EXPECT_EQ(answer(exact)["rows"][0]["proof"], (json{{"file", file}, {"kept", true}}));
  EXPECT_EQ(read_text(file), bytes);
  folder_.write("proofs/edge_unified/gemm:16x16x16-exact.proof.gz", "something else");
  EXPECT_THAT(answer(exact)["rows"][0]["proof"]["refused"].get<std::string>(), HasSubstr("is there already"));
  EXPECT_EQ(read_text(file), "something else");
}

TEST_F(CliBench, NamesLabelsAndOptionsReachTheRows) {
  const json a = answer(kBenchSuite);
  ASSERT_EQ(a["rows"].size(), 4u);
  EXPECT_EQ(a["rows"][1]["strategy"], "lucky");
  EXPECT_EQ(a["rows"][1]["layer"], "gemm:16x16x16");
  EXPECT_EQ(a["rows"][2]["layer"], "mine");
  EXPECT_EQ(a["question"]["strategies"][1]["seed"], 3);
  EXPECT_EQ(a["question"]["strategies"][1]["victory"], 50);
  EXPECT_EQ(a["summary"].size(), 2u);
  EXPECT_FALSE(a["interrupted"]);
  const json again = answer(kBenchSuite);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(a["rows"][k]["value"], again["rows"][k]["value"]);
    EXPECT_EQ(a["rows"][k]["evaluated"], again["rows"][k]["evaluated"]);
  }
}

TEST_F(CliBench, TheObjectiveCanBeAskedForInsteadOfTheFiles) {
  folder_.write("others.csv",
                "machine,layer,mapper,energy_pj,cycles\nedge_unified,mine,theirs,10,2\nedge_unified,mine,fast,20,1\n");
  const std::string suite = std::string(kBenchSuite) + "  external: others.csv\n  objective: edp\n";
  const CliResult result = bench(suite, "--objective delay --json - -q");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json a = json::parse(result.out);
  EXPECT_EQ(a["question"]["objective"], "delay");
  for (const json& row : a["rows"]) {
    if (row["strategy"] == "theirs") {
      EXPECT_EQ(row["value"], 2);
    }
    if (row["strategy"] == "fast") {
      EXPECT_EQ(row["ratio_to_best"], 1);
    }
  }
  EXPECT_EQ(a["rows"].size(), 6u);
  const CliResult bad = bench(suite, "--objective edpp");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("did you mean 'edp'"));
}

TEST_F(CliBench, FilesStandBesideTheConfiguration) {
  folder_.write("sub/machine.yaml", R"(architecture:
  name: tiny
  word_bits: 16
  energy: pat
  levels:
  - {name: DRAM, dram: true}
  - {name: Buf, entries: 64, fanout: 4x2}
  - {name: Reg, entries: 8}
  compute: {name: MAC}
)");
  folder_.write("net.yaml", "name: net\nlayers:\n- {name: one, gemm: 8x8x8}\n- {name: two, gemm: 4x4x4}\n");
  folder_.write("others.csv",
                "\xef\xbb\xbf# a comment\r\nmachine,layer,mapper,setting,energy_pj,cycles,seconds,remark\r\n"
                "tiny,net/one,theirs, \"fast, \"\"2\"\"\" ,10,2,0.5,x\r\ntiny,net/three,theirs,fast,10,2,,\n");
  const json a = answer(R"(bench:
  objective: energy
  strategies: sunstone
  machines: sub/machine.yaml
  workloads: net.yaml
  external: others.csv
  repeat: 2
)");
  ASSERT_EQ(a["rows"].size(), 3u);
  EXPECT_EQ(a["rows"][0]["machine"], "tiny");
  EXPECT_EQ(a["rows"][0]["layer"], "net/one");
  EXPECT_EQ(a["rows"][1]["strategy"], "theirs (fast, \"2\")");
  EXPECT_EQ(a["rows"][1]["value"], 10);
  EXPECT_EQ(a["rows"][1]["status"], "external");
  EXPECT_EQ(a["rows"][1]["ratio_to_best"], 1);
  EXPECT_TRUE(a["rows"][1]["gap"].is_null());
  EXPECT_EQ(a["rows"][2]["layer"], "net/two");
}

TEST_F(CliBench, NothingMappedIsExitCodeOne) {
  folder_.write("m.yaml", R"(architecture:
  name: none
  word_bits: 16
  energy: pat
  levels:
  - {name: DRAM, dram: true}
  - {name: Reg, entries: 2}
  compute: {name: MAC}
)");
  const CliResult result = bench("bench: {strategies: [random], machines: [m.yaml], workloads: [gemm:4x4x4]}");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("infeasible"), HasSubstr("0/1")));
}

TEST_F(CliBench, TheAblationOfASmallLayer) {
  const char* text = R"(ablation:
  budget: 20
  machines: [edge_split]
  workloads: [gemm:16x16x16]
)";
  const json a = answer(text);
  const json& steps = a["ablation"][0]["steps"];
  ASSERT_EQ(steps.size(), 5u);
  for (std::size_t k = 1; k < 5; ++k) EXPECT_LT(steps[k]["points"], steps[k - 1]["points"]);
  EXPECT_EQ(steps[2]["ratio"], 1);
  EXPECT_TRUE(steps[0]["value"].is_null());
  EXPECT_EQ(a["ablation"][0]["optimum"]["proven"], true);
  EXPECT_EQ(a["ablation"][0]["optimum"]["value"], steps[2]["value"]);
  const std::string csv = folder_.path("steps.csv");
  const CliResult table = bench(text, "--csv " + csv);
  EXPECT_THAT(table.out, AllOf(HasSubstr("+alpha-beta"), HasSubstr("closed form"), HasSubstr("1 of 1 layers"),
                               HasSubstr("proven optimum")));
  EXPECT_THAT(read_text(csv),
              AllOf(HasSubstr("edge_split,gemm:16x16x16,+T1,"), HasSubstr("edge_split,gemm:16x16x16,exact,")));
}

TEST_F(CliBench, CtrlCPrintsTheRowsThatAreDone) {
  const std::string slow = folder_.write("slow.yaml", R"(bench:
  strategies: [sunstone, {name: exhaustive, budget: 30}]
  machines: [edge_unified]
  workloads: [gemm:64x64x64]
)");
  const CliResult stopped = run_cli("bench " + slow + " --json " + folder_.path("slow.json") +
                                    " -q & pid=$!; sleep 1; kill -INT $pid; wait $pid; exit $?");
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_THAT(stopped.out, HasSubstr("1 of 2 searches"));
  const json a = json::parse(read_text(folder_.path("slow.json")), nullptr, false);
  EXPECT_EQ(a["interrupted"], true);
  ASSERT_EQ(a["rows"].size(), 1u);
  EXPECT_EQ(a["rows"][0]["strategy"], "sunstone");
}

constexpr const char* kSweep = R"(sweep:
  machine: sunstone_arch
  workloads: "conv:k=16,c=16,p=7,r=3"
  parameters:
    weight_words: {set: L1_weight.entries, values: [8, 16]}
    ofmap_words: {set: L1_ofmap.entries, values: [8, 16]}
)";

TEST_F(CliBench, ComparesTheCoSearchWithTheGrid) {
  folder_.write("sizes.yaml", kSweep);
  const std::string csv = folder_.path("rows.csv");
  const CliResult result = bench("co_search: {sweep: sizes.yaml}\n", "--csv " + csv);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("Configurations evaluated"), HasSubstr("Tiles of L1_ofmap looked at")));
  EXPECT_THAT(read_text(csv), HasSubstr("tiles_L1_ofmap"));
  const json rows = answer("co_search: {sweep: sizes.yaml}\n")["co_search"];
  ASSERT_EQ(rows.size(), 2u);
  for (const json& row : rows) {
    EXPECT_EQ(row["configurations"]["grid"], 4);
    EXPECT_LE(row["value"].get<double>(), 1.001 * row["value_of_grid"].get<double>());
    EXPECT_EQ(row["best"].size(), 2u);
  }
  EXPECT_EQ(rows[1]["status"], "optimal");
  EXPECT_EQ(rows[1]["value"], rows[1]["value_of_grid"]);
}

TEST_F(CliBench, RefusesCoSearchesOfOtherShapesAndStrategies) {
  folder_.write("sizes.yaml", kSweep);
  folder_.write("grids.yaml", with(kSweep, "L1_ofmap.entries, values: [8, 16]", "L2.fanout, values: [4x4, 8x8]"));
  EXPECT_THAT(refused("co_search: {sweep: grids.yaml}\n"),
              AllOf(HasSubstr("grids.yaml:"), HasSubstr("in more than what its memories hold and cost")));
  EXPECT_THAT(refused("co_search: {sweep: sizes.yaml, strategies: [random]}\n"),
              HasSubstr("must be sunstone, thesis or exact"));
  EXPECT_THAT(refused("co_search: {strategies: [exact]}\n"), HasSubstr("missing key 'sweep'"));
  EXPECT_THAT(refused("co_search:\n  strategies: [exact]\n  sweep: absent.yaml\n"),
              AllOf(HasSubstr("absent.yaml: no such file"), HasSubstr("suite.yaml:3"),
                    HasSubstr("sweep 'absent.yaml' cannot be read")));
}

}  // namespace
}  // namespace heliolite::cli_bench_test
