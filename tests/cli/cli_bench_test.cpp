// heliolite bench: its suites, its three outputs, and what it says about bad ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"
#include "tests/support/small_chain.h"

namespace heliolite::cli_bench_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kConfigs = std::string(HELIOLITE_TEST_DATA) + "/../configs/bench/";

constexpr const char* kSuite = R"(bench:
  strategies:
  - sunstone
  - {name: random, seed: 3, victory: 50, label: lucky}
  machines: [edge_unified]
  workloads: [gemm:16x16x16, {name: mine, workload: "gemm:8x8x8"}]
)";

class CliBench : public ::testing::Test {
 protected:
  TempFolder folder_;

  CliResult bench(const std::string& text, const std::string& options = "") {
    return run_cli("bench " + folder_.write("suite.yaml", text) + " " + options);
  }
  json answer(const std::string& text) {
    const CliResult result = bench(text, "--json - -q");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }
  // The complaint.
  std::string refused(const std::string& text) {
    const CliResult result = bench(text);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    for (const char* raw : {"terminate", "what():", "std::", "YAML::"}) EXPECT_THAT(result.err, Not(HasSubstr(raw)));
    return result.err;
  }
  static std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
};

TEST_F(CliBench, TheQuickSuiteRunsAndItsThreeOutputsAgree) {
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

TEST_F(CliBench, ProvenRowsOfNetworksHaveProofsOfTheWhole) {
  folder_.write("two.yaml",
                "name: two\nlayers:\n- {name: a, gemm: {m: 16, n: 12, k: 8}, count: 2}\n"
                "- {name: b, gemm: {m: 8, n: 8, k: 24}}\n");
  const std::string suite = R"(bench:
  objective: network_ed2p
  strategies: [exact, {name: exact, label: apart, fuse: true}]
  machines: [edge_unified]
  workloads: [two.yaml]
  proofs: proofs
)";
  const json first = answer(suite);
  const std::string file = folder_.path("proofs/edge_unified/two-exact.proof.gz");
  ASSERT_TRUE(std::filesystem::exists(file)) << first;
  EXPECT_EQ(first["rows"][0]["proof"]["file"], file);
  EXPECT_EQ(first["rows"][0]["proof"]["shapes"], 2);
  EXPECT_EQ(first["rows"][0]["proof"]["claim"].get<std::string>().rfind("ed2p ", 0), 0u);
  EXPECT_EQ(first["rows"][1]["proof"]["refused"], "no proof for layers that are fused yet");
  EXPECT_EQ(answer(suite)["rows"][0]["proof"], (json{{"file", file}, {"kept", true}}));
  const CliResult checked = run_cli("check-proof " + file);
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
}

TEST_F(CliBench, NamesLabelsAndOptionsReachTheRows) {
  const json a = answer(kSuite);
  ASSERT_EQ(a["rows"].size(), 4u);
  EXPECT_EQ(a["rows"][1]["strategy"], "lucky");
  EXPECT_EQ(a["rows"][1]["layer"], "gemm:16x16x16");
  EXPECT_EQ(a["rows"][2]["layer"], "mine");
  EXPECT_EQ(a["question"]["strategies"][1]["seed"], 3);
  EXPECT_EQ(a["question"]["strategies"][1]["victory"], 50);
  EXPECT_EQ(a["summary"].size(), 2u);
  EXPECT_FALSE(a["interrupted"]);
  const json again = answer(kSuite);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(a["rows"][k]["value"], again["rows"][k]["value"]);
    EXPECT_EQ(a["rows"][k]["evaluated"], again["rows"][k]["evaluated"]);
  }
}

TEST_F(CliBench, TheObjectiveCanBeAskedForInsteadOfTheFiles) {
  folder_.write("others.csv",
                "machine,layer,mapper,energy_pj,cycles\nedge_unified,mine,theirs,10,2\nedge_unified,mine,fast,20,1\n");
  const std::string suite = std::string(kSuite) + "  external: others.csv\n  objective: edp\n";
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

TEST_F(CliBench, ASuiteWithANetworkSaysOnceThatItsLayersAreMappedAlone) {
  folder_.write("net.yaml", "name: net\nlayers:\n- {name: one, gemm: 8x8x8}\n- {name: two, gemm: 4x4x4}\n");
  folder_.write("sizes.yaml",
                "sweep: {machine: sunstone_arch, workloads: net.yaml, parameters: {weight_words: {set: "
                "L1_weight.entries, values: [8, 16]}}}\n");
  const std::string alone = "layers are mapped alone: all activations between them go through the outermost memory";
  const std::string listed = ", machines: [edge_unified], workloads: ";
  for (const std::string& suite :
       {"bench: {strategies: [sunstone, random]" + listed + "[gemm:8x8x8, net.yaml]}\n",
        "ablation: {budget: 5" + listed + "[net.yaml]}\n", std::string("co_search: {sweep: sizes.yaml}\n")}) {
    const CliResult result = bench(suite);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find(alone), std::string::npos) << suite;
    EXPECT_EQ(result.out.find(alone), result.out.rfind(alone)) << suite;
    EXPECT_THAT(answer(suite)["notes"].dump(), HasSubstr(alone));
  }
  EXPECT_THAT(bench(kSuite).out, Not(HasSubstr("layers are mapped alone")));
  EXPECT_TRUE(answer(kSuite)["notes"].empty());
}

