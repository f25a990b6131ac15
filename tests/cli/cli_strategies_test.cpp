// The options of `map` that steer the search, through the command line: what they promise of time and answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_strategies_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

json map_answer(const std::string& arguments) {
  const CliResult result = run_cli("map " + arguments + " --json - -q");
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  return json::parse(result.out, nullptr, false);
}

json only_layer(const std::string& arguments) { return map_answer(arguments)["layers"][0]; }

TEST(CliStrategies, ExactProvesItsAnswerAndNoStrategyBeatsIt) {
  for (const char* machine : {"edge_unified", "eyeriss", "gemmini"})
    for (const char* objective : {"edp", "energy", "delay", "ed2p"}) {
      const std::string question =
          std::string("-a ") + machine + " -w conv:k=16,c=8,p=7,q=7,r=3,s=3 --no-look --objective " + objective;
      const json exact = only_layer(question + " -s exact");
      EXPECT_EQ(exact["status"], "optimal") << question;
      EXPECT_EQ(exact["gap"], 0);
      EXPECT_EQ(exact["value"], exact["lower_bound"]);
      for (const char* other : {"sunstone", "random"}) {
        const json found = only_layer(question + " -s " + other);
        EXPECT_GE(found["value"].get<double>(), exact["value"].get<double>() * (1 - 1e-12)) << question << other;
        EXPECT_LE(found["lower_bound"].get<double>(), exact["value"].get<double>() * (1 + 1e-12)) << question << other;
      }
    }
}

TEST(CliStrategies, AnyFactorsAreNeverWorseAndSayWhatTheyAre) {
  for (const char* search :
       {"eyeriss -w gemm:97x60x44 -s exact", "simba -w conv:k=8,c=3,p=9,q=9,r=3,s=3 -s sunstone"}) {
    const std::string question = "-a " + std::string(search) + " --evaluations 20000 --threads ";
    const json perfect = only_layer(question + "1"), any = only_layer(question + "1 --factors any");
    EXPECT_LE(any["value"], perfect["value"]) << question;
    EXPECT_LE(any["lower_bound"], any["value"]) << question;
    EXPECT_GT(any["lower_bound"].get<double>(), any["value"].get<double>() / 2) << question;
    EXPECT_EQ(perfect["mapspace"], json({{"factors", "perfect"}, {"counts", "timeloop"}, {"tiles", "even"}}));
    EXPECT_EQ(any["mapspace"], json({{"factors", "any"}, {"counts", "true"}, {"tiles", "even"}}));
    EXPECT_EQ(only_layer(question + "2 --factors any")["mapping"], any["mapping"]) << question;
  }
  const std::string gemm = "map -a eyeriss -w gemm:8x8x8 --factors ";
  EXPECT_THAT(run_cli(gemm + "perfect --imperfect").err, HasSubstr("unknown option '--imperfect': write factors any"));
  EXPECT_THAT(run_cli(gemm + "all").err, HasSubstr("perfect or any"));
}

TEST(CliStrategies, ABudgetOfSecondsEndsEverySearchWithItsBest) {
  const std::string large = "-w conv:n=16,k=512,c=512,p=56,q=56,r=3,s=3 --threads 1 --budget 0.4 -a ";
  for (const char* search :
       {"dc_split -s exact", "dc_split -s exact --factors any", "dc_split -s sunstone",
        "edge_unified -s random --victory 1000000000", "edge_unified -s exhaustive", "edge_unified -s interstellar"}) {
    const double before = cpu_seconds_of_programs();
    const json layer = only_layer(large + search);
    EXPECT_LT(cpu_seconds_of_programs() - before, 0.4 + 3 * kSlowdown) << search;
    EXPECT_GE(layer["gap"], 0) << search;
    EXPECT_EQ(layer["status"], layer["gap"] == 0 ? "optimal" : "bounded") << search;
    EXPECT_FALSE(layer["mapping"].is_null()) << search;
  }
}

TEST(CliStrategies, EvaluationsSeedsAndVictoryReachTheSearch) {
  const std::string question = "-a eyeriss -w gemm:64x60x48 -s random --threads 1 ";
  const auto evaluated = [&](const std::string& options) {
    return only_layer(question + options)["evaluated"].get<int>();
  };
  EXPECT_EQ(evaluated("--evaluations 77 --victory 100000"), 77);
  EXPECT_LT(evaluated("--victory 5"), evaluated("--victory 5000"));
  EXPECT_NE(evaluated("--seed 1"), evaluated("--seed 2"));
  EXPECT_EQ(only_layer("-a eyeriss -w gemm:64x60x48 -s exhaustive --evaluations 123 -t 1")["evaluated"], 123);
}

