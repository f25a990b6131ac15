// heliolite sweep: nothing is lost when it is killed, when its database is damaged or gone, when the grid grows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/sweep/store_sql.h"
#include "tests/support/cli_runner.h"
#include "tests/support/random_problem.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::cli_sweep_kept_test {
namespace {

using testing::content_of;
using ::testing::HasSubstr;
using testing::small_sweep;

using namespace std::chrono_literals;

TEST(CliSweepKept, NeverOverwrites) {
  const TempFolder folder;
  const std::string sweep = "sweep " + small_sweep(folder) + " -o " + folder.path("r.db");
  ASSERT_EQ(run_cli(sweep).exit_code, 0);
  const auto rows = content_of(folder.path("r.db"));
  const CliResult again = run_cli(sweep);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("--resume"));
  EXPECT_EQ(run_cli(sweep + " --objective delay --resume").exit_code, 2);
  const CliResult resumed = run_cli(sweep + " --resume");
  EXPECT_EQ(resumed.exit_code, 0);
  EXPECT_THAT(resumed.out, HasSubstr("0 layers searched"));
  EXPECT_EQ(content_of(folder.path("r.db")), rows);
}

// Larger than the others: it lasts for some tenths of a second.
std::string longer_sweep(const TempFolder& folder) {
  return small_sweep(folder, "  goal: front\n  pilots: 4\n",
                     "  parameters:\n"
                     "    pe: {set: GLB.fanout, values: [1x2, 2x2, 4x4, 2x8]}\n"
                     "    spad: {set: Spad.entries, from: 16, to: 112, step: 16}\n"
                     "    glb: {set: GLB.capacity, from: 1 KB, to: 4 KB, step: 512 B}\n");
}

TEST(CliSweepKept, KilledTwentyTimesItEndsAsIfItWereNot) {
  const TempFolder folder;
  const std::string file = longer_sweep(folder), through = folder.path("through.db"), db = folder.path("killed.db");
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run_cli("sweep " + file + " -o " + through).exit_code, 0);
  const auto whole = std::chrono::steady_clock::now() - begin;
  testing::Rng rng(1);
  int killed = 0;
  for (int k = 0; k < 20; ++k) {
    const Background run({"sweep", file, "-o", db, "--resume", "--threads", std::to_string(1 + k % 2), "--quiet"});
    std::this_thread::sleep_for(whole * testing::pick(rng, 1, 100) / 800);
    killed += run.end(SIGKILL) == 128 + SIGKILL;
  }
  EXPECT_GT(killed, 0);
  ASSERT_EQ(run_cli("sweep " + file + " -o " + db + " --resume").exit_code, 0);
  EXPECT_EQ(content_of(db), content_of(through));
}

// Whoever reads the rows says which one is damaged, and it is searched again when that is asked for.
TEST(CliSweepKept, DamagedRowsAreRefusedAndSearchedAgain) {
  const TempFolder folder;
  const std::string db = folder.path("r.db"), run = "sweep " + small_sweep(folder) + " -o " + db + " --resume";
  ASSERT_EQ(run_cli(run).exit_code, 0);
  const auto rows = content_of(db);
  const std::string id = std::to_string(std::ranges::find(rows.points, PointState::Done, &PointRecord::state)->id);
  {
    const auto database = SqlDatabase::open(db, SqlDatabase::Access::Write);
    ASSERT_TRUE(database->execute("UPDATE points SET energy_pj = energy_pj / 2 WHERE id = " + id).empty());
  }
  for (const std::string& command :
       {run, "sweep --status " + db, "sweep --export " + db + " --csv " + folder.path("p.csv"),
        "sweep --export " + db + " --json " + folder.path("a.json"), "report " + db,
        "merge " + folder.path("m.db") + " " + db}) {
    const CliResult refused = run_cli(command);
    EXPECT_EQ(refused.exit_code, 2) << command;
    EXPECT_THAT(refused.err, HasSubstr("r.db: points, id " + id + ": the row is damaged")) << command;
  }
  EXPECT_EQ(run_cli("sweep x.yaml --repair").exit_code, 2);
  const CliResult repaired = run_cli(run + " --repair");
  EXPECT_EQ(repaired.exit_code, 0);
  EXPECT_THAT(repaired.err, HasSubstr("23 points and"));
  EXPECT_THAT(repaired.out, HasSubstr("0 layers searched"));
  EXPECT_EQ(content_of(db), rows);
  EXPECT_TRUE(std::filesystem::exists(db + ".damaged"));
}

// It is not said that results are in a file which they are not in.
TEST(CliSweepKept, SaysThatItsDatabaseIsGone) {
  for (const bool removed : {false, true}) {
    const TempFolder folder;
    const std::string db = folder.path("r.db");
    const Background run({"sweep", longer_sweep(folder), "-o", db, "--quiet", "--threads", "1"});
    while (!std::filesystem::exists(db + "-wal")) std::this_thread::sleep_for(1ms);
    if (removed) std::filesystem::remove(db);
    else std::filesystem::resize_file(db, 0);
    EXPECT_EQ(run.wait(), 2);
  }
}

TEST(CliSweepKept, EndsSoonWhenAskedTo) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const TempFolder folder;
    const std::string db = folder.path("r.db");
    // Hours of work: exact, on large layers.
    const std::string file =
        folder.write("large.yaml",
                     "sweep:\n  machine: eyeriss_45nm\n  workloads: resnet18\n  strategy: exact\n"
                     "  parameters:\n    glb: {set: GLB.capacity, from: 32 KB, to: 512 KB, step: 1 KB}\n");
    const Background run({"sweep", file, "-o", db, "--threads", "2", "--quiet"});
    EXPECT_TRUE(run.handles(signal));
    std::this_thread::sleep_for(500ms);
    const auto asked = std::chrono::steady_clock::now();
    EXPECT_EQ(run.end(signal), 130);
    EXPECT_LT(std::chrono::steady_clock::now() - asked, 2s * kSlowdown);
    EXPECT_EQ(run_cli("sweep --status " + db).exit_code, 0);
  }
}

// More values of a parameter: what is known stays, and the answer says how much.
TEST(CliSweepKept, GoesOnWithAGridThatGrew) {
  const TempFolder folder;
  const auto file = [&](const char* values) {
    return small_sweep(folder, "",
                       std::string("  parameters:\n    spad: {set: Spad.entries, values: ") + values + "}\n");
  };
  const std::string db = folder.path("a.db"), json = folder.path("a.json");
  ASSERT_EQ(run_cli("sweep " + file("[64]") + " -o " + db).exit_code, 0);
  const CliResult run = run_cli("sweep " + file("[16, 64]") + " --resume -o " + db + " --json " + json);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1 points and 2 layers of it are taken over"));
  const auto answer = nlohmann::json::parse(read_text(json));
  EXPECT_EQ(answer["taken_over"]["points"], 1);
  EXPECT_EQ(answer["searched"], 2);
  EXPECT_EQ(answer["out_of_time"], false);
  EXPECT_EQ(answer["counts"]["done"], 2);
  EXPECT_EQ(run_cli("sweep --status " + db + ".before").exit_code, 0);
}

}  // namespace
}  // namespace heliolite::cli_sweep_kept_test
