// The layers of two networks on every preset machine: each has a proof, or the reason why it has none, and the checker
// accepts it where it is built beside the program.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/formats/load_architecture.h"
#include "tests/support/cli_runner.h"

namespace heliolite::proof_certificate_long_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class EveryMachine : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryMachine, ItsLayersAreProven) {
  const TempFolder folder;
  for (const char* network : {"resnet18", "mobilenet_v2"}) {
    const std::string target = folder.path(network), answer = folder.path("answer.json");
    const CliResult run = run_cli("map -a " + GetParam() + " -w " + network + " --no-look -q --budget 20 --json " +
                                  answer + " --proof " + target);
    ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 1) << run.err;
    for (const json& layer : json::parse(read_text(answer))["layers"]) {
      if (layer["status"] == "infeasible") continue;
      EXPECT_FALSE(layer["proof"].contains("refused")) << layer["name"] << layer["proof"];
    }
    for (const fs::directory_entry& file : fs::directory_iterator(target)) {
      const CliResult checked = run_cli("check-proof " + file.path().string());
      if (checked.err.find("is neither beside") != std::string::npos) GTEST_SKIP() << "the checker is not built";
      EXPECT_EQ(checked.exit_code, 0) << checked.out;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, EveryMachine, ::testing::ValuesIn(architecture_preset_names()));

}  // namespace
}  // namespace heliolite::proof_certificate_long_test
