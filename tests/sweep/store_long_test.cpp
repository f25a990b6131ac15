// Thousands of damaged databases, and programs killed at random: what takes minutes.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "tests/support/store_damage.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::store_long_test {
namespace {

using testing::content_of;
using testing::pick;

constexpr u64 kDamagedCopies = 2000;

TEST(StoreLong, NoDamageGivesOtherRowsWithoutAWord) {
  const testing::Damageable closed(false), killed(true);
  testing::DamageCounts counts;
  for (u64 seed = 0; seed < kDamagedCopies; ++seed)
    testing::expect_rows_or_complaint(seed % 3 == 0 ? killed : closed, 1000 + seed, counts);
  std::cout << counts.silent << " hit nothing, " << counts.noticed << " were noticed, " << counts.repaired
            << " repaired, " << counts.lost << " lost\n";
}

// Kills `arguments` at random moments of the time that it takes; `after` is what must hold each time.
void kill_often(int times, const std::vector<std::string>& arguments, const std::function<void()>& after) {
  testing::Rng rng(7);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(Background(arguments).wait(), 0);
  const auto whole = std::chrono::steady_clock::now() - begin;
  int killed = 0;
  for (int k = 0; k < times; ++k) {
    const Background run(arguments);
    std::this_thread::sleep_for(whole * pick(rng, 1, 1000) / 1000);
    killed += run.end(SIGKILL) == 128 + SIGKILL;
    after();
  }
  EXPECT_GT(killed, times / 4);
}

// The commands that read and unite, killed again and again: what they read stays, and what they write is whole or old.
TEST(StoreLong, KilledMergesAndReportsLeaveWholeFiles) {
  const TempFolder folder;
  const std::string file = testing::small_sweep(folder, "  goal: front\n  pilots: 3\n"), one = folder.path("one.db"),
                    out = folder.path("out.db"), page = folder.path("page.html");
  ASSERT_EQ(run_cli("sweep " + file + " -o " + one).exit_code, 0);
  std::vector<std::string> merge{"merge", out};
  for (const char* shard : {"1", "2", "3"}) {
    merge.push_back(folder.path(std::string("part") + shard + ".db"));
    ASSERT_EQ(run_cli("sweep " + file + " -o " + merge.back() + " --shard " + shard + "/3").exit_code, 0);
  }
  const auto rows = content_of(one);
  kill_often(60, merge, [&] { EXPECT_EQ(content_of(out), rows); });
  kill_often(60, {"report", out, "-o", page}, [&] {
    EXPECT_EQ(content_of(out), rows);
    EXPECT_TRUE(read_text(page).ends_with("</html>\n"));
  });
  EXPECT_EQ(run_cli("sweep " + file + " -o " + out + " --resume").exit_code, 0);
  EXPECT_EQ(content_of(out), rows);
}

// A sweep and its repair, killed in turns.
TEST(StoreLong, KilledRunsAndRepairsEndAsIfTheyWereNot) {
  const TempFolder folder;
  const std::string file = testing::small_sweep(folder, "  goal: front\n  pilots: 3\n"),
                    through = folder.path("one.db"), db = folder.path("killed.db");
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run_cli("sweep " + file + " -o " + through).exit_code, 0);
  const auto whole = std::chrono::steady_clock::now() - begin;
  const auto rows = content_of(through);
  testing::Rng rng(8);
  for (int round = 0; round < 40; ++round) {
    {
      const Background run({"sweep", file, "-o", db, "--resume", "--repair", "--quiet"});
      std::this_thread::sleep_for(whole * pick(rng, 1, 1000) / 1000);
      run.end(SIGKILL);
    }
    if (round % 4 != 3) continue;
    ASSERT_EQ(run_cli("sweep " + file + " -o " + db + " --resume --repair").exit_code, 0);
    ASSERT_EQ(content_of(db), rows);
    const auto database = SqlDatabase::open(db, SqlDatabase::Access::Write);
    ASSERT_TRUE(
        database->execute("UPDATE points SET value = value / 2 WHERE id % 3 = 1; DELETE FROM layers WHERE point = 8")
            .empty());
  }
}

}  // namespace
}  // namespace heliolite::store_long_test
