#pragma once
// Runs heliolite bench on suites that a test states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"

namespace heliolite::testing {

inline constexpr const char* kBenchSuite = R"(bench:
  strategies:
  - sunstone
  - {name: random, seed: 3, victory: 50, label: lucky}
  machines: [edge_unified]
  workloads: [gemm:16x16x16, {name: mine, workload: "gemm:8x8x8"}]
)";

// Of one test: its folder, and what runs on suites there answer.
class BenchRuns : public ::testing::Test {
 protected:
  TempFolder folder_;

  CliResult bench(const std::string& text, const std::string& options = "") {
    return run_cli("bench " + folder_.write("suite.yaml", text) + " " + options);
  }
  nlohmann::json answer(const std::string& text) {
    const CliResult result = bench(text, "--json - -q");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
  }
  // The complaint.
  std::string refused(const std::string& text) {
    const CliResult result = bench(text);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    for (const char* raw : {"terminate", "what():", "std::", "YAML::"})
      EXPECT_THAT(result.err, ::testing::Not(::testing::HasSubstr(raw)));
    return result.err;
  }
  static std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
};

}  // namespace heliolite::testing
