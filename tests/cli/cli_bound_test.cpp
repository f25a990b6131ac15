// heliolite bound --kind orojenesis, end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_bound_test {
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
  EXPECT_EQ(a["curve"].front(), (json{{"buffer_words", 0}, {"accesses", 1044480}, {"by", "orojenesis"}}));
  EXPECT_EQ(a["bounds"][0]["words"], 69632);
  EXPECT_EQ(a["bounds"][0]["capacity_words"], 100);
  const CliResult text = run_cli("bound -w gemm:64x64x64 --kind orojenesis");
  EXPECT_THAT(text.out, AllOf(HasSubstr("maximal effectual buffer  4,224"), HasSubstr("M8 N8")));
}

// Executions move 48 words with 24 inside; Timeloop counts 66, which is therefore not called a bound anywhere.
TEST(CliBound, SaysWhoseCountsTheyAre) {
  const std::string strided = "-w \"o[k,p] += x[c,2*p+2*r]*w[k,c,r]; k=2,p=8,c=2,r=3\" -k orojenesis --buffer 24";
  const json bound = answer(strided), counts = answer(strided + " --counts timeloop");
  EXPECT_EQ(bound["bounds"][0]["kind"], "orojenesis");
  EXPECT_EQ(bound["bounds"][0]["words"], 48);
  EXPECT_EQ(bound["counts"], "distinct");
  EXPECT_EQ(counts["counts"], "timeloop");
  EXPECT_TRUE(counts["bounds"].empty());
  EXPECT_EQ(bound["minimum"], 48);
  EXPECT_EQ(counts["minimum"], 48);
  EXPECT_THAT(run_cli("bound " + strided + " --counts timeloop").out, HasSubstr("Timeloop's counts"));
  EXPECT_THAT(run_cli("bound " + strided + " --counts timeloop --svg -").out, HasSubstr(">Timeloop's counts<"));
  EXPECT_THAT(complaint(strided + " --counts timelop"), HasSubstr("did you mean 'timeloop'?"));
  EXPECT_THAT(complaint(strided + " --counts timeloop --nested"), HasSubstr("leave out"));
}

// Where tensors slide the curve of mappings is far below what holds for every schedule.
TEST(CliBound, DrawsTheLargestOfAllBounds) {
  const std::string layer = "-w conv:n=1,k=32,c=16,p=14,r=3,stride=2 ";
  const json curve = answer(layer + "--kind orojenesis --buffer 200,1000,20000");
  for (const json& bound : curve["bounds"]) {
    // As many words inside as the buffer and the operands of the unit.
    const u_int64_t buffer = bound["capacity_words"].get<u_int64_t>();
    const json all = answer(layer + "--buffer " + std::to_string(buffer + 3))["bounds"];
    u_int64_t most = 0;
    for (const json& one : all)
      if (one["kind"] != "nested") most = std::max(most, one["words"].get<u_int64_t>());
    EXPECT_GE(bound["words"], most) << buffer;
    EXPECT_GE(bound["best_tiling"], bound["words"]) << buffer;
  }
  EXPECT_NE(curve["bounds"][0]["by"], "orojenesis");
  // The curve holds between its points: each is as low as the bound just before the next.
  u_int64_t last = ~u_int64_t{0};
  bool schedules = false;
  for (const json& point : curve["curve"]) {
    EXPECT_LT(point["accesses"], last);
    last = point["accesses"];
    schedules = schedules || point["by"] == "hbl" || point["by"] == "iolb" || point["by"] == "conv";
  }
  EXPECT_TRUE(schedules);
  EXPECT_EQ(last, curve["minimum"]);
  EXPECT_FALSE(curve["best_tilings"].empty());
  EXPECT_THAT(run_cli("bound " + layer + "--svg - -q").out,
              AllOf(HasSubstr("bound: "), HasSubstr("best tiling known")));
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
  EXPECT_THAT(csv.out, StartsWith("buffer_words,accesses,by,best_tiling\n0,1984,orojenesis,\n1,1088,orojenesis,"));
  EXPECT_THAT(read_text(svg), AllOf(StartsWith("<svg"), HasSubstr("algorithmic minimum"), HasSubstr("</svg>")));
}