// 64 x 16 units, weight-stationary as NVDLA's: K rows and N columns.
constexpr const char* kWideArray = R"(architecture:
  name: wide
  word_bits: 8
  energy: pat
  levels:
  - {name: DRAM, dram: true, bandwidth: {shared: 16}}
  - {name: Buffer, capacity: 256 KB, block_words: 8, fanout: 64x16}
  - {name: Regs, entries: 64}
  compute: {name: MAC}
)";

constexpr const char* kOneBuffer = R"(architecture:
  name: one_buffer
  levels:
  - {name: DRAM, capacity: unbounded, energy: 1}
  - {name: Buffer, entries: 273, energy: 0}
  compute: {name: MAC, energy: 0}
)";

// From the answer of a search to its price, and what the certificate says it is of.
TEST(CliStrategies, UnevenTilesAreSearchedPricedAndNamed) {
  const TempFolder folder;
  const std::string pair = "-a " + folder.write("buffer.yaml", kOneBuffer) + " -w gemm:16x64x16 ";
  const CliResult run = run_cli("map " + pair + "--tiles uneven --objective energy --json " + folder.path("a.json"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("optimal, perfect factors, uneven tiles"));
  const json uneven = json::parse(read_text(folder.path("a.json")))["layers"][0];
  EXPECT_EQ(uneven["mapspace"]["tiles"], "uneven");
  EXPECT_GT(uneven["rules"]["store-order"]["calls"], 0);
  EXPECT_EQ(map_answer(pair + "--tiles uneven --objective energy -t 2")["layers"][0]["mapping"], uneven["mapping"]);
  const json even = only_layer(pair + "--objective energy");
  EXPECT_EQ(even["mapspace"]["tiles"], "even");
  EXPECT_LT(uneven["value"], even["value"]);
  const CliResult priced = run_cli("eval " + pair + "-m " + folder.path("a.json") + " --json -");
  ASSERT_EQ(priced.exit_code, 0) << priced.err;
  EXPECT_EQ(json::parse(priced.out.substr(priced.out.find('{')))["energy_pj"], uneven["energy_pj"]);
  const CliResult witness = run_cli("map " + pair + "--witness " + folder.path("a.json"));
  EXPECT_EQ(witness.exit_code, 2);
  EXPECT_THAT(witness.err, HasSubstr("followed only where each level has one tile"));
  EXPECT_THAT(run_cli("map " + pair + "--tiles odd").err, HasSubstr("must be even or uneven"));
}

// 127 is prime and larger than either axis: with its divisors one unit works.
TEST(CliStrategies, AnOptimumNamesItsMapspaceAndWhatOtherFactorsAreWorth) {
  const TempFolder folder;
  const std::string question = "map -a " + folder.write("wide.yaml", kWideArray) + " -w gemm:127x127x127 ";
  const CliResult perfect = run_cli(question + "--json " + folder.path("a.json"));
  ASSERT_EQ(perfect.exit_code, 0) << perfect.err;
  for (const char* part : {"optimal, perfect factors", "any tile size: ", " times lower possible (--factors any)"})
    EXPECT_THAT(perfect.out, HasSubstr(part));
  const json layer = json::parse(read_text(folder.path("a.json")))["layers"][0];
  EXPECT_EQ(layer["status"], "optimal");
  EXPECT_EQ(layer["mapspace"]["factors"], "perfect");
  const json& look = layer["any_look"];
  EXPECT_LT(look["value"].get<double>() * 300, layer["value"].get<double>());
  EXPECT_GT(look["utilization"], 0.5);
  EXPECT_LE(look["evaluated"], 2'500);
  EXPECT_LE(look["lower_bound"], look["value"]);
  EXPECT_DOUBLE_EQ(look["lower_found"].get<double>(), 1 - look["value"].get<double>() / layer["value"].get<double>());
  const CliResult any = run_cli(question + "--factors any --evaluations 20000 --json " + folder.path("b.json"));
  ASSERT_EQ(any.exit_code, 0) << any.err;
  EXPECT_THAT(any.out, HasSubstr("any factors"));
  const json other = json::parse(read_text(folder.path("b.json")))["layers"][0];
  EXPECT_EQ(other["mapspace"]["factors"], "any");
  EXPECT_TRUE(other["any_look"].is_null());
  EXPECT_LE(other["value"], look["value"]);
  EXPECT_GE(other["value"], look["lower_bound"]);
  // The line can be left out, and an answer with it differs in nothing else.
  const CliResult without = run_cli(question + "--no-look --json " + folder.path("c.json"));
  EXPECT_THAT(without.out, Not(HasSubstr("any tile size")));
  const json same = json::parse(read_text(folder.path("c.json")))["layers"][0];
  EXPECT_TRUE(same["any_look"].is_null());
  EXPECT_EQ(same["value"], layer["value"]);
  EXPECT_EQ(same["evaluated"], layer["evaluated"]);
}

TEST(CliStrategies, TotalsAreAddedUpBothWays) {
  const json all = map_answer("-a gemmini -w resnet18 -s sunstone");
  double sum = 0;
  for (const json& layer : all["layers"])
    sum += layer["count"].get<double>() * layer["energy_pj"].get<double>() * layer["cycles"].get<double>();
  const json& total = all["total"];
  EXPECT_NEAR(total["sum_of_layer_edps_pj_cycles"].get<double>() / sum, 1, 1e-9);
  EXPECT_NEAR(total["sum_of_layer_values"].get<double>() / sum, 1, 1e-9);
  EXPECT_EQ(total["edp_of_totals_pj_cycles"], total["edp_pj_cycles"]);
  EXPECT_DOUBLE_EQ(total["edp_of_totals_pj_cycles"], total["energy_pj"].get<double>() * total["cycles"].get<double>());
  const CliResult table = run_cli("map -a gemmini -w resnet18 -s sunstone");
  EXPECT_THAT(table.out, HasSubstr("total energy x total cycles"));
  EXPECT_THAT(table.out, HasSubstr("sum of the layers' EDPs"));
}

// An option that the strategy does not have would be ignored without a word.
TEST(CliStrategies, OptionsOfOtherStrategiesAreRefused) {
  const std::string map = "map -a eyeriss -w gemm:8x8x8 ";
  const CliResult exact = run_cli(map + "--victory 5 --least-units 0.5");
  EXPECT_EQ(exact.exit_code, 2);
  EXPECT_THAT(exact.err,
              HasSubstr("victory: strategy exact has no such option; random, random-pruned and hybrid have"));
  EXPECT_THAT(exact.err,
              HasSubstr("least-units: strategy exact has no such option; dmazerunner and interstellar have"));
  const CliResult factors = run_cli(map + "-s annealing --factors any");
  EXPECT_EQ(factors.exit_code, 2);
  EXPECT_THAT(factors.err, HasSubstr("factors: strategy annealing knows factors that divide the sizes only"));
  for (const char* bad : {"-s hybrid --timeout 0", "-s dmazerunner --least-inner 1.5",
                          "-s interstellar --least-units -1", "-s interstellar --least-units nan", "-s annealin"})
    EXPECT_EQ(run_cli(map + bad).exit_code, 2) << bad;
}

TEST(CliStrategies, BadNumbersAreRefused) {
  for (const char* option : {"--budget 0", "--budget -1", "--budget nan", "--budget inf", "--budget soon",
                             "--evaluations 0", "--evaluations 1.5", "--evaluations 99999999999999999999", "--seed -1",
                             "--seed x", "--victory 0", "--victory"}) {
    const CliResult result = run_cli(std::string("map -a eyeriss -w gemm:8x8x8 ") + option);
    EXPECT_EQ(result.exit_code, 2) << option;
    EXPECT_THAT(result.err, HasSubstr(std::string(option).substr(0, std::string(option).find(' ')))) << option;
    EXPECT_EQ(result.out, "") << option;
  }
}

TEST(CliStrategies, SaysWhatRemovesAWitness) {
  const TempFolder folder;
  const std::string question = "-a eyeriss -w conv:k=16,c=8,p=14,q=14,r=3,s=3 ";
  EXPECT_EQ(
      run_cli("map " + question + "-s random --evaluations 300 --seed 3 --json " + folder.path("w.json")).exit_code, 0);
  const std::string witness = " --witness " + folder.path("w.json");
  const CliResult table = run_cli("map " + question + witness + " --json " + folder.path("a.json"));
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("what removed it:"));
  EXPECT_THAT(table.out, HasSubstr("nothing that begins like this is below"));
  const json layer = json::parse(read_text(folder.path("a.json")))["layers"][0];
  EXPECT_LE(layer["value"], layer["witness"]["value"]);
  EXPECT_EQ(layer["witness"]["errors"], json::array());
  EXPECT_FALSE(layer["witness"]["events"].back()["rule"].is_null());
  EXPECT_TRUE(only_layer(question)["witness"].is_null());

  const auto complaint = [](const std::string& arguments) { return run_cli("map " + arguments).err; };
  EXPECT_THAT(complaint(question + witness + " -s sunstone"), HasSubstr("witness: only strategy exact follows one"));
  EXPECT_THAT(complaint(question + witness + " --factors any"), HasSubstr("witness: only strategy exact follows one"));
  EXPECT_THAT(complaint("-a eyeriss -w resnet18" + witness), HasSubstr("--layer: resnet18 has 12 layers"));
  EXPECT_THAT(complaint("-a eyeriss -w gemm:8x8x8" + witness), HasSubstr("w.json"));
}

TEST(CliStrategies, WhatIsLearnedIsWrittenReadAndRefused) {
  const TempFolder folder;
  const std::string question = "map -a gemmini -w gemm:64x32x128 -s bayes --evaluations 12 ";
  const CliResult first = run_cli(question + "--learn " + folder.path("one.yaml"));
  EXPECT_EQ(first.exit_code, 0) << first.err;
  const CliResult second =
      run_cli(question + "--from " + folder.path("one.yaml") + " --learn " + folder.path("two.yaml"));
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(read_text(folder.path("two.yaml")), HasSubstr("workload: gemm"));
  EXPECT_GT(read_text(folder.path("two.yaml")).size(), read_text(folder.path("one.yaml")).size());

  const auto complaint = [&](const std::string& more) { return run_cli(question + more).err; };
  const std::string from = "--from " + folder.path("one.yaml");
  EXPECT_THAT(complaint(from + " --learn " + folder.path("one.yaml")), HasSubstr("one.yaml"));
  EXPECT_THAT(complaint(from + " --objective delay"), HasSubstr("was learned for objective edp, asked is delay"));
  EXPECT_THAT(run_cli("map -a gemmini -w gemm:8x8x8 " + from).err, HasSubstr("exact learns nothing"));
  EXPECT_THAT(complaint("--factors any"), HasSubstr("factors that divide the sizes only"));
  std::ofstream(folder.path("bad.yaml")) << "tasks:\n  - {machine: m, workload: w, objective: speed, points: [[2]]}\n";
  EXPECT_THAT(complaint("--from " + folder.path("bad.yaml")),
              AllOf(HasSubstr("objective = speed, must be energy"), HasSubstr("coordinates"), HasSubstr("bad.yaml:2")));
}

TEST(CliStrategies, SensitivityIsOfOneLayerAndRepeatable) {
  const std::string question = "space -a gemmini -w gemm:64x32x128 --sensitivity --samples 64 ";
  const CliResult table = run_cli(question);
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("all loop orders"));
  EXPECT_EQ(run_cli(question + "--threads 1 --json -").out, run_cli(question + "--threads 2 --json -").out);
  EXPECT_THAT(run_cli("space -a gemmini -w resnet18 --sensitivity").err, HasSubstr("--layer"));
  EXPECT_THAT(run_cli("space -a gemmini -w gemm:8x8x8 --samples 64").err,
              HasSubstr("--sensitivity, which is not asked"));
}

