// The work left of a sweep, dealt anew: every point without a row once, by what points took, and merged it is one run.
#include "engine/sweep/rest.h"
#include "engine/sweep/design_points.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "engine/sweep/merge.h"
#include "engine/sweep/store.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::rest_test {
namespace {

using testing::content_of;
using ::testing::HasSubstr;
using testing::small_sweep;
using testing::sweep_of;

std::string part_path(const TempFolder& folder, u64 part) {
  return folder.path("rest/" + std::to_string(part + 1) + ".points");
}

Result<SweepRest> deal(const TempFolder& folder, const std::string& database, const SweepSpec& spec, u64 parts) {
  std::filesystem::remove_all(folder.path("rest"));
  std::filesystem::create_directory(folder.path("rest"));
  const Result<Store> merged = Store::read(database);
  if (!merged) return merged.errors();
  return deal_rest(*merged, spec, parts, folder.path("rest"));
}

void run_part(const std::string& database, const SweepSpec& spec, const Shard& part) {
  auto store = Store::create(database, sweep_record(spec, part, "test"));
  ASSERT_TRUE(store) << to_string(store.errors());
  ASSERT_TRUE(run_sweep(spec, *store, part));
  ASSERT_TRUE(store->close(true).empty());
}

// One of three shards is there; what is left is run in `parts` parts.
void expect_one_run(const std::string& extra, u64 parts) {
  const TempFolder folder;
  SweepSpec spec = sweep_of(small_sweep(folder, extra));
  spec.options.threads = 1;
  run_part(folder.path("one.db"), spec, {});
  run_part(folder.path("shard.db"), spec, {1, 3});
  ASSERT_TRUE(merge_shards(folder.path("out.db"), std::vector{folder.path("shard.db")}));
  const auto rest = deal(folder, folder.path("out.db"), spec, parts);
  ASSERT_TRUE(rest) << to_string(rest.errors());
  EXPECT_EQ(rest->points + content_of(folder.path("out.db")).points.size(), DesignPoints(spec).planned());
  std::vector<std::string> databases;
  for (u64 part = 0; part < rest->parts.size(); ++part) {
    const auto listed = read_points_file(part_path(folder, part), sweep_question(spec));
    ASSERT_TRUE(listed) << to_string(listed.errors());
    databases.push_back(folder.path("rest" + std::to_string(part) + ".db"));
    run_part(databases.back(), spec, *listed);
  }
  const auto merged = merge_shards(folder.path("out.db"), databases);
  ASSERT_TRUE(merged) << to_string(merged.errors());
  EXPECT_TRUE(merged->complete());
  EXPECT_EQ(content_of(folder.path("out.db")), content_of(folder.path("one.db")));
  EXPECT_TRUE(deal(folder, folder.path("out.db"), spec, parts)->parts.empty());
}

TEST(Rest, OfAllPointsEndsAsOneRun) { expect_one_run("", 4); }
TEST(Rest, OfASampleEndsAsOneRun) { expect_one_run("  sample: 11\n", 3); }
TEST(Rest, OfAFrontEndsAsOneRun) { expect_one_run("  goal: front\n  pilots: 2\n", 2); }
TEST(Rest, OfFamiliesEndsAsOneRun) { expect_one_run("  goal: best\n  rank: layers\n", 2); }
TEST(Rest, HasNoMorePartsThanPoints) { expect_one_run("", 1000); }

// The second parameter decides how long a point takes: parts take equally long, whatever they hold.
TEST(Rest, IsDealtByWhatPointsTook) {
  const TempFolder folder;
  const SweepSpec spec = sweep_of(small_sweep(folder, "", R"(
  parameters:
    pe: {set: GLB.fanout, values: [1x2, 2x2]}
    spad: {set: Spad.entries, values: [64, 128]}
    glb: {set: GLB.capacity, from: 1 KB, to: 100 KB, step: 1 KB}
)"));
  const DesignPoints points(spec);
  WorkEstimate work(points, 3);
  EXPECT_EQ(work.seconds(0), WorkEstimate::kSecondsUnknown);
  for (u64 id = 0; id < points.grid(); id += 3) work.add(id, points.choice(id)[1] == 0 ? 1 : 9);
  for (u64 k = 0; k < 100; ++k) {
    const double quick = work.seconds(k), slow = work.seconds(k + 100);
    EXPECT_NEAR(quick, 1, 0.6) << k;
    EXPECT_GT(slow, 5 * quick) << k;
  }
}

TEST(Rest, FilesOfPartsAreChecked) {
  const TempFolder folder;
  const auto complaint = [&](const std::string& text) {
    const auto read = read_points_file(folder.write("p", text), "abc");
    return read ? "" : to_string(read.errors());
  };
  const std::string head = "heliolite points 1\nsweep abc\npart 2 of 3\n";
  EXPECT_EQ(complaint(head + "4\n7\n"), "");
  EXPECT_EQ(complaint(head), "");
  EXPECT_THAT(complaint("points\n"), HasSubstr("p:1: 'points', must be 'heliolite points 1'"));
  EXPECT_THAT(complaint("heliolite points 1\nsweep abd\n"), HasSubstr("p:2: 'sweep abd': points of another sweep"));
  EXPECT_THAT(complaint("heliolite points 1\nsweep abc\npart 4 of 3\n"), HasSubstr("must be 'part I of N'"));
  EXPECT_THAT(complaint(head + "7\n7\n"), HasSubstr("p:5: '7', must be a number above the one before"));
  EXPECT_THAT(complaint(head + "x\n"), HasSubstr("p:4: 'x'"));
}

TEST(Rest, IsRefusedWherePointsAreProvenByEachOther) {
  const TempFolder folder;
  EXPECT_EQ(rest_refused(sweep_of(small_sweep(folder))), "");
  const SweepOverrides exact{.options = {*given_options({{"strategy", "exact"}})}};
  const auto refused = [&](const std::string& goal) {
    return rest_refused(*load_sweep(small_sweep(folder, "  goal: " + goal + "\n"), exact));
  };
  EXPECT_THAT(refused("best"), HasSubstr("sets of machines"));
  EXPECT_THAT(refused("front"), HasSubstr("proves points"));
  EXPECT_EQ(refused("all"), "");
}

}  // namespace
}  // namespace heliolite::rest_test
