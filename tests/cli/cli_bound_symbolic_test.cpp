// heliolite bound without a kind, and --kind hbl, conv, iolb: tables, JSON, complaints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/base/types.h"
#include "tests/support/cli_runner.h"

namespace heliolite::cli_bound_symbolic_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

json answer(const std::string& arguments) {
  const CliResult result = run_cli("bound " + arguments + " --json -");
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  return json::parse(result.out, nullptr, false);
}

std::string complaint(const std::string& arguments) {
  const CliResult result = run_cli("bound " + arguments);
  EXPECT_EQ(result.exit_code, 2) << arguments;
  EXPECT_EQ(result.out, "");
  return result.err;
}

TEST(CliBounds, AMachineOfOneLevelHasNoMemoryToBound) {
  const TempFolder folder;
  const std::string flat = folder.write("flat.yaml",
                                        "architecture:\n  name: flat\n  energy: pat\n  word_bits: 16\n  levels:\n"
                                        "  - {name: DRAM, dram: true}\n  compute: {name: MAC}\n");
  for (const char* kind : {"", " --kind all", " --kind hbl", " --kind conv", " --kind iolb"})
    EXPECT_THAT(complaint("-w gemm:8x8x8 -a " + flat + kind), HasSubstr("flat has one level, DRAM"));
  EXPECT_EQ(run_cli("bound -w gemm:8x8x8 --kind orojenesis -a " + flat).exit_code, 0);
}

// Each command has work for at least ten times as long as it is given.
TEST(CliBounds, CtrlCEndsWithTheLayersThatAreDone) {
  using namespace std::chrono_literals;
  constexpr std::size_t kLayers = 1000;  // each of another shape
  const TempFolder files;
  std::string text = "name: many\nlayers:\n";
  for (std::size_t k = 1; k <= kLayers; ++k)
    text += fmt::format("- {{name: l{}, conv: {{c: {}, k: 64, p: 56, r: 3}}}}\n", k, k);
  const std::string many = files.write("many.yaml", text);
  for (const std::vector<std::string>& what : std::vector<std::vector<std::string>>{
           {"bound", "-w", many, "-a", "gemmini", "--kind", "iolb"},
           {"bound", "-w", "conv:n=64,c=512,p=112,k=512,r=3", "--imperfect", "--nested"},
           {"space", "-a", "eyeriss", "-w", many, "--unit-loops"},
           {"orders", "-w", "o[a,b,c,d,e,f] += x[a,b,c,g,h,i]*y[d,e,f,g,h,i]; a=2,b=2,c=2,d=2,e=2,f=2,g=2,h=2,i=2",
            "--without", "order-prefix,order-run,order-dominance"}}) {
    const TempFolder folder;
    std::vector<std::string> arguments = what;
    arguments.insert(arguments.end(), {"--json", folder.path("a.json")});
    const Background run(arguments);
    EXPECT_TRUE(run.handles(SIGINT));  // from the first layer on
    std::this_thread::sleep_for(100ms);
    const auto asked = std::chrono::steady_clock::now();
    EXPECT_EQ(run.end(SIGINT), 130);
    EXPECT_LT(std::chrono::steady_clock::now() - asked, 2s * kSlowdown);
    const json a = json::parse(read_text(folder.path("a.json")), nullptr, false);
    EXPECT_EQ(a["interrupted"], true);
    EXPECT_TRUE(!a.contains("layers") || a["layers"].size() < kLayers);
  }
}

TEST(CliBounds, LayersThatAreAlikeAreAnsweredOnce) {
  const TempFolder folder;
  const auto network = [&](int layers) {
    std::string text = "name: many\nlayers:\n";
    for (int k = 0; k < layers; ++k)
      text += "- {name: l" + std::to_string(k) + ", conv: {c: 64, k: 64, p: 56, r: 3}}\n";
    return "-a gemmini --kind iolb -w " + folder.write("many.yaml", text);
  };
  const double begin = cpu_seconds_of_programs();
  const json two = answer(network(2))["layers"];
  const double of_two = cpu_seconds_of_programs() - begin;
  json many = answer(network(40))["layers"];
  EXPECT_LT(cpu_seconds_of_programs() - begin - of_two, 4 * of_two);
  ASSERT_EQ(many.size(), 40u);
  EXPECT_EQ(many[39]["name"], "l39");
  EXPECT_EQ(many[1], two[1]);
  many[39]["name"] = "l0";
  EXPECT_EQ(many[39], two[0]);
}

