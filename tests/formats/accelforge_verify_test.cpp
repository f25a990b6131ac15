// Recorded results of AccelForge against our searches, on cases whose least energy is known by hand.
#include "engine/verify/accelforge_verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/cli_runner.h"

namespace heliolite::accelforge_verify_test {
namespace {

using ::testing::HasSubstr;

// A bit that crosses the outermost memory costs 1 J; the buffer has room for everything.
constexpr const char* kCounting = R"(arch:
  nodes:
  - !Memory {name: Main, component_class: Dummy, size: inf, actions: [{name: read, energy: 1}, {name: write, energy: 1}],
             tensors: {keep: ~Intermediates, may_keep: All}}
  - !Memory {name: Buf, component_class: Dummy, size: 1e9, tensors: {keep: All}}
  - !Compute {name: Mult, component_class: Dummy}
)";

constexpr const char* kPair = R"(workload:
  rank_sizes: {M: {{M}}, K: 4, N: 6, P: 2}
  bits_per_value: {All: 8}
  einsums:
  - "T[m, n] = A[m, k] * W[k, n]"
  - "Z[m, p] = T[m, n] * V[n, p]"
)";

TEST(AccelForgeVerify, SaysEqualBelowAndAbove) {
  const TempFolder folder;
  folder.write("machines/counting.yaml", kCounting);
  folder.write("workloads/chains/pair.yaml", kPair);
  // A 32, W 24, T 48, then T 48, V 12, Z 16 words of 8 bits; fused T stays inside.
  folder.write("cases.json", R"json({
    "counting|pair|M=8|unfused": {"energy": 1440, "latency": 0, "actions": {
      "('T', 'Main', 'A', 'read')": 256, "('T', 'Main', 'W', 'read')": 192, "('Z', 'Main', 'Z', 'write')": 127}},
    "counting|pair|M=8|fused": {"energy": 672, "latency": 0},
    "counting|pair|M=4|unfused": {"energy": 10, "latency": 0},
    "counting|pair|M=6|unfused": {"energy": 2000, "latency": 0, "actions": {"('T', 'Main', 'A', 'read')": 192},
      "energy_per_component": {"('T', 'Main', 'read')": 2000, "('T', 'Mult', 'leak')": 0}},
    "counting|pair|M=2|unfused": {"energy": 1e6, "latency": 0},
    "counting|nothing|M=2|unfused": {"energy": 1, "latency": 0}})json");
  EXPECT_TRUE(holds_forge_cases(folder.path("cases.json")));
  ForgeOptions options;
  options.threads = 1;
  const auto all = verify_forge(folder.path("cases.json"), options);
  ASSERT_TRUE(all.ok()) << to_string(all.errors());
  std::map<std::string, const ForgeComparison*> by_id;
  for (const ForgeComparison& one : *all) by_id[one.id] = &one;
  const ForgeComparison& equal = *by_id.at("counting|pair|M=8|unfused");
  EXPECT_EQ(equal.verdict, ForgeVerdict::Equal) << equal.our_energy << to_string(equal.why);
  EXPECT_TRUE(equal.optimal);
  EXPECT_EQ(equal.actions, 3U);
  EXPECT_EQ(equal.equal_actions, 2U);
  EXPECT_TRUE(equal.parts.empty());
  const ForgeComparison& dearer = *by_id.at("counting|pair|M=6|unfused");
  EXPECT_EQ(dearer.verdict, ForgeVerdict::Below);
  ASSERT_EQ(dearer.parts.size(), 1U);
  EXPECT_EQ(dearer.parts[0].component, "Main");
  EXPECT_EQ(dearer.parts[0].energy, 2000);
  EXPECT_DOUBLE_EQ(dearer.parts[0].our_energy, 8 * (24 + 24 + 36 + 36 + 12 + 12));
  const ForgeComparison& fused = *by_id.at("counting|pair|M=8|fused");
  EXPECT_EQ(fused.verdict, ForgeVerdict::Equal) << fused.our_energy << to_string(fused.why);
  EXPECT_EQ(fused.groups, 1U);
  EXPECT_EQ(by_id.at("counting|pair|M=4|unfused")->verdict, ForgeVerdict::Above);
  EXPECT_EQ(by_id.at("counting|pair|M=2|unfused")->verdict, ForgeVerdict::Below);
  EXPECT_EQ(by_id.at("counting|nothing|M=2|unfused")->verdict, ForgeVerdict::Refused);
  EXPECT_THAT(to_string(by_id.at("counting|nothing|M=2|unfused")->why),
              HasSubstr("no file nothing.yaml; looked below"));
  const CliResult shown = run_cli("verify " + folder.path("cases.json") + " --id 'counting|pair|M=8|unfused'");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("2 of 3 recorded counts"));
}

TEST(AccelForgeVerify, RefusesOtherFiles) {
  const TempFolder folder;
  folder.write("a.json", R"({"machine|w||fused": {"energy": "much"}})");
  folder.write("b.json", "[1, 2");
  folder.write("c.json", R"({"x": 1})");
  EXPECT_THAT(to_string(read_forge_cases(folder.path("a.json")).errors()), HasSubstr("must have the numbers 'energy'"));
  EXPECT_THAT(to_string(read_forge_cases(folder.path("b.json")).errors()), HasSubstr("is no JSON object"));
  EXPECT_THAT(to_string(read_forge_cases(folder.path("c.json")).errors()), HasSubstr("must be MACHINE|WORKLOAD"));
  EXPECT_FALSE(holds_forge_cases(folder.path("c.json")));
}

}  // namespace
}  // namespace heliolite::accelforge_verify_test