TEST(CliBound, FusesNetworks) {
  const json a = answer("-w gpt3_6.7b_block@batch=16 --fuse --buffer 320000000");
  EXPECT_EQ(a["curve"][0]["accesses"], 1409286144);
  EXPECT_EQ(a["curve"][0]["unfused"], 7583301632);
  EXPECT_EQ(a["curve"][0]["segments"].size(), 3);
  EXPECT_EQ(a["curve"][0]["segments"][2]["layers"].size(), 6);
  ASSERT_EQ(a["not_fused"].size(), 2);  // what feeds keys and values
  EXPECT_EQ(a["not_fused"][0]["because"], "into weights");
  EXPECT_THAT(run_cli("bound -w llama3_8b_block --fuse --buffer 1000000").err,
              HasSubstr("attention to B of gate (read by several layers)"));
}

// The bound on any schedule stands beside what these schedules reach; a plain number is words, a unit bytes.
TEST(CliBound, ShowsTheBoundBesideFusedSchedules) {
  const std::string pair = "-w " HELIOLITE_TEST_DATA "/../configs/orojenesis/feed_forward.yaml --fuse ";
  const json a = answer(pair + "--buffer 30000000,60MiB --word-size 2");
  ASSERT_EQ(a["bounds"].size(), 2);
  EXPECT_EQ(a["bounds"][0]["capacity_words"], 30000000);
  EXPECT_EQ(a["bounds"][1]["capacity_words"], 30 << 20);
  EXPECT_EQ(a["minimum"], 402653184);  // both weights, first operand, last output
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(a["bounds"][i]["kind"], "iolb");
    EXPECT_LE(a["bounds"][i]["words"], a["curve"][i]["accesses"]);
    EXPECT_LE(a["minimum"], a["bounds"][i]["words"]);
  }
  EXPECT_LE(a["curve"][0]["accesses"], 1'476'000'000);
  EXPECT_EQ(a["curve"][0]["segments"][0]["weights_partly"]["layer"], "mm_0");
  const CliResult text = run_cli("bound " + pair + "--buffer 1GiB --word-size 2 --wide");
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("least over these schedules"), HasSubstr("any schedule >="), HasSubstr("1 GiB")));
}

// Capacities asked for are lines across; the staircases stay whole.
TEST(CliBound, DrawsTheWholeFusedCurve) {
  const std::string network = "bound -w inverted_bottleneck --fuse --svg - ";
  const auto steps = [](const std::string& svg) { return std::ranges::count(svg, 'V'); };
  const std::string all = run_cli(network).out, asked = run_cli(network + "--buffer 1000,4KiB --word-size 2").out;
  EXPECT_THAT(asked, AllOf(HasSubstr(">1.953 KiB<"), HasSubstr(">4 KiB<"), HasSubstr("bound on any schedule")));
  EXPECT_EQ(steps(all), steps(asked));
}

// No label of a picture touches another or leaves the picture, estimated with characters of half their height.
TEST(CliBound, KeepsLabelsApart) {
  struct Label {
    double left, right, base;
    std::string words;
  };
  for (const std::string machine : {"eyeriss", "simba"}) {
    const std::string svg = run_cli("bound -w resnet18 --layer conv2_x --map --svg - -a " + machine).out;
    const std::regex text("<text x=\"([0-9.]+)\" y=\"([0-9.]+)\" font-size=\"11\"[^>]*>([^<]*)<");
    std::vector<Label> labels;
    for (std::sregex_iterator at(svg.begin(), svg.end(), text), end; at != end; ++at) {
      const double left = std::stod((*at)[1]), base = std::stod((*at)[2]);
      const Label label{left, left + 5.5 * static_cast<double>((*at)[3].length()), base, (*at)[3]};
      EXPECT_LE(label.right, 760) << label.words;
      for (const Label& other : labels)
        EXPECT_TRUE(label.left >= other.right || other.left >= label.right || std::abs(label.base - other.base) >= 11)
            << label.words << " and " << other.words;
      labels.push_back(label);
    }
    EXPECT_GE(labels.size(), 9u);  // levels, the mapping at them, the minimum
  }
}

