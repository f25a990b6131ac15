// The public headers give what the engine gives: sweeps, their runs, and what their databases hold.
#define HELIOLITE_API_APART
#include <gtest/gtest.h>
#include <heliolite/sweep.h>
#include <heliolite/version.h>

#include <algorithm>
#include <atomic>
#include <sstream>
#include <string>
#include <vector>

#include "engine/sweep/export.h"
#include "engine/sweep/front.h"
#include "engine/sweep/question.h"
#include "engine/sweep/runner.h"
#include "engine/sweep/store.h"
#include "engine/sweep/sweep_yaml.h"
#include "tests/support/cli_runner.h"

namespace heliolite::api_sweep_test {
namespace {

constexpr const char* kSweep = R"(
sweep:
  name: four
  machine: eyeriss_45nm
  workloads: [{workload: "gemm:64x64x64"}, {workload: "gemm:32x128x16"}]
  strategy: sunstone
  parameters:
    pe: {set: GLB.fanout, values: [4x4, 8x8]}
    glb: {set: GLB.capacity, values: [32 KB, 64 KB]}
)";

template <class T>
std::string errors_of(const Result<T>& result) {
  return result ? std::string() : to_string(result.errors());
}

// Columns of seconds differ from run to run.
std::string points_of(const std::string& database) {
  const auto results = api::SweepResults::open(database);
  EXPECT_TRUE(results) << errors_of(results);
  std::ostringstream out;
  EXPECT_TRUE(results->write_points(out).empty());
  return out.str();
}

TEST(ApiSweep, RunsAsTheEnginesAndGoesOn) {
  const TempFolder folder;
  const auto sweep = api::parse_sweep(kSweep, folder.path("four.yaml"));
  ASSERT_TRUE(sweep) << errors_of(sweep);
  EXPECT_EQ(sweep->name(), "four");
  EXPECT_EQ(sweep->parameters(), (std::vector<std::string>{"pe", "glb"}));
  EXPECT_EQ(sweep->planned_points(), 4);
  EXPECT_EQ(sweep->layers().size(), 2);
  const std::string database = folder.path("four.db");
  std::uint64_t seen = 0;
  api::RunOptions options{.threads = 2};
  options.progress = [&](const api::SweepProgress& news) { seen = std::max(seen, news.points); };
  const auto run = api::run_sweep(*sweep, database, options);
  ASSERT_TRUE(run) << errors_of(run);
  EXPECT_EQ(run->points, 4);
  EXPECT_EQ(seen, 4);
  EXPECT_EQ(api::run_sweep(*sweep, database)->points, 0) << "nothing is left";

  const SweepSpec spec = *parse_sweep(kSweep, folder.path("four.yaml"));
  {
    auto store = Store::create(folder.path("engine.db"), sweep_record(spec, {}, to_string(version_info())));
    ASSERT_TRUE(store && run_sweep(spec, *store, {}));
    EXPECT_TRUE(store->close(true).empty());
  }
  EXPECT_EQ(points_of(database), points_of(folder.path("engine.db")));

  const auto results = api::SweepResults::open(database);
  ASSERT_TRUE(results) << errors_of(results);
  EXPECT_EQ(results->info().strategy, "sunstone");
  const auto summary = results->summarize(2);
  const auto engine = summarize(*Store::read(database), 2);
  ASSERT_TRUE(summary && engine);
  EXPECT_EQ(summary->done(), 4);
  ASSERT_EQ(summary->best.size(), 2);
  EXPECT_EQ(summary->best.front().id, engine->best.front().id);
  EXPECT_EQ(summary->best.front().value, engine->best.front().value);
  EXPECT_EQ(summary->front.size(), engine->front.size());
  EXPECT_EQ(summary->effects.size(), 4);
  std::size_t points = 0;
  EXPECT_TRUE(
      results->visit([&](const api::DesignPoint& point) { return point.state == "done" && ++points > 0; }).empty());
  EXPECT_EQ(points, 4);
  const auto layers = results->layers(3);
  ASSERT_TRUE(layers) << errors_of(layers);
  ASSERT_EQ(layers->size(), 2);
  EXPECT_FALSE(layers->front().mapping.empty());
  EXPECT_THAT(errors_of(results->layers(4)), ::testing::HasSubstr("has no point 4"));
  std::ostringstream rows;
  EXPECT_TRUE(results->write_layers(rows).empty());
  EXPECT_THAT(rows.str(), ::testing::HasSubstr("search_seconds"));
}

TEST(ApiSweep, ShardsAreUnited) {
  const TempFolder folder;
  const auto sweep = api::parse_sweep(kSweep, folder.path("four.yaml"));
  std::vector<std::string> parts;
  for (const std::uint64_t shard : {0, 1}) {
    parts.push_back(folder.path("part" + std::to_string(shard) + ".db"));
    ASSERT_TRUE(api::run_sweep(*sweep, parts.back(), {.shard = shard, .shards = 2}));
  }
  const auto merged = api::merge_sweeps(folder.path("all.db"), parts);
  ASSERT_TRUE(merged) << errors_of(merged);
  EXPECT_EQ(merged->points, 4);
  EXPECT_TRUE(merged->missing.empty());
  ASSERT_TRUE(api::run_sweep(*sweep, folder.path("whole.db")));
  EXPECT_EQ(points_of(folder.path("all.db")), points_of(folder.path("whole.db")));
  EXPECT_FALSE(api::run_sweep(*sweep, parts.back())) << "another shard's";
}

TEST(ApiSweep, OptionsReplaceTheFiles) {
  const TempFolder folder;
  const auto sweep =
      api::parse_sweep(kSweep, folder.path("four.yaml"),
                       {.goal = "front", .sample = 2, .search = {{"strategy", "random"}, {"seed", "7"}}});
  ASSERT_TRUE(sweep) << errors_of(sweep);
  EXPECT_EQ(sweep->planned_points(), 2);
  const auto refused =
      api::parse_sweep(kSweep, folder.path("four.yaml"),
                       {.goal = "bst", .rank = "total", .search = {{"seed", "x"}}, .reading = {.word_bits = "many"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors().size(), 4) << errors_of(refused);
  EXPECT_THAT(
      errors_of(refused),
      ::testing::AllOf(::testing::HasSubstr("goal = bst, must be all, front, best or explore, did you mean 'best'?"),
                       ::testing::HasSubstr("rank = total, must be totals or layers")));
  const auto bad = api::run_sweep(*sweep, folder.path("bad.db"), {.threads = -1, .shard = 2, .shards = 2});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.errors().size(), 2) << errors_of(bad);
}

TEST(ApiSweep, StopsWhenAskedAndGoesOn) {
  const TempFolder folder;
  const auto sweep = api::parse_sweep(kSweep, folder.path("four.yaml"));
  std::atomic<bool> stop = false;
  api::RunOptions options{.threads = 1, .stop = &stop};
  options.progress = [&](const api::SweepProgress& news) { stop = news.points >= 1; };
  const auto run = api::run_sweep(*sweep, folder.path("four.db"), options);
  ASSERT_TRUE(run) << errors_of(run);
  EXPECT_TRUE(run->interrupted);
  const auto rest = api::run_sweep(*sweep, folder.path("four.db"));
  ASSERT_TRUE(rest) << errors_of(rest);
  EXPECT_EQ(run->points + rest->points, 4);
}

TEST(ApiSweep, DatabasesThatAreNoneAreRefused) {
  const TempFolder folder;
  EXPECT_FALSE(api::SweepResults::open(folder.path("none.db")));
  EXPECT_FALSE(api::SweepResults::open(folder.write("text.db", "no database")));
}

}  // namespace
}  // namespace heliolite::api_sweep_test
