// heliolite simulate and emit, end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_execute_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kTiles = "-w gemm:62x62x31 --tile M=31,N=31,K=1 --loops M,N,K --points M,N ";

TEST(CliExecute, SimulatesCachesBesideModelAndBound) {
  const CliResult result =
      run_cli("simulate " + kTiles + "--cache 1055,1024 --loads --outputs-read --policy lru,opt,scratchpad --json -");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json caches = json::parse(result.out)["nests"][0]["caches"];
  // A and B pass for two columns and rows of tiles, Z once.
  EXPECT_EQ(caches[0]["words"], 1024);
  EXPECT_EQ(caches[0]["model"], 2 * 62 * 31 + 2 * 62 * 31 + 62 * 62);
  EXPECT_EQ(caches[0]["policies"][2]["words"], caches[0]["model"]);
  EXPECT_GT(caches[0]["policies"][0]["words"], 5 * caches[0]["model"].get<u_int64_t>());
  EXPECT_EQ(caches[1]["policies"][0]["words"], caches[1]["model"]);
  for (const json& cache : caches) EXPECT_LE(cache["bound"], cache["policies"][1]["words"]);
}

// A scalar is a tensor of one word, whoever asks.
TEST(CliExecute, ScalarOutputsAreOneWord) {
  const TempFolder folder;
  const std::string dot = "-w 'o[] += a[i]*b[i]; i=48' ", padded = "-w 'o[j] += a[i]*b[i]; i=48,j=1' ";
  const auto json_of = [](const std::string& arguments) {
    const CliResult result = run_cli(arguments + " --json - -q");
    EXPECT_EQ(result.exit_code, 0) << arguments << result.err;
    return json::parse(result.out);
  };
  for (const std::string strategy : {"exact", "sunstone", "annealing"}) {
    const std::string map = "map -a eyeriss --no-look --evaluations 500 --strategy " + strategy + " ";
    EXPECT_EQ(json_of(map + dot)["layers"][0]["energy_pj"], json_of(map + padded)["layers"][0]["energy_pj"]);
  }
  EXPECT_EQ(json_of("simulate --cache 8 " + dot)["nests"][0]["caches"],
            json_of("simulate --cache 8 " + padded)["nests"][0]["caches"]);
  EXPECT_EQ(json_of("bound --buffer 8 " + dot)["bounds"][0]["words"], 2 * 48 + 1);
  const std::string source = folder.path("dot.c"), program = folder.path("dot");
  ASSERT_EQ(run_cli("emit --cache 8 " + dot + "-o " + source).exit_code, 0);
  EXPECT_EQ(
      std::system(("cc -std=c99 -Wall -Wextra -Werror " + source + " -o " + program + " && " + program + " >/dev/null")
                      .c_str()),
      0);
}

// The boxes of a nest without tiles are whole tensors.
TEST(CliExecute, ScratchpadsHoldTheirBoxesOrSaySo) {
  for (const std::string tiles : {"--tiling none", "--tile M=8,N=8,K=8 --loops M,N,K"}) {
    const CliResult result =
        run_cli("simulate -w gemm:8x8x8 --cache 16,192 --policy opt,scratchpad " + tiles + " --json -");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json caches = json::parse(result.out)["nests"][0]["caches"];
    EXPECT_TRUE(caches[0]["policies"][1]["words"].is_null()) << tiles;
    EXPECT_GE(caches[0]["policies"][0]["words"], caches[0]["bound"]);
    EXPECT_EQ(caches[1]["policies"][1]["words"], 192) << tiles;
  }
  EXPECT_THAT(run_cli("simulate -w gemm:8x8x8 --cache 16 --policy scratchpad --tiling none").out,
              HasSubstr("does not fit"));
}

TEST(CliExecute, ReadsTilesFromAFile) {
  const TempFolder folder;
  const std::string file = folder.write("tiles.yaml",
                                        "tiling:\n  caches:\n    - {tile: {M: 4, N: 4, K: 1}, loops: [M, N, K]}\n"
                                        "    - {tile: {M: 8, N: 16}, loops: [N, M]}\n  points: [N, M]\n");
  const CliResult result = run_cli("simulate -w gemm:16x16x16 --cache 64,512 --tiling " + file);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("M:8 M:4 N:4 K N M"));
  const std::string wrong =
      folder.write("wrong.yaml", "tiling:\n  caches:\n    - tile: {M: 40, L: 1}\n      loop: [M]\n  points: [M, M]\n");
  const CliResult refused = run_cli("simulate -w gemm:16x16x16 --cache 64 --tiling " + wrong);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("wrong.yaml:3: tiling.caches[0].tile.M: the tile's extent along M must be a whole "
                                     "number from 1 to 16"));
  EXPECT_THAT(refused.err, HasSubstr("unknown dimension 'L'"));
  EXPECT_THAT(refused.err, HasSubstr("loop"));
  EXPECT_THAT(refused.err, HasSubstr("dimension 'M' twice"));
}

TEST(CliExecute, MappingsRunAndBecomePrograms) {
  const TempFolder folder;
  const std::string best = folder.path("best.json"), of = "-a eyeriss -w gemm:16x24x20 ";
  ASSERT_EQ(run_cli("map " + of + "--json " + best + " --no-look").exit_code, 0);
  const CliResult result = run_cli("simulate " + of + "-m " + best + " --json -");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json levels = json::parse(result.out)["levels"];
  EXPECT_FALSE(levels.empty());
  for (const json& level : levels) {
    EXPECT_EQ(level["model_is_exact"], true);
    EXPECT_EQ(level["fills"], level["model_fills"]) << level;
  }
  const std::string source = folder.path("gemm.c"), binary = folder.path("gemm");
  ASSERT_EQ(run_cli("emit " + of + "-m " + best + " --openmp -o " + source).exit_code, 0);
  EXPECT_THAT(read_text(source), HasSubstr("#pragma omp parallel for"));
  const std::string compile = "cc -O1 -fopenmp -std=c99 -Wall -Wextra -Werror " + source + " -o " + binary;
  ASSERT_EQ(std::system((compile + " && " + binary + " > /dev/null").c_str()), 0) << read_text(source);
}