TEST(CliBounds, EveryBoundOfALayer) {
  const json a = answer("-w gemm:512x512x512 --buffer 1024");
  EXPECT_EQ(a["exponent"], "3/2");
  EXPECT_EQ(a["formula"], "max(M*N*K/capacity^(1/2), N*K, M*K, M*N)");
  std::vector<std::string> kinds;
  for (const json& bound : a["bounds"]) {
    kinds.push_back(bound["kind"]);
    EXPECT_EQ(bound["capacity_words"], 1024);
    EXPECT_TRUE(bound["level"].is_null());
    EXPECT_TRUE(bound["holds_under"].is_string());
    if (bound["kind"] != "nested") {
      EXPECT_LE(bound["words"], a["tilings"][0]["words"]);
    }
    if (bound["kind"] == "conv") {
      EXPECT_EQ(bound["words"], 8386560);
    }
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"compulsory", "hbl", "conv", "iolb", "nested"}));
  EXPECT_LT(a["tilings"][0]["gap"], 0.1);
  EXPECT_LE(a["tilings"][0]["footprint_words"], 1024);
}

TEST(CliBounds, KindsShowTheirOwn) {
  EXPECT_THAT(run_cli("bound -w conv:k=64,c=64,p=56,r=3 --kind conv").out,
              AllOf(HasSubstr("small filters"), Not(HasSubstr("HBL"))));
  EXPECT_THAT(run_cli("bound -w gemm:4096x4096x64 --kind hbl --buffer 65536").out,
              AllOf(HasSubstr("M^3/2"), HasSubstr("M 1024 x N 64 x K 64 or M 64 x N 1024 x K 64")));
  EXPECT_THAT(run_cli("bound -w ab --kind iolb").err, HasSubstr("ab"));
  EXPECT_THAT(run_cli("bound -w conv:k=128,c=64,p=136,r=3 --kind iolb --buffer 4096 --loads --outputs-read").out,
              AllOf(HasSubstr("9,479,033"), HasSubstr("18,498,139")));
}

// What tables show is in JSON: the family of tiles, the convolution's forms and terms, the published forms.
TEST(CliBounds, FormsInJson) {
  const json family = answer("-w gemm:4096x4096x64 --kind hbl --buffer 65536")["attaining_tiles"];
  ASSERT_EQ(family.size(), 1);
  ASSERT_EQ(family[0]["tiles"].size(), 2);
  EXPECT_NEAR(family[0]["tiles"][0]["M"].get<double>() * family[0]["tiles"][1]["M"].get<double>(), 65536, 1e-3);
  const json conv = answer("-w conv:k=64,c=64,p=56,r=3 --kind conv --buffer 1024")["convolution"][0];
  EXPECT_EQ(conv["capacity_words"], 1024);
  EXPECT_EQ(conv["order"]["out"], 64 * 56 * 56);
  EXPECT_EQ(conv["order"].size(), 5);
  const json forms =
      answer("-w conv:k=128,c=64,p=136,r=3 --kind iolb --buffer 4096 --loads --outputs-read")["published_forms"][0];
  EXPECT_NEAR(forms["iolb"].get<double>(), 9479033, 0.51);
  EXPECT_NEAR(forms["ioub"].get<double>(), 18498139, 0.51);
}

