// The layers of two networks on every preset machine: each has a proof, or the reason why it has none, and the checker
// accepts it where it is built beside the program.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "engine/formats/load_architecture.h"
#include "tests/support/cli_runner.h"

namespace heliolite::proof_certificate_long_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A machine and a network.
class EveryPair : public ::testing::TestWithParam<std::tuple<std::string, const char*>> {};

TEST_P(EveryPair, ItsLayersAreProven) {
  const auto& [machine, network] = GetParam();
  const TempFolder folder;
  const std::string target = folder.path("proofs"), answer = folder.path("answer.json");
  const CliResult run = run_cli("map -a " + machine + " -w " + network + " --no-look -q --budget 30 --json " + answer +
                                " --proof " + target);
  ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 1) << run.err;
  for (const json& layer : json::parse(read_text(answer))["layers"]) {
    if (layer["status"] == "infeasible") continue;
    EXPECT_FALSE(layer["proof"].contains("refused")) << layer["name"] << layer["proof"];
    if (layer["proof"].contains("cycles")) {
      EXPECT_EQ(layer["proof"]["cycles"], layer["cycles"]) << layer["name"];
    }
  }
  for (const fs::directory_entry& file : fs::directory_iterator(target)) {
    const CliResult checked = run_cli("check-proof " + file.path().string());
    EXPECT_EQ(checked.exit_code, 0) << checked.out;
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, EveryPair,
                         ::testing::Combine(::testing::ValuesIn(architecture_preset_names()),
                                            ::testing::Values("resnet18", "mobilenet_v2")),
                         [](const auto& pair) { return std::get<0>(pair.param) + "_" + std::get<1>(pair.param); });

}  // namespace
}  // namespace heliolite::proof_certificate_long_test