TEST(CliBound, RunsExperiments) {
  const json a = answer("--experiment " HELIOLITE_TEST_DATA "/../configs/orojenesis/fig11.yaml");
  ASSERT_EQ(a["rows"].size(), 10);
  for (const json& row : a["rows"]) EXPECT_TRUE(row["holds"]);
  for (const std::string figure : {"fig18", "fig20", "fig21", "fig23"}) {
    const json b = answer("--experiment " HELIOLITE_TEST_DATA "/../configs/orojenesis/" + figure + ".yaml");
    for (const json& row : b["rows"]) EXPECT_EQ(row["paper"].is_null(), row["within"].is_null()) << row;
  }
  const TempFolder folder;
  const auto one = [&](const std::string& row) { return folder.write("x.yaml", "rows:\n- {" + row + "}\n"); };
  const std::string wrong = one("what: x, workload: \"gemm:8x8x8\", measure: minimum, paper: 100, within: 0.1");
  EXPECT_EQ(run_cli("bound --experiment " + wrong).exit_code, 1);
  const std::string minimum = "what: x, workload: \"gemm:8x8x8\", measure: minimum, paper: 192";
  EXPECT_THAT(complaint("--experiment " + one(minimum)), HasSubstr("'within'"));
  EXPECT_THAT(complaint("--experiment " + one(minimum + ", within: 0, because: why")), HasSubstr("'ours'"));
  EXPECT_THAT(complaint("--experiment " + one(minimum + ", within: 0, to: 1")), HasSubstr("'to' must be above"));
  const auto verdict = [&](const std::string& more) {
    return answer("--experiment " +
                  one("what: x, workload: \"gemm:8x8x8\", measure: minimum, " + more))["rows"][0]["verdict"];
  };
  EXPECT_EQ(verdict("paper: 200, within: 0, ours: 192, because: why"), "differs");
  EXPECT_EQ(verdict("paper: 100, to: 200, within: 0"), "same");
  EXPECT_EQ(verdict("paper: 200, within: 0, less_is_better: true"), "better");
  EXPECT_EQ(run_cli("bound --experiment " + one("what: x, workload: \"gemm:8x8x8\", measure: minimum, paper: 200, "
                                                "within: 0, ours: 191, because: why"))
                .exit_code,
            1);
  const std::string sized = folder.write("y.yaml",
                                         "word_size: 2\nrows:\n- {what: x, workload: \"gemm:8x8x8\", "
                                         "measure: accesses, at: 1 KiB}\n");
  EXPECT_EQ(answer("--experiment " + sized)["rows"][0]["at"], 512);
  EXPECT_THAT(complaint("--buffer 8 --experiment " + wrong), HasSubstr("--buffer: does not go with --experiment"));
  EXPECT_THAT(complaint("--experiment " + one("what: x, workload: \"gemm:8x8x8\", measure: minimun")),
              HasSubstr("did you mean 'minimum'?"));
  EXPECT_THAT(complaint("--experiment " + one("what: x, workload: \"gemm:8x8x8\", measure: gap0")), HasSubstr("at"));
  EXPECT_THAT(complaint("--experiment " + one("what: x, workload: resnet18, measure: gap1")),
              AllOf(HasSubstr("x.yaml:2"), HasSubstr("one layer")));
  EXPECT_THAT(complaint("--experiment " + one("what: x, workload: absent.yaml, measure: minimum")),
              AllOf(HasSubstr("x.yaml:2: rows[0].workload"), HasSubstr("workload 'absent.yaml' cannot be read")));
  folder.write("beside.yaml", "gemm: 8x8x8\n");
  const json beside = answer("--experiment " + one("what: x, workload: beside.yaml, measure: minimum"));
  EXPECT_EQ(beside["rows"][0]["ours"], 192);
}

