// `map --evaluator`, sweeps with one: answers, refusals, limits, and that no process is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/support/cli_runner.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::cli_evaluator_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kQuestion = "map -a eyeriss -w conv:k=16,c=8,p=14,r=3 --no-look ";

json only_layer(const std::string& arguments) {
  const CliResult result = run_cli(kQuestion + arguments + " --json - -q");
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  return json::parse(result.out, nullptr, false)["layers"][0];
}

TEST(CliEvaluator, TheCostModelAsAnEvaluatorAnswersAsTheCostModel) {
  const TempFolder folder;
  const std::string evaluator =
      folder.write("eval.sh", "'" HELIOLITE_BINARY
                              "' eval -a eyeriss -w conv:k=16,c=8,p=14,r=3 -m /dev/stdin --json - -q |\n"
                              "  sed -n 's/.*\"edp_pj_cycles\": \\([^,]*\\),*/\\1/p' | head -n 1\n");
  const json ours = only_layer("-s random --victory 4 --seed 3");
  const json theirs = only_layer("-s random --victory 4 --seed 3 -t 2 --evaluator 'sh " + evaluator + "'");
  EXPECT_EQ(theirs["mapping"], ours["mapping"]);
  EXPECT_DOUBLE_EQ(theirs["value"].get<double>(), ours["value"].get<double>());
  EXPECT_EQ(theirs["edp_pj_cycles"], ours["edp_pj_cycles"]);
  EXPECT_EQ(theirs["status"], "measured");
  EXPECT_EQ(theirs["lower_bound"], json());
  EXPECT_EQ(theirs["gap"], json());
  EXPECT_EQ(theirs["objective"], "value from sh " + evaluator);
  EXPECT_EQ(theirs["evaluator"]["failures"], 0);
  EXPECT_EQ(theirs["evaluator"]["first_failure"], json());
  EXPECT_EQ(ours["evaluator"], json());
}

TEST(CliEvaluator, SaysWhoseValueItIsAndWhatFailed) {
  const CliResult text = run_cli(std::string(kQuestion) + "-s annealing --evaluations 6 --evaluator 'wc -c'");
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr(", value from wc -c, strategy annealing"));
  EXPECT_THAT(text.out, HasSubstr("Value from wc -c (lower is better; the table has our cost model's numbers):"));
  EXPECT_THAT(text.out, HasSubstr("6 evaluations, 0 failures"));
  EXPECT_THAT(text.out, HasSubstr("measured, perfect factors"));
  const CliResult none = run_cli(std::string(kQuestion) + "-s annealing --evaluations 3 --evaluator 'echo x; exit 3'");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("3 evaluations, 3 failures, the first one: ended with exit code 3"));
}