constexpr const char* kNetworkSuite =
    "bench:\n  objective: network_edp\n  strategies:\n  - {name: exact, label: apart}\n"
    "  - {name: exact, fuse: true, label: fused}\n  machines: [chain_machine.yaml]\n  workloads: [chain.yaml]\n";

TEST_F(CliBench, ARowOfANetworkIsItsLeastProductFusedOrNot) {
  folder_.write("chain_machine.yaml", testing::kChainMachine);
  folder_.write("chain.yaml", testing::kChain);
  const CliResult shown = bench(kNetworkSuite);
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("objective network_edp"), HasSubstr("not fused"), HasSubstr("bound"),
                               Not(HasSubstr("layers are mapped alone"))));
  const auto rows = answer(kNetworkSuite)["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["layer"], "chain");
  EXPECT_TRUE(rows[0]["unfused_value"].is_null());
  EXPECT_EQ(rows[1]["unfused_value"], rows[0]["value"]);
  EXPECT_LT(rows[1]["value"], rows[0]["value"]);
  EXPECT_EQ(rows[1]["lower_bound"], rows[1]["value"]);
}

TEST_F(CliBench, RefusesByNameWhatNetworksDoNotHave) {
  folder_.write("chain_machine.yaml", testing::kChainMachine);
  folder_.write("chain.yaml", testing::kChain);
  const auto instead = [](const char* what, const char* by) { return with(kNetworkSuite, what, by); };
  EXPECT_THAT(refused(instead("network_edp", "edp")), HasSubstr("objective must be network_edp"));
  EXPECT_THAT(refused(instead("{name: exact, fuse: true", "{name: sunstone, fuse: true")), HasSubstr("must be exact"));
  EXPECT_THAT(refused(instead("fuse: true", "fuse: true, tiles: uneven")), HasSubstr("must be even"));
  EXPECT_THAT(refused(instead("{name: exact, label", "{command: ./mapper, label")), HasSubstr("maps one layer"));
  EXPECT_THAT(refused(instead("{name: exact, label", "{name: random, evaluator: ./simulate, label")),
              HasSubstr("needs energy and cycles"));
  EXPECT_THAT(refused("ablation: {objective: network_edp, machines: [edge_split], workloads: [gemm:4x4x4]}\n"),
              HasSubstr("must be edp"));
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

TEST_F(CliBench, BadSuitesAreRefusedWithTheirLines) {
  for (const char* row : {"{name: sunstone, imperfect: true}", "{command: map, imperfect: true}"})
    EXPECT_THAT(refused(with(kSuite, "sunstone", row)), HasSubstr("imperfect: write factors any"));
  EXPECT_THAT(refused(with(kSuite, "random", "randon")),
              AllOf(HasSubstr("suite.yaml:4"), HasSubstr("did you mean 'random'")));
  EXPECT_THAT(refused(with(kSuite, "machines", "machine")),
              AllOf(HasSubstr("missing key 'machines'"), HasSubstr("unknown key 'machine'")));
  EXPECT_THAT(refused(with(kSuite, "edge_unified", "edge_unfied")),
              AllOf(HasSubstr("did you mean 'edge_unified'"), HasSubstr("suite.yaml:5")));
  EXPECT_THAT(refused(with(kSuite, "gemm:8x8x8", "gem:8x8x8")),
              AllOf(HasSubstr("suite.yaml:6"), HasSubstr("cannot be read")));
  EXPECT_THAT(refused(with(kSuite, "seed: 3", "seed: -3")), HasSubstr("seed = -3, must be an integer from 0"));
  EXPECT_THAT(refused(with(kSuite, "seed: 3", "budget: 0")), HasSubstr("must be seconds above 0"));
  EXPECT_THAT(refused(with(kSuite, "seed: 3", "without: [beams]")), HasSubstr("did you mean 'beam'"));
  EXPECT_THAT(refused(with(kSuite, "seed: 3", "sed: 3")), HasSubstr("did you mean 'seed'"));
  EXPECT_THAT(refused(with(kSuite, ", label: lucky", ", label: sunstone")), HasSubstr("'sunstone' is there already"));
  EXPECT_THAT(refused(with(kSuite, "name: mine", "name: gemm:16x16x16")), HasSubstr("is there already"));
  EXPECT_THAT(refused(std::string(kSuite) + "  objective: speed\n"),
              HasSubstr("energy_per_op, throughput_per_area, network_edp, network_ed2p or network_edap"));
  EXPECT_THAT(refused(std::string(kSuite) + "  repeat: 0\n"), HasSubstr("repeat = 0"));
  EXPECT_THAT(refused("ablation: {machines: [edge_split], workloads: [gemm:4x4x4], budget: 2e5}\n"),
              HasSubstr("budget = 2e5, must be at most 100000 seconds"));
  EXPECT_THAT(refused(std::string(kSuite) + "ablation: {machines: [edge_split], workloads: [gemm:4x4x4]}\n"),
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
  EXPECT_THAT(bench(kSuite, "--csv /nowhere/rows.csv").err, HasSubstr("there is no folder /nowhere"));
}

TEST_F(CliBench, BadTablesOfOthersAreRefusedWithTheirLines) {
  const auto table = [&](const std::string& text) {
    folder_.write("t.csv", text);
    return refused(std::string(kSuite) + "  external: t.csv\n");
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
  EXPECT_THAT(refused(std::string(kSuite) + "  external: absent.csv\n"), HasSubstr("absent.csv"));
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