// Formulas of the papers on communication: every number that they print, and those that can be computed from them.
TEST(CliBound, RunsExperimentsOfThePapersOnCommunication) {
  for (const std::string figure :
       {"fig4_12", "table3_2", "th_fig4_3_2_gemmini", "th_orders", "th_sketch", "th_theorem15"}) {
    const json a = answer("--experiment " HELIOLITE_TEST_DATA "/../configs/bounds/" + figure + ".yaml");
    for (const json& row : a["rows"]) EXPECT_TRUE(row["holds"]) << figure << ": " << row;
  }
  const TempFolder folder;
  const auto one = [&](const std::string& row) {
    return "--experiment " + folder.write("x.yaml", "rows:\n- {what: x, " + row + "}\n");
  };
  const std::string gemm = "workload: \"gemm:8x8x8\", ";
  EXPECT_EQ(answer(one(gemm + "measure: two_levels, memories: [16, 64]"))["rows"][0]["at"], nullptr);
  EXPECT_THAT(complaint(one(gemm + "measure: two_levels")), HasSubstr("needs 'memories'"));
  EXPECT_THAT(complaint(one(gemm + "measure: two_levels, memories: [64, 16]")),
              HasSubstr("the innermost and smallest"));
  EXPECT_THAT(complaint(one(gemm + "measure: bound, at: 9, processors: 4")),
              HasSubstr("'processors' does not go with measure bound"));
  EXPECT_THAT(complaint(one(gemm + "measure: bound, at: 9, word_sizes: {Q: 2}")), HasSubstr("Q"));
  EXPECT_THAT(complaint(one(gemm + "measure: bound, at: 0")), HasSubstr("at least 1"));
  EXPECT_THAT(complaint(one(gemm + "measure: tiling, at: 1")),
              AllOf(HasSubstr("x.yaml:2: rows[0]"), HasSubstr("do not fit")));
  EXPECT_THAT(complaint(one(gemm + "measure: integer_volume, at: 64")), HasSubstr("no convolution of two windows"));
  EXPECT_THAT(complaint(one(gemm + "measure: sketch_executed, at: 2")), HasSubstr("three words"));
  EXPECT_THAT(complaint(one("workload: mttkrp/poisson, measure: order, at: 64")), HasSubstr("no convolution"));
}

TEST(CliBound, ExplainsBadOptions) {
  EXPECT_THAT(complaint("-w gemm:8x8x8 --kind orojenesi"), HasSubstr("did you mean 'orojenesis'?"));
  EXPECT_THAT(complaint("-k orojenesis -w gemm:8x8x8 --word-size Q=2"), HasSubstr("unknown tensor 'Q'"));
  EXPECT_THAT(complaint("-k orojenesis -w gemm:8x8x8 --word-size A=x"), HasSubstr("must be TENSOR=BYTES"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --buffer 8kb,5.5"), HasSubstr("'5.5' must be a whole number of words or bytes"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --buffer 8XB"), HasSubstr("of 1024"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --word-size 0"), HasSubstr("from 0.125 to 64"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --word-size 2,A=2"), HasSubstr("not both"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --whole-weights"), HasSubstr("--fuse"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --partial-sums twice"), HasSubstr("unknown name 'twice'"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --map"), HasSubstr("needs a machine"));
  EXPECT_THAT(complaint("-w resnet18 --svg -"), HasSubstr("--layer"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --fuse --nested"), HasSubstr("leave out"));
  EXPECT_THAT(complaint("-w bert_base_block --fuse --softmax none"), HasSubstr("known: incremental and whole"));
  EXPECT_THAT(complaint("-w nothing"), HasSubstr("no such workload"));
}

}  // namespace
}  // namespace heliolite::cli_bound_test