TEST(CliExecute, ProgramsRunInTheOrderOfTheirText) {
  const std::string kernel = " -w " HELIOLITE_TEST_DATA "/../configs/polybench/gemm.c --param NI=12,NJ=12,NK=12 ";
  const CliResult result = run_cli("simulate" + kernel + "--cache 16,64,4096 --policy lru,opt,fifo --json -");
  if (result.err.find("built without isl") != std::string::npos) GTEST_SKIP() << "no isl here";
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json answer = json::parse(result.out);
  EXPECT_EQ(answer["instances"], 12 * 12 + 12 * 12 * 12);
  for (std::size_t c = 0; c < 9; c += 3) {
    const json& caches = answer["caches"];
    EXPECT_LE(caches[c]["bound"], caches[c + 1]["loads"]);
    EXPECT_LE(caches[c + 1]["loads"], caches[c]["loads"]);
    EXPECT_LE(caches[c + 1]["loads"], caches[c + 2]["loads"]);
  }
  // Everything fits: every input once, alpha and beta among them, and the outputs once back.
  EXPECT_EQ(answer["caches"][6]["loads"], 3 * 144 + 2);
  EXPECT_EQ(answer["caches"][6]["stores"], 144);
  EXPECT_EQ(run_cli("simulate" + kernel + "--cache 64 --policy scratchpad").exit_code, 2);
  EXPECT_EQ(run_cli("simulate" + kernel + "--cache 64 --tile NI=4").exit_code, 2);
  EXPECT_THAT(run_cli("simulate" + kernel + "--cache 3").err, HasSubstr("one iteration needs 5"));
  EXPECT_THAT(run_cli("simulate -w gemm:8x8x8 --param N=4 --cache 64").err, HasSubstr("C programs"));
}

TEST(CliExecute, TilesForLru) {
  const CliResult result =
      run_cli("simulate -w gemm:62x62x31 --cache 1024 --tiling lru --loads --outputs-read --json -");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json cache = json::parse(result.out)["nests"][0]["caches"][0];
  EXPECT_LE(cache["policies"][0]["words"], cache["model"]);
}

TEST(CliExecute, BoundsAreHeldAgainstExecutions) {
  const CliResult result = run_cli("bound -w gemm:62x62x31 --buffer 256,1024 --simulate --json -");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json answer = json::parse(result.out);
  for (const json& tiling : answer["tilings"]) {
    EXPECT_EQ(tiling["executed"]["scratchpad"], tiling["words"]);
    EXPECT_LE(tiling["executed"]["opt"], tiling["words"]);
    for (const json& bound : answer["bounds"])
      if (bound["capacity_words"] == tiling["capacity_words"] && bound["kind"] != "nested") {
        EXPECT_LE(bound["words"], tiling["executed"]["opt"]);
      }
  }
  const CliResult large = run_cli("bound -w gemm:4096x4096x4096 --buffer 1024 --simulate");
  EXPECT_THAT(large.out, HasSubstr("too many to be executed"));
  EXPECT_EQ(run_cli("bound -w gemm:8x8x8 --kind orojenesis --simulate").exit_code, 2);
}

TEST(CliExecute, EmitsAProgramThatChecksItself) {
  const TempFolder folder;
  const std::string source = folder.path("conv.c"), binary = folder.path("conv");
  const CliResult result = run_cli(
      "emit -w \"O[k,x] += F[k,c,w] * I[c,2*x+w]; k=8,x=13,c=6,w=3\" --cache 64,256 --tiling together -o " + source);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string compile = "cc -O1 -std=c99 -Wall -Wextra -Werror " + source + " -o " + binary;
  ASSERT_EQ(std::system((compile + " && " + binary + " > /dev/null").c_str()), 0);
}

TEST(CliExecute, SaysWhatItNeeds) {
  const auto complaint = [](const std::string& arguments) {
    const CliResult result = run_cli(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    return result.err;
  };
  EXPECT_THAT(complaint("simulate -w gemm:8x8x8"), HasSubstr("--cache: is required"));
  EXPECT_THAT(complaint("simulate -w gemm:8x8x8 --cache 2"), HasSubstr("--cache: 2 words do not hold the operands"));
  EXPECT_THAT(complaint("simulate -w gemm:8x8x8 --cache 64 --policy lur"), HasSubstr("did you mean 'lru'?"));
  EXPECT_THAT(complaint("simulate -w gemm:8192x8192x8192 --cache 64 --tiling none"),
              HasSubstr("too many to be executed"));
  EXPECT_THAT(complaint("simulate -w gemm:8x8x8 --cache 64 --tile M=9"), HasSubstr("--tile: 'M=9': the tile's extent"));
  EXPECT_THAT(complaint("emit -w gemm:8x8x8 --cache 64,128"), HasSubstr("--tiling together"));
  EXPECT_THAT(complaint("emit -w gemm:8x8x8 --cache 64 --pad 24"), HasSubstr("--pad: '24' must be a power of two"));
}

}  // namespace
}  // namespace heliolite::cli_execute_test
