// heliolite bench on whole networks: rows of a network's own objective, and their proofs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/bench_runs.h"
#include "tests/support/cli_runner.h"
#include "tests/support/small_chain.h"

namespace heliolite::cli_bench_networks_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kBenchSuite;
using ::testing::Not;

class CliBenchNetworks : public testing::BenchRuns {};

TEST_F(CliBenchNetworks, ProvenRowsOfNetworksHaveProofsOfTheWhole) {
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

TEST_F(CliBenchNetworks, ASuiteWithANetworkSaysOnceThatItsLayersAreMappedAlone) {
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
  EXPECT_THAT(bench(kBenchSuite).out, Not(HasSubstr("layers are mapped alone")));
  EXPECT_TRUE(answer(kBenchSuite)["notes"].empty());
}

constexpr const char* kNetworkSuite =
    "bench:\n  objective: network_edp\n  strategies:\n  - {name: exact, label: apart}\n"
    "  - {name: exact, fuse: true, label: fused}\n  machines: [chain_machine.yaml]\n  workloads: [chain.yaml]\n";

TEST_F(CliBenchNetworks, ARowOfANetworkIsItsLeastProductFusedOrNot) {
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

TEST_F(CliBenchNetworks, RefusesByNameWhatNetworksDoNotHave) {
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

}  // namespace
}  // namespace heliolite::cli_bench_networks_test