// Without CBC the answer is what to install; the program is written all the same.
TEST(CliStrategies, CosaMapsAndWritesItsProgram) {
  const TempFolder folder;
  const std::string question =
      "map -a gemmini -w gemm:8x12x6 -s cosa --weights 10,1,-0.2 --dump " + folder.path("m.lp");
  const CliResult result = run_cli(question + " --json -");
  EXPECT_THAT(read_text(folder.path("m.lp")),
              HasSubstr("\\ gemm on gemmini: strategy cosa, variant published\nMinimize"));
  if (result.exit_code == 2) {
    EXPECT_THAT(result.err, HasSubstr("strategy: cosa needs CBC (Debian: coinor-libcbc-dev)"));
    GTEST_SKIP() << "built without CBC";
  }
  const json answer = json::parse(result.out, nullptr, false);
  const json& layer = answer["layers"][0];
  EXPECT_EQ(answer["question"]["options"]["weights"], "10,1,-0.2");
  EXPECT_EQ(layer["strategy"], "cosa");
  EXPECT_EQ(layer["mip"]["variant"], "published");
  EXPECT_TRUE(layer["mip"]["proven"].get<bool>());
  EXPECT_EQ(layer["ended_by"], json());
  EXPECT_GE(layer["value"], only_layer("-a gemmini -w gemm:8x12x6")["value"]);

  const auto complaint = [](const std::string& arguments) { return run_cli("map -a gemmini " + arguments).err; };
  EXPECT_THAT(complaint("-w gemm:8x8x8 --dump x.lp"), HasSubstr("dump: is of strategy cosa, this is exact"));
  EXPECT_THAT(complaint("-w resnet18 -s cosa --dump x.lp"), HasSubstr("dump: resnet18 has 12 layers"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 -s cosa --weights 1,2"), HasSubstr("three numbers"));
  EXPECT_THAT(complaint("-w gemm:8x8x8 -s cosa --variant order"), HasSubstr("did you mean 'ordered'?"));
}

}  // namespace
}  // namespace heliolite::cli_strategies_test
