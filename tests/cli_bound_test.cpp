// heliolite bound --kind orojenesis, end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli_runner.h"

namespace heliolite {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

json answer(const std::string& arguments) {
  const CliResult result = run_cli("bound " + arguments + " --json -");
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  json parsed = json::parse(result.out, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << result.out;
  return parsed;
}

std::string complaint(const std::string& arguments) {
  const CliResult result = run_cli("bound " + arguments);
  EXPECT_EQ(result.exit_code, 2) << arguments;
  EXPECT_EQ(result.out, "");
  return result.err;
}

TEST(CliBound, GivesTheCurveOfALayer) {
  const json a = answer("-w gemm:64x64x64 --kind orojenesis --buffer 100");
  EXPECT_EQ(a["minimum"], 12288);
  EXPECT_EQ(a["curve"].front(), (json{{"buffer_words", 0}, {"accesses", 1044480}}));
  EXPECT_EQ(a["bounds"][0]["words"], 69632);
  EXPECT_EQ(a["bounds"][0]["capacity_words"], 100);
  const CliResult text = run_cli("bound -w gemm:64x64x64 --kind orojenesis");
  EXPECT_THAT(text.out, AllOf(HasSubstr("maximal effectual buffer  4,224"), HasSubstr("M8 N8")));
}

TEST(CliBound, ComparesAMachineAndItsMapping) {
  const json a = answer("-w gemm:64x64x64 -a eyeriss --map");
  ASSERT_EQ(a["bounds"].size(), 4);
  for (const json& bound : a["bounds"]) {
    EXPECT_GE(bound["mapping"]["words"], bound["mapping"]["least_for_words_held"]);
    EXPECT_GE(bound["mapping"]["least_for_words_held"], bound["words"]);
  }
}

TEST(CliBound, WritesTheCurve) {
  const TempFolder folder;
  const std::string svg = folder.path("curve.svg");
  const CliResult csv = run_cli("bound -w gemm:8x8x8 --csv - --svg " + svg);
  EXPECT_THAT(csv.out, StartsWith("buffer_words,accesses\n0,1984\n1,1088\n"));
  EXPECT_THAT(read_text(svg), AllOf(StartsWith("<svg"), HasSubstr("algorithmic minimum"), HasSubstr("</svg>")));
}

TEST(CliBound, FusesNetworks) {
  const json a = answer("-w gpt3_6.7b_block@batch=16 --fuse --buffer 320000000");
  EXPECT_EQ(a["curve"][0]["accesses"], 1275068416);
  EXPECT_EQ(a["curve"][0]["unfused"], 7449083904);
  EXPECT_EQ(a["curve"][0]["segments"].size(), 3);
  EXPECT_EQ(a["curve"][0]["segments"][2]["layers"].size(), 6);
}

TEST(CliBound, RunsExperiments) {
  const json a = answer("--experiment " HELIOLITE_TEST_DATA "/../configs/orojenesis/fig11.yaml");
  ASSERT_EQ(a["rows"].size(), 10);
  for (const json& row : a["rows"]) EXPECT_TRUE(row["holds"]);
  const TempFolder folder;
  const auto one = [&](const std::string& row) { return folder.write("x.yaml", "rows:\n- {" + row + "}\n"); };
  const std::string wrong = one("what: x, workload: \"gemm:8x8x8\", measure: minimum, paper: 100, within: 0.1");
  EXPECT_EQ(run_cli("bound --experiment " + wrong).exit_code, 1);
  EXPECT_THAT(complaint("--experiment " + one("what: x, workload: \"gemm:8x8x8\", measure: minimun")),
              HasSubstr("did you mean 'minimum'?"));
  EXPECT_THAT(complaint("--experiment " + one("what: x, workload: \"gemm:8x8x8\", measure: gap0")), HasSubstr("at"));
  EXPECT_THAT(complaint("--experiment " + one("what: x, workload: resnet18, measure: gap1")), HasSubstr("one layer"));
}

TEST(CliBound, ExplainsBadOptions) {
  EXPECT_THAT(complaint("-w gemm:8x8x8 --kind orojenesi"), HasSubstr("did you mean 'orojenesis'?"));
  EXPECT_THAT(complaint("-k orojenesis -w gemm:8x8x8 --word-size Q=2"), HasSubstr("unknown tensor 'Q'"));
  EXPECT_THAT(complaint("-k orojenesis -w gemm:8x8x8 --word-size A=x"), HasSubstr("must be TENSOR=BYTES"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --partial-sums twice"), HasSubstr("unknown name 'twice'"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --map"), HasSubstr("needs a machine"));
  EXPECT_THAT(complaint("-w resnet18 --csv -"), HasSubstr("--layer"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --fuse --nested"), HasSubstr("leave out"));
  EXPECT_THAT(complaint("-w bert_base_block --fuse --softmax none"), HasSubstr("known: incremental and whole"));
  EXPECT_THAT(complaint("-w nothing"), HasSubstr("no such workload"));
}

}  // namespace
}  // namespace heliolite
