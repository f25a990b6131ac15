// Random mappings, pruned tiles and chips through the command line: against the optimum, against the curves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_sample_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kChip = "area_mm2=100,mac_um2=332.25,word_um2=2.59,hertz=700e6,words_per_second=1e9";

json answer(const std::string& question) {
  const auto result = run_cli(question + " --json -");
  EXPECT_EQ(result.exit_code, 0) << question << ": " << result.err;
  return json::parse(result.out);
}

std::string complaint(const std::string& question) {
  const auto result = run_cli(question);
  EXPECT_EQ(result.exit_code, 2) << question;
  return result.err;
}

TEST(CliSample, NoMappingIsBelowTheOptimum) {
  const std::string question = "space -a edge_unified -w conv:k=16,c=16,p=14,r=3 --sample 400";
  const json a = answer(question), again = answer(question + " --threads 2");
  EXPECT_EQ(a["legal"], 400);
  EXPECT_TRUE(a["complete"]);
  EXPECT_TRUE(a["proven"]);
  EXPECT_GE(a["quantiles"][0]["value"].get<double>(), a["best"].get<double>() * (1 - 1e-9));
  int counted = 0;
  for (const json& bin : a["histogram"]) counted += bin["mappings"].get<int>();
  EXPECT_EQ(counted, 400);
  for (const char* key : {"drawn", "quantiles", "histogram", "within"}) EXPECT_EQ(a[key], again[key]) << key;
  EXPECT_NE(a["quantiles"], answer(question + " --seed 2")["quantiles"]);
  const std::string svg = run_cli(question + " --svg -").out;
  EXPECT_THAT(svg, HasSubstr("proven optimum"));
  EXPECT_THAT(run_cli(question + " --csv -").out, HasSubstr("from,to,mappings\n"));
  EXPECT_THAT(complaint("space -a edge_unified -w resnet18 --sample 9"), HasSubstr("--layer"));
  EXPECT_THAT(complaint(question + " --objective edpp"), HasSubstr("edpp"));
  EXPECT_THAT(complaint(question + " --pruned"), HasSubstr("different questions"));
  EXPECT_THAT(complaint("space -a edge_unified -w gemm:8x8x8 --svg -"), HasSubstr("--sample"));
}

TEST(CliSample, CountsWhatTheRulesLeaveOut) {
  const json a = answer("space -a edge_unified -w conv:k=16,c=16,p=14,r=3 --pruned");
  bool unrollings = false, tiles = false;
  for (const json& row : a["layers"][0]["rules"]) {
    unrollings = unrollings || row["what"] == "unrollings below";
    tiles = tiles || row["what"] == "tiles";
    EXPECT_GT(row["kept"], 0) << row;
    EXPECT_LT(row["kept"], row["all"]) << row;
  }
  EXPECT_TRUE(unrollings && tiles);
  // The published toy: four tiles are kept.
  EXPECT_EQ(answer("space -a eyeriss -w conv:c=4,p=14,k=4,r=3 --pruned")["layers"][0]["name"], "conv");
}

// Every mapping drawn lies on or above the curve.
TEST(CliSample, CloudsLieAboveTheCurve) {
  const json a = answer("bound -w gemm:64x64x64 -a simba --sample 200");
  EXPECT_EQ(a["sample"]["points"].size(), 200u);
  EXPECT_GE(a["sample"]["least_distance"].get<double>(), 1);
  EXPECT_THAT(run_cli("bound -w gemm:64x64x64 -a simba --sample 20 --svg -").out, HasSubstr("#b9770e"));
  EXPECT_THAT(complaint("bound -w gemm:64x64x64 --sample 20"), HasSubstr("-a"));
  EXPECT_THAT(complaint("bound -w gemm:64x64x64 -a simba --sample 20 --imperfect"), HasSubstr("--imperfect"));
}

TEST(CliSample, DividesChips) {
  const std::string chip = std::string(" --chip ") + kChip;
  const json one = answer("bound -w gemm:1024x1024x1024" + chip);
  ASSERT_EQ(one["curves"].size(), 1u);
  const json network = answer("bound -w bert_base_block" + chip);
  ASSERT_EQ(network["curves"].size(), 3u);
  const auto best = [&](int curve) { return network["curves"][curve]["best"]["macs_per_second"].get<double>(); };
  EXPECT_GE(best(1), best(0));
  EXPECT_GE(best(1), best(2));
  for (const json& curve : network["curves"])
    for (const json& p : curve["points"]) {
      EXPECT_LE(p["macs_per_second"], curve["best"]["macs_per_second"]);
      EXPECT_NEAR(p["units"].get<double>(), (1 - p["share"].get<double>()) * 100e6 / 332.25, 1);
    }
  EXPECT_THAT(run_cli("bound -w bert_base_block --svg -" + chip).out, HasSubstr("fused, untiled: best at"));
  EXPECT_THAT(run_cli("bound -w bert_base_block --csv -" + chip).out, HasSubstr("curve,buffer_words,share"));
  EXPECT_THAT(complaint("bound -w gemm:8x8x8 --chip area_mm2=1,mac_um2=1"), HasSubstr("word_um2"));
  EXPECT_THAT(complaint("bound -w gemm:8x8x8 --chip area=1,mac_um2=1"), HasSubstr("word_um2"));
  EXPECT_THAT(complaint("bound -w gemm:8x8x8 --chip area=1,area_mm2=1"), HasSubstr("are the same"));
  EXPECT_THAT(complaint("bound -w gemm:8x8x8 --chip mac_um2=1"), HasSubstr("area_mm2"));
  EXPECT_THAT(complaint("bound -w gemm:8x8x8 --chip nofile.yaml"), HasSubstr("nofile.yaml"));
  EXPECT_THAT(complaint("bound -w gemm:8x8x8 --fuse" + chip), HasSubstr("--fuse: does not go with --chip"));
}

}  // namespace
}  // namespace heliolite::cli_sample_test