TEST(CliEvaluator, RefusesWhatItCannotDo) {
  const auto refused = [](const std::string& arguments, const char* why) {
    const CliResult result = run_cli(kQuestion + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_THAT(result.err, HasSubstr(why)) << arguments;
  };
  refused("--evaluator 'wc -c'",
          "evaluator: strategy exact has no such option; random, bayes, exhaustive, random-pruned, hybrid, annealing, "
          "genetic, dmazerunner and interstellar have");
  refused("-s cosa --evaluator 'wc -c'", "strategy cosa has no such option");
  refused("-s random --objective energy --evaluator 'wc -c'", "means nothing with an evaluator");
  refused("-s random --evaluator ' '", "must be a command");
  refused("-s random --evaluator-protocol stream", "is not given, the other options of an evaluator are");
  refused("-s random --evaluator 'wc -c' --evaluator-protocol steam", "did you mean 'stream'");
  refused("-s random --evaluator 'wc -c' --evaluator-seconds 0", "must be seconds above 0");
}

TEST(CliEvaluator, LimitsAndSignalsEndItAndLeaveNoProcess) {
  const TempFolder folder;
  const std::string pid = folder.path("pid"), command = "sleep 300 & echo $! >" + pid + "; wait";
  const CliResult budget = run_cli(kQuestion + std::string("-s random --budget 0.5 --evaluator '") + command + "'");
  EXPECT_EQ(budget.exit_code, 1) << budget.err;
  EXPECT_THAT(budget.err, HasSubstr("no mapping was found within the budget"));
  EXPECT_TRUE(process_ends(pid));
  // SIGKILL cannot be caught.
  for (const int signal : {SIGINT, SIGHUP, SIGKILL}) {
    std::filesystem::remove(pid);
    const Background search({"map", "-a", "eyeriss", "-w", "conv:k=16,c=8,p=14,r=3", "-s", "random", "--evaluator",
                             command, "--evaluator-seconds", "1000"});
    for (int k = 0; k < 1000 && read_text(pid).empty(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(search.end(signal), 128 + signal);
    EXPECT_TRUE(process_ends(pid)) << signal;
  }
}

// On the machine, the layer and with the mapping of the quickstart.
// The command's costs take the place of the model's, by both protocols; what it does not say is no cost.
TEST(CliEvaluator, OfMachinesGivesTheCostsOfASweep) {
  const TempFolder folder;
  const std::string file = testing::small_sweep(folder);
  const std::string example = "python3 " HELIOLITE_TEST_DATA "/../configs/evaluators/machine.py";
  const auto rows = [&](const std::string& name, const std::string& options) {
    const CliResult run = run_cli("sweep " + file + " -o " + folder.path(name) + " " + options);
    EXPECT_NE(run.exit_code, 2) << run.err;
    return testing::content_of(folder.path(name));
  };
  const auto model = rows("model.db", "--goal all");
  const auto stream = rows("stream.db", "--evaluator '" + example + "' --evaluator-protocol stream");
  ASSERT_EQ(model.layers.size(), stream.layers.size());
  u64 measured = 0;
  for (std::size_t k = 0; k < model.layers.size(); ++k) {
    const LayerRecord &ours = model.layers[k], &theirs = stream.layers[k];
    EXPECT_EQ(ours.mapping, theirs.mapping);
    if (ours.mapping.empty()) continue;
    ++measured;
    EXPECT_EQ(theirs.status, "measured");
    EXPECT_GT(theirs.energy_pj, ours.energy_pj);
    EXPECT_GT(theirs.cycles, ours.cycles);
    EXPECT_EQ(theirs.lower_bound, 0);
  }
  EXPECT_GT(measured, 0u);
  const auto once =
      rows("once.db", "--goal explore --explore-points 2 --evaluator 'sed s/.*heliolite_machine..1,.*/7\\ 5/'");
  ASSERT_EQ(once.points.size(), 2u);
  for (const LayerRecord& layer : once.layers)
    EXPECT_EQ(std::pair(layer.energy_pj, layer.cycles),
              layer.mapping.empty() ? std::pair(0.0, 0.0) : std::pair(7.0, 5.0));
  const auto failed = rows("failed.db", "--goal explore --explore-points 6 --evaluator 'echo 3'");
  u64 unanswered = 0;
  for (const PointRecord& point : failed.points) {
    EXPECT_EQ(point.state, PointState::Infeasible);
    unanswered += point.reason.find("said '3', must be 2 numbers above 0 (explored ") != std::string::npos;
  }
  EXPECT_GT(unanswered, 0u);
  EXPECT_NE(std::ranges::count(failed.layers, kFailedEvaluation, &LayerRecord::status), 0);
}

TEST(CliEvaluator, BenchRatesTheMappingsOfCommands) {
  const TempFolder folder;
  const std::string quickstart = HELIOLITE_TEST_DATA "/../configs/quickstart/";
  folder.write("its/mapper.sh",
               "grep -q 'name: quickstart' $1 && grep -q 'K: 32' $2 && cat " + quickstart + "mapping.yaml\n");
  const std::string suite = folder.write("suite.yaml",
                                         "bench:\n  strategies:\n  - exact\n"
                                         R"(
  - {command: "sh {suite}/its/mapper.sh {machine} {workload} >{mapping}", label: legal}
  - {command: "sed 's/C: 2, R: 3/C: 8, R: 3/; s/C: 8\\]/C: 2]/' )" +
                                             quickstart + R"(mapping.yaml", label: too large}
  - {command: "echo 'mapping: 3'", label: no mapping}
  - {command: "'HELIOLITE' map -a {machine} -w {workload} --objective {objective} --budget {seconds} --json {mapping} -q", label: ours}
  - {command: "echo no >&2; exit 3", label: fails}
  - {command: "kill -SEGV $$", label: crashes}
  - {command: "sh -c 'kill -SEGV $$'; exit $?", label: crashes within}
  - {command: "true {mapping}", label: nothing}
  - {command: "sleep 60", budget: 0.2, label: late}
  - {name: annealing, evaluations: 5, evaluator: "wc -c", label: measured}
  machines: [)" + quickstart + "machine.yaml]\n  workloads: [" +
                                             quickstart + "workload.yaml]\n");
  std::string text = read_text(suite);
  text.replace(text.find("'HELIOLITE'"), 11, "'" HELIOLITE_BINARY "'");
  std::filesystem::create_directory(folder.path("tmp"));
  setenv("TMPDIR", folder.path("tmp").c_str(), 1);
  const CliResult result = run_cli("bench " + folder.write("suite.yaml", text) + " --json - -q");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::map<std::string, json> rows;
  const json answer = json::parse(result.out, nullptr, false);
  for (const json& row : answer["rows"]) rows[row["strategy"]] = row;
  EXPECT_EQ(rows["ours"]["value"], rows["exact"]["value"]);
  EXPECT_EQ(rows["ours"]["ratio_to_best"], 1);
  EXPECT_EQ(rows["legal"]["status"], "bounded");
  EXPECT_EQ(rows["legal"]["evaluated"], 1);
  EXPECT_EQ(rows["legal"]["gap"], json());
  EXPECT_GT(rows["legal"]["ratio_to_best"], 1);
  EXPECT_EQ(rows["legal"]["trace"].size(), 1u);
  const auto reason = [&](const char* row, const char* status) {
    EXPECT_EQ(rows[row]["status"], status) << row;
    EXPECT_EQ(rows[row]["value"], json()) << row;
    return rows[row]["reasons"].empty() ? std::string() : rows[row]["reasons"][0].get<std::string>();
  };
  EXPECT_THAT(reason("too large", "infeasible"), HasSubstr("Regs"));
  EXPECT_THAT(reason("no mapping", "infeasible"), HasSubstr("its answer:1: mapping"));
  EXPECT_EQ(reason("fails", "failed"), "command: ended with exit code 3: no");
  EXPECT_EQ(reason("crashes", "crashed"), "crashed: ended by signal 11 (SIGSEGV)");
  EXPECT_THAT(reason("crashes within", "crashed"), HasSubstr("crashed: ended with exit code 139 (SIGSEGV)"));
  EXPECT_EQ(reason("nothing", "failed"), "command: wrote no file {mapping}");
  EXPECT_EQ(reason("late", "failed"), "command: did not end within 0.2 s");
  EXPECT_EQ(rows["measured"]["status"], "measured");
  EXPECT_EQ(rows["measured"]["evaluator"]["evaluations"], 5);
  EXPECT_GE(rows["measured"]["ratio_to_best"], 1);
  const bool clean = std::filesystem::is_empty(folder.path("tmp"));
  unsetenv("TMPDIR");
  EXPECT_TRUE(clean);
}

}  // namespace
}  // namespace heliolite::cli_evaluator_test
