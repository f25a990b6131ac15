// Values from a command: what it says, what goes wrong, and that a search is steered by it alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/mapping_yaml.h"
#include "engine/search/core/evaluator.h"
#include "engine/search/map.h"
#include "tests/support/cli_runner.h"

namespace heliolite::evaluator_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kDocument = "mapping:\n  - level: DRAM\n  - level: Buf\n";
// Answers each document with a number that depends on all of it; one at a time, and one after the other.
constexpr const char* kOnce = "n=7; while IFS= read -r l; do n=$(( (n * 31 + ${#l}) % 9973 )); done; echo $((n + 1))";
constexpr const char* kStream =
    "n=7; while IFS= read -r l; do case $l in ---) ;; ...) echo $((n + 1)); n=7;; "
    "*) n=$(( (n * 31 + ${#l}) % 9973 ));; esac; done";

EvaluatorAnswer ask_once(const std::string& command, double seconds = 20, const std::string& document = kDocument) {
  return Evaluator({.command = command, .seconds = seconds}).ask(document, std::nullopt, nullptr);
}

TEST(Evaluator, TakesTheNumberThatACommandSays) {
  EXPECT_EQ(ask_once("awk '/level/ {n++} END {print n}'").value, 2);
  EXPECT_EQ(ask_once("echo '  1.5e-3  '; echo aside >&2").value, 1.5e-3);
  // A command that does not read, and more than a pipe holds.
  EXPECT_EQ(ask_once("echo 7", 20, std::string(1 << 20, '#')).value, 7);
  EXPECT_EQ(ask_once("wc -c", 20, std::string(1 << 20, '#')).value, 1 << 20);
}

TEST(Evaluator, SaysWhatFailed) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"exit 3", "ended with exit code 3"},
      {"echo 5; exit 4", "ended with exit code 4"},
      {"echo first >&2; echo why >&2; exit 1", "ended with exit code 1: why"},
      {"no_such_command_of_heliolite", "ended with exit code 127"},
      {"kill -9 $$", "ended by signal 9 (SIGKILL)"},
      {"true", "said nothing"},
      {"echo nan", "said 'nan', must be a number above 0"},
      {"echo inf", "must be a number above 0"},
      {"echo 0", "must be a number above 0"},
      {"echo -1", "must be a number above 0"},
      {"echo 1 2", "said '1 2', must be"},
      {"echo 1; echo 2", "must be a number above 0"},
      {"echo 1e999", "must be a number above 0"},
      {"printf '\\377\\000\\033'", "must be a number above 0"},
      {"yes", "said more than 16777216 bytes"},
  };
  for (const auto& [command, why] : cases) {
    const EvaluatorAnswer answer = ask_once(command);
    EXPECT_EQ(answer.value, std::nullopt) << command;
    EXPECT_THAT(answer.failure, HasSubstr(why)) << command;
    EXPECT_FALSE(answer.cut);
  }
  EXPECT_EQ(ask_once("sleep 60; echo 1", 0.05).failure, "gave no answer within 0.05 s");
  // It has said its number and closed its output, but does not end.
  EXPECT_EQ(ask_once("echo 1; exec >/dev/null; sleep 60", 0.2).failure, "gave no answer within 0.2 s");
}

TEST(Evaluator, TalksToOneProcessUntilItFails) {
  Evaluator counting({.command = "n=0; while read -r l; do case $l in ...) n=$((n + 1)); [ $n = 3 ] && exit 5; "
                                 "[ $n = 2 ] && echo no || echo $n;; esac; done",
                      .protocol = EvaluatorProtocol::Stream});
  const auto ask = [&] { return counting.ask(kDocument, std::nullopt, nullptr); };
  EXPECT_EQ(ask().value, 1);
  EXPECT_EQ(ask().failure, "said 'no', must be a number above 0");  // and goes on
  EXPECT_EQ(ask().failure, "ended with exit code 5");               // and is started again
  EXPECT_EQ(ask().value, 1);

  const auto fails = [](const char* command, double seconds = 20) {
    return Evaluator({.command = command, .protocol = EvaluatorProtocol::Stream, .seconds = seconds})
        .ask(kDocument, std::nullopt, nullptr)
        .failure;
  };
  EXPECT_EQ(fails("true"), "ended with exit code 0 before it answered");
  EXPECT_EQ(fails("read -r l; printf '1\\n2\\n'; sleep 60"), "said more than one line to a mapping");
  EXPECT_EQ(fails("echo early; sleep 60; echo 1", 0.05), "said 'early', must be a number above 0");
  EXPECT_EQ(fails("sleep 60", 0.05), "gave no answer within 0.05 s");
  EXPECT_EQ(fails("printf 1; sleep 60", 0.05), "gave no answer within 0.05 s");

  // A process that ends after each answer is no failure.
  Evaluator single({.command = "while read -r l; do case $l in ...) echo 4; exit;; esac; done",
                    .protocol = EvaluatorProtocol::Stream});
  EXPECT_EQ(single.ask(kDocument, std::nullopt, nullptr).value, 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(single.ask(kDocument, std::nullopt, nullptr).value, 4);
}

TEST(Evaluator, ASearchThatEndsCutsItAndLeavesNoProcess) {
  const TempFolder folder;
  const std::string command = "sleep 60 & echo $! >" + folder.path("pid") + "; wait; echo 1";
  for (const EvaluatorProtocol protocol : {EvaluatorProtocol::Once, EvaluatorProtocol::Stream}) {
    Evaluator evaluator({.command = command, .protocol = protocol});
    const EvaluatorAnswer late = evaluator.ask(kDocument, 0.3, nullptr);
    EXPECT_TRUE(late.cut);
    EXPECT_EQ(late.failure, "");
    EXPECT_TRUE(process_ends(folder.path("pid")));
    std::atomic<bool> stop{false};
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      stop = true;
    });
    EXPECT_TRUE(evaluator.ask(kDocument, std::nullopt, &stop).cut);
    later.join();
    EXPECT_TRUE(process_ends(folder.path("pid")));
  }
}