TEST(CliBounds, RegionsOfTheTilingProgram) {
  const json a = answer("-w gemm:512x512x512 --regions");
  EXPECT_EQ(a["question"]["kind"], "regions");
  EXPECT_EQ(a["parameters"], json({"capacity", "M", "N", "K"}));
  EXPECT_EQ(a["costs"].size(), 5);
  ASSERT_EQ(a["regions"].size(), 8);
  EXPECT_EQ(a["regions"][0]["tile"]["M"], "capacity^(1/2)");
  EXPECT_EQ(a["regions"][0]["where"][1], "M^2 >= capacity");
  const CliResult svg = run_cli("bound -w gemm:512x512x512 --regions --axes M,N --buffer 4096 --svg -");
  EXPECT_THAT(svg.out, AllOf(HasSubstr("capacity = 4096, K = 512"), HasSubstr("<polygon")));
  EXPECT_THAT(run_cli("bound -w gemm:512x512x512 --regions --csv -").out, StartsWith("region,cost,M,N,K,where\n1,"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --regions --axes M,X"), HasSubstr("--axes: unknown parameter 'X'"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --regions --axes M,M"), HasSubstr("two different parameters"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --regions --axes M,N"), HasSubstr("--buffer: needs one capacity"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --regions --buffer 4"), HasSubstr("--buffer: the capacity is an axis"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --regions --loads"), HasSubstr("--loads: does not go with --regions"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --axes M,N"), HasSubstr("--axes: is about the picture of --regions"));
}

TEST(CliBounds, NothingFits) {
  EXPECT_THAT(run_cli("bound -w gemm:8x8x8 --kind hbl --buffer 8 --word-size A=64").out,
              AllOf(HasSubstr("no tiling: the operands of one MAC do not fit"), Not(HasSubstr("8: tile"))));
  EXPECT_THAT(run_cli("bound -w gemm:1x1x1 --kind hbl --buffer 4").out,
              AllOf(HasSubstr("at most M^0 MACs\n"), HasSubstr("up to a constant: 1\n")));
}

TEST(CliBounds, LevelsOfAMachine) {
  const json a = answer("-w gemm:64x64x64 -a eyeriss --kind iolb");
  std::vector<std::string> levels;
  for (const json& tiling : a["tilings"]) levels.push_back(tiling["level"]);
  EXPECT_EQ(levels, (std::vector<std::string>{"PsumSpad", "WeightSpad", "IfmapSpad", "GLB"}));
  ASSERT_GE(a["nested_tiling"].size(), 2);
  EXPECT_GE(a["nested_tiling"][0]["words"], a["nested_tiling"][1]["words"]);
}

TEST(CliBounds, Networks) {
  const json a = answer("-w alexnet --kind iolb --buffer 65536");
  EXPECT_EQ(a["layers"].size(), 8);
  ASSERT_EQ(a["network"].size(), 1);
  u64 sum = 0;
  for (const json& layer : a["layers"]) {
    u64 most = 0;
    for (const json& bound : layer["bounds"]) most = std::max(most, bound["words"].get<u64>());
    sum += most;
  }
  EXPECT_LE(a["network"][0]["words"], sum);
  // A file without edges: each layer may be fed by another.
  EXPECT_LT(a["network"][0]["whatever_inputs_share"]["words"], a["network"][0]["words"]);
  EXPECT_THAT(run_cli("bound -w alexnet --kind iolb --buffer 65536").out, HasSubstr("the whole network"));
}

TEST(CliBounds, NetworksSayWhatTheyAssume) {
  const json a = answer("-w gpt3_6.7b_block@batch=16 --buffer 10000000000");
  EXPECT_EQ(a["network"][0]["words"], 469762048);
  EXPECT_THAT(a["network"][0]["holds_under"].get<std::string>(), HasSubstr("arrays of their own"));
  EXPECT_FALSE(a["network"][0].contains("whatever_inputs_share"));
  const CliResult shared = run_cli("bound -w bert_base_block --buffer 1000000000");
  EXPECT_THAT(shared.out, AllOf(HasSubstr("7,864,320"), Not(HasSubstr("whatever inputs share"))));
  EXPECT_THAT(shared.err, Not(HasSubstr("equal size")));
  const CliResult unknown = run_cli("bound -w bert_base --buffer 1000000000");
  EXPECT_THAT(unknown.out, HasSubstr("whatever inputs share"));
  EXPECT_THAT(unknown.err, HasSubstr("bert_base does not say whether inputs of equal size are one array: B of qkv"));
}

