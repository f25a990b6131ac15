// That answers of `map` are the same for any number of threads, through the command line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_threads_test {
namespace {

using nlohmann::json;

json map_answer(const std::string& arguments) {
  const CliResult result = run_cli("map " + arguments + " --json - -q");
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  return json::parse(result.out, nullptr, false);
}

// What may not depend on the machine it runs on.
json timeless(json answer) {
  answer["question"]["options"].erase("threads");
  for (json& layer : answer["layers"]) {
    layer.erase("seconds");
    for (json& step : layer["steps"]) step.erase("seconds");
    if (!layer["any_look"].is_null()) layer["any_look"].erase("seconds");
  }
  answer["total"].erase("seconds");
  return answer;
}

TEST(CliThreads, AnswersDoNotDependOnThreadsOrRuns) {
  for (const char* search :
       {"-s exact", "-s sunstone", "-s random --seed 5", "-s exhaustive --evaluations 5000",
        "-s hybrid --timeout 20000 --victory 25", "-s random-pruned --seed 3 --timeout 9000",
        "-s annealing --evaluations 3000", "-s genetic --evaluations 3000", "-s gradient --evaluations 2000",
        "-s dmazerunner --evaluations 3000", "-s interstellar --evaluations 3000 --least-units 0.5",
        "-s exact --factors any --evaluations 4000",
        "-s sunstone --factors any --evaluations 4000 --objective energy"}) {
    const std::string question = std::string("-a eyeriss -w conv:k=16,c=8,p=14,q=14,r=3,s=3 ") + search;
    const json one = timeless(map_answer(question + " --threads 1"));
    for (const char* threads : {"1", "2", "8"})
      EXPECT_EQ(timeless(map_answer(question + " --threads " + threads)), one) << question << " " << threads;
  }
}

TEST(CliThreads, LayersSideBySideAreThoseOneByOne) {
  const json all = map_answer("-a gemmini -w resnet18 -s sunstone --threads 8");
  for (const json& layer : all["layers"]) {
    const json alone =
        map_answer("-a gemmini -w resnet18/" + layer["name"].get<std::string>() + " -s sunstone -t 1")["layers"][0];
    for (const char* key : {"value", "mapping", "evaluated", "gap", "rules"}) EXPECT_EQ(alone[key], layer[key]) << key;
  }
}

// Bounds of different links, and of different groups, are searched by several threads.
TEST(CliThreads, FusedSchedulesAndTheirProofsAreTheSame) {
  const TempFolder folder;
  const std::string network = folder.write("chain.yaml",
                                           "layers:\n"
                                           "- {name: a, gemm: 16x24x8, reads: {B: X}}\n"
                                           "- {name: b, gemm: 12x24x8, reads: {B: X}}\n"
                                           "- {name: c, gemm: 32x24x12}\n"
                                           "- {name: d, gemm: 8x24x32}\n"
                                           "- {name: e, gemm: 18x24x8}\n"
                                           "edges:\n"
                                           "- {from: b, to: c, tensor: B}\n"
                                           "- {from: c, to: d, tensor: B, through: elementwise}\n"
                                           "- {from: d, to: e, tensor: B, combine: add, ranks: {M: K, N: N}}\n"
                                           "- {from: X, to: e, tensor: B, combine: add, ranks: {K: K, N: N}}\n");
  const auto schedule = [&](const std::string& threads) {
    json answer = map_answer("-a eyeriss -w " + network + " --fuse --budget 200 -t " + threads);
    json& found = answer["network"];
    for (const char* key : {"seconds", "answers"}) found.erase(key);
    return json{found, answer["schedule"], answer["mappings"]};
  };
  const json one = schedule("1");
  EXPECT_EQ(one[0]["status"], "optimal");
  for (const char* threads : {"2", "8"}) EXPECT_EQ(schedule(threads), one) << threads;
}

}  // namespace
}  // namespace heliolite::cli_threads_test