MappingResult searched(SearchOptions options) {
  const Architecture machine = *load_architecture("eyeriss");
  const Workload layer = load_network("conv:k=8,c=4,p=7,r=3")->layers[0].workload;
  const Result<NetworkResult> found = map_network({"one", {{layer, 1}}}, machine, options);
  EXPECT_TRUE(found.ok()) << to_string(found.errors());
  return found->layers[0].result;
}

SearchOptions options_of(Strategy strategy, EvaluatorProtocol protocol) {
  SearchOptions options;
  options.strategy = strategy;
  options.threads = 1;
  options.budget_evaluations = 10;
  options.evaluator = {.command = protocol == EvaluatorProtocol::Once ? kOnce : kStream, .protocol = protocol};
  return options;
}

TEST(Evaluator, EveryStrategyOfValuesObeysItWithAnyThreadsAndProtocol) {
  const Architecture machine = *load_architecture("eyeriss");
  const Workload layer = load_network("conv:k=8,c=4,p=7,r=3")->layers[0].workload;
  for (const Strategy strategy : strategies_of_values()) {
    const MappingResult one = searched(options_of(strategy, EvaluatorProtocol::Stream));
    ASSERT_EQ(one.status, Status::Measured) << name(strategy);
    EXPECT_EQ(one.lower_bound, 0);
    EXPECT_LE(one.evaluator->evaluations, 10u);
    EXPECT_GT(one.evaluator->evaluations, 1u) << name(strategy);
    EXPECT_EQ(one.statistics.evaluated, one.evaluator->evaluations);
    EXPECT_EQ(one.evaluator->failures, 0u) << one.evaluator->first_failure;
    // The command's own word on the mapping that was chosen.
    EXPECT_EQ(ask_once(kOnce, 20, write_mapping(one.mapping, layer, machine)).value, one.value) << name(strategy);
    SearchOptions options = options_of(strategy, EvaluatorProtocol::Stream);
    options.threads = 8;
    const MappingResult many = searched(options);
    EXPECT_EQ(many.mapping, one.mapping) << name(strategy);
    EXPECT_EQ(many.evaluator->evaluations, one.evaluator->evaluations) << name(strategy);
    EXPECT_EQ(many.evaluator->repeated, one.evaluator->repeated) << name(strategy);
  }
  const MappingResult once = searched(options_of(Strategy::Genetic, EvaluatorProtocol::Once));
  EXPECT_EQ(once.mapping, searched(options_of(Strategy::Genetic, EvaluatorProtocol::Stream)).mapping);
}

TEST(Evaluator, FailuresAreCountedAndNoReasonToStop) {
  SearchOptions options = options_of(Strategy::Annealing, EvaluatorProtocol::Once);
  options.evaluator.command = "n=$(wc -c); [ $((n % 2)) = 0 ] && exit 9; echo $n";
  const MappingResult some = searched(options);
  EXPECT_EQ(some.status, Status::Measured);
  EXPECT_EQ(some.evaluator->evaluations, 10u);
  EXPECT_GT(some.evaluator->failures, 0u);
  EXPECT_LT(some.evaluator->failures, 10u);
  EXPECT_EQ(some.evaluator->first_failure, "ended with exit code 9");

  options.evaluator.command = "exit 9";
  const MappingResult none = searched(options);
  EXPECT_EQ(none.status, Status::Infeasible);
  EXPECT_EQ(none.evaluator->failures, 10u);
  EXPECT_THAT(to_string(none.why_infeasible), HasSubstr("10 failures, the first one: ended with exit code 9"));

  options.evaluator = {.command = "exit 9", .protocol = EvaluatorProtocol::Stream};
  options.strategy = Strategy::Random;
  options.budget_evaluations.reset();
  const MappingResult hopeless = searched(options);
  EXPECT_EQ(hopeless.evaluator->failures, kMostFailures);
  EXPECT_EQ(hopeless.status, Status::Infeasible);
}

}  // namespace
}  // namespace heliolite::evaluator_test
