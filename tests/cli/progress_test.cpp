// What a search tells while it runs, and how it ends when interrupted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "cli/ui/long_work.h"
#include "cli/ui/output.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/map.h"
#include "tests/support/cli_runner.h"

namespace heliolite::progress_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Progress, EveryLayerIsReportedOnce) {
  const auto machine = load_architecture("edge_unified");
  const auto small = load_network("gemm:16x16x16"), other = load_network("gemm:32x16x8");
  ASSERT_TRUE(machine.ok() && small.ok() && other.ok());
  Layer again = small->layers[0], different = other->layers[0];
  again.workload.name = "again";
  different.workload.name = "different";
  const Network network{"n", {small->layers[0], different, again}};
  for (int threads : {1, 4}) {
    SearchOptions options;
    options.threads = threads;
    std::atomic<int> inside{0};
    u64 last = 0, finished = 0;
    double value = 0;
    options.progress = [&](const SearchProgress& news) {
      EXPECT_EQ(inside++, 0);  // one call at a time
      EXPECT_EQ(news.layers, 3u);
      EXPECT_GE(news.layers_done, last);
      last = news.layers_done;
      finished += news.layer_done;
      if (news.layer != "different") value = news.value;
      --inside;
    };
    const auto result = map_network(network, *machine, options);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(last, 3u);
    EXPECT_EQ(finished, 2u);  // two layers share a shape
    EXPECT_EQ(value, result->layers[0].result.value);
  }
}

// A search that would take years, interrupted after half a second.
const std::string kEndless = "map -a eyeriss -w resnet18/conv2_x -s exhaustive -t 1";

CliResult interrupted(const std::string& arguments, const std::string& signal = "INT") {
  const TempFolder folder;
  const std::string command = "timeout --foreground --preserve-status -k 20 -s " + signal + " " +
                              std::to_string(0.5 * kSlowdown) + " '" HELIOLITE_BINARY "' " + arguments + " >" +
                              folder.path("out") + " 2>" + folder.path("err") + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text(folder.path("out")),
          read_text(folder.path("err"))};
}

TEST(Progress, CtrlCPrintsTheBestSoFar) {
  for (const char* signal : {"INT", "TERM"}) {
    const TempFolder folder;
    const CliResult r = interrupted(kEndless + " --json " + folder.path("j"), signal);
    EXPECT_EQ(r.exit_code, 130) << r.err;
    EXPECT_THAT(r.out, HasSubstr("conv2_x"));
    EXPECT_THAT(r.err, HasSubstr("interrupted, this is the best found so far"));
    const auto json = nlohmann::json::parse(read_text(folder.path("j")));
    EXPECT_EQ(json["total"]["interrupted"], true);
    EXPECT_EQ(json["layers"][0]["status"], "bounded");
    EXPECT_FALSE(json["layers"][0]["mapping"].is_null());
  }
}

TEST(Progress, CtrlCStopsEveryStrategy) {
  for (const char* strategy : {"exact", "exact --factors any", "sunstone", "sunstone --factors any",
                               "random --victory 1000000000", "exhaustive"}) {
    const double before = cpu_seconds_of_programs();
    const CliResult r =
        interrupted("map -a dc_split -w conv:n=16,k=512,c=512,p=56,q=56,r=3,s=3 -t 1 -s " + std::string(strategy));
    EXPECT_LT(cpu_seconds_of_programs() - before, 2.5 * kSlowdown) << strategy;
    EXPECT_TRUE(r.exit_code == 130 || r.exit_code == 0) << strategy << " " << r.exit_code << r.err;  // 0: it was faster
    EXPECT_THAT(r.out, HasSubstr("total")) << strategy;
  }
}

// `script` gives the program a terminal.
TEST(Progress, BarOnATerminalOnly) {
  if (std::system("command -v script >/dev/null") != 0) GTEST_SKIP() << "no program script";
  const TempFolder folder;
  const std::string long_work = "'" HELIOLITE_BINARY "' " + kEndless + " --budget 1";
  std::ignore =
      std::system(("script -qec \"" + long_work + "\" /dev/null >" + folder.path("long") + " </dev/null").c_str());
  EXPECT_THAT(read_text(folder.path("long")), HasSubstr("0 of 1 layers"));
  std::ignore =
      std::system(("script -qec \"" + long_work + " -q\" /dev/null >" + folder.path("quiet") + " </dev/null").c_str());
  EXPECT_THAT(read_text(folder.path("quiet")), Not(HasSubstr("of 1 layers")));
  const CliResult piped = run_cli(kEndless + " --budget 1");
  EXPECT_EQ(piped.err, "");
  EXPECT_EQ(piped.exit_code, 0);
}

// In a terminal of its own, whose lines are returned.
std::string on_a_terminal(const std::function<void()>& work) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    work();
    _exit(0);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(terminal, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  close(terminal);
  waitpid(child, nullptr, 0);
  return text;
}

TEST(Progress, LongWorkSaysOnceHowToStop) {
  const auto work = [](std::chrono::milliseconds after) {
    cli::Output output;
    cli::Progress progress(output, "layers", 2, {"how to stop", after});
    progress.update(0, "conv1: best 3.05e+12, gap 4.1 %");
    std::this_thread::sleep_for(std::chrono::milliseconds(900));
  };
  const std::string text = on_a_terminal([&] { work(std::chrono::milliseconds(100)); });
  const std::size_t hint = text.find("heliolite: how to stop");
  ASSERT_NE(hint, std::string::npos) << text;
  EXPECT_EQ(text.find("how to stop", hint + 15), std::string::npos) << text;
  EXPECT_THAT(text.substr(hint), HasSubstr("conv1: best 3.05e+12, gap 4.1 %"));
  EXPECT_THAT(on_a_terminal([&] { work(std::chrono::seconds(30)); }), Not(HasSubstr("how to stop")));
}

TEST(Progress, ASearchTellsOfItsBestAndItsBound) {
  const auto machine = load_architecture("eyeriss");
  const auto network = load_network("conv:k=16,c=8,p=14,q=14,r=3,s=3");
  ASSERT_TRUE(machine.ok() && network.ok());
  SearchOptions options;
  double value = 0, bound = 0;
  int news = 0;
  options.progress = [&](const SearchProgress& p) {
    if (p.layer_done) return;
    ++news;
    EXPECT_TRUE(value == 0 || p.value <= value);
    EXPECT_GE(p.lower_bound, bound);
    value = p.value;
    bound = p.lower_bound;
  };
  const MappingResult found = map_network(*network, *machine, options)->layers[0].result;
  EXPECT_GT(news, 3);
  EXPECT_GE(value, found.value);
  EXPECT_LE(bound, found.value * (1 + 1e-12));
  EXPECT_GT(bound, 0.9 * found.value);
}

}  // namespace
}  // namespace heliolite::progress_test