TEST(CliBounds, WordSizes) {
  const json one = answer("-w gemm:64x64x64 --kind conv --buffer 256"),
             four = answer("-w gemm:64x64x64 --kind conv --buffer 1024 --word-size A=4,B=4,Z=4");
  for (std::size_t i = 0; i < one["bounds"].size(); ++i)
    EXPECT_EQ(four["bounds"][i]["words"], 4 * one["bounds"][i]["words"].get<u64>());
}

// More memory never asks for more words, in one call or in two.
TEST(CliBounds, FallWithTheMemory) {
  std::map<std::string, u64> before;
  for (const char* words : {"8", "10", "11", "100"}) {
    const json a = answer(fmt::format("-w conv:k=64,c=64,p=64,r=3 --kind hbl --buffer {}", words));
    for (const json& bound : a["bounds"]) {
      const auto [at, first] = before.emplace(bound["kind"], bound["words"]);
      EXPECT_LE(bound["words"], at->second) << bound["kind"] << " at " << words;
      at->second = bound["words"];
    }
  }
}

// C = A A^T: A is a quarter million words, whatever the accesses are called.
TEST(CliBounds, ATensorReadTwiceCountsOnce) {
  const std::string syrk = "-w \"C[i,j] += A[i,k]*A[j,k]; i=512,j=512,k=512\" --buffer ";
  const json large = answer(syrk + "10000000");
  for (const json& bound : large["bounds"]) EXPECT_LE(bound["words"], 2 * 512 * 512) << bound["kind"];
  EXPECT_EQ(large["bounds"][0]["words"], 2 * 512 * 512);
  EXPECT_THAT(large["bounds"][0]["holds_under"].get<std::string>(), HasSubstr("A and A#2 are one tensor"));
  EXPECT_GT(answer(syrk + "1024")["bounds"][1]["words"], 4000000);
  EXPECT_EQ(answer(syrk + "1 -k orojenesis --word-size A=2")["minimum"], 3 * 512 * 512);
}

TEST(CliBounds, EveryKindWritesCsv) {
  const std::string head = "layer,level,capacity_words,kind,words\n";
  EXPECT_THAT(run_cli("bound -w gemm:64x64x64 --buffer 1024 --kind hbl --csv -").out,
              AllOf(StartsWith(head + "gemm,,1024,compulsory,12288\ngemm,,1024,hbl,"), HasSubstr(",tiling,")));
  EXPECT_THAT(run_cli("bound -w gemm:64x64x64 --buffer 1024 --csv -").out, HasSubstr("gemm,,1024,nested,"));
  EXPECT_THAT(run_cli("bound -w alexnet --buffer 1024 --kind conv --csv -").out,
              AllOf(HasSubstr("conv1,,1024,conv,"), HasSubstr("\n,,1024,network,")));
  EXPECT_THAT(run_cli("bound -w alexnet --kind orojenesis --csv -").out,
              StartsWith("layer,buffer_words,accesses,by,best_tiling\n"));
}

TEST(CliBounds, Complaints) {
  EXPECT_THAT(complaint("-w gemm:8x8x8 --kind ilob"), HasSubstr("did you mean 'iolb'?"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --kind hbl --svg x.svg"), HasSubstr("--svg: does not go with --kind hbl"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --kind orojenesis --loads"), HasSubstr("--loads: does not go with"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --kind conv --word-size Q=2"), HasSubstr("tensors: A, B and Z"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --kind conv --word-size A=0"), HasSubstr("TENSOR=SIZE"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --kind conv --word-size A=nan"), HasSubstr("TENSOR=SIZE"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 -a eyeriss --kind conv --buffer 8"), HasSubstr("--buffer"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 --kind conv --buffer 0"), HasSubstr("at least 1"));
  EXPECT_THAT(complaint("-w resnet18 --kind hbl --layer conv"), HasSubstr("conv1"));
}

}  // namespace
}  // namespace heliolite::cli_bound_symbolic_test
