// Goal explore: the same points for any number of threads and after interruptions, nothing but admitted points.
#include "engine/sweep/explore.h"

#include <gmock/gmock.h>

#include "engine/sweep/store.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::explore_test {
namespace {

using testing::content_of;
using ::testing::HasSubstr;
using testing::run_into;

// 8 x 6 x 5 x 4 = 960 points.
constexpr const char* kGrid = R"(
  parameters:
    pe: {set: GLB.fanout, values: [1x1, 1x2, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16]}
    spad: {set: Spad.entries, from: 8, to: 256, factor: 2}
    glb: {set: GLB.capacity, from: 1 KB, to: 16 KB, factor: 2}
    dram: {set: DRAM.bandwidth.read, values: [1, 2, 4, 8]}
)";

SweepSpec asked(const TempFolder& folder, const std::string& explore, const std::string& parameters = kGrid,
                u64 seed = 1) {
  folder.write("machine.yaml", testing::kSmallMachine);
  const std::string file = folder.write("sweep.yaml",
                                        "sweep:\n  name: small\n  machine: machine.yaml\n"
                                        "  workloads: ['gemm:16x8x12']\n"
                                        "  strategy: sunstone\n  goal: explore\n" +
                                            explore + parameters);
  SweepSpec spec = testing::sweep_of(file);
  spec.options.seed = seed;
  spec.options.threads = 1;
  return spec;
}

// Rows by the number at which they were chosen.
std::map<u64, PointRecord> explored(const std::string& database) {
  std::map<u64, PointRecord> out;
  for (const PointRecord& point : content_of(database).points) out[explored_number(point).value()] = point;
  return out;
}

SweepRun explore(const std::string& database, const SweepSpec& spec) {
  Store store = testing::store_for(database, spec);
  return run_into(store, spec);
}

TEST(Explore, ChoosesTheSamePointsForAnyThreadsAndAfterInterruptions) {
  for (const char* aim : {"best", "front"}) {
    const TempFolder folder;
    const auto of = [&](u64 points) {
      return asked(folder, fmt::format("  explore: {{for: {}, points: {}, first: 6, batch: 3}}\n", aim, points));
    };
    const SweepRun run = explore(folder.path("one.db"), of(14));
    ASSERT_TRUE(run.explored);
    EXPECT_EQ(run.explored->points, 14u);
    EXPECT_EQ(run.explored->grid, 960u);
    EXPECT_FALSE(run.explored->all);
    SweepSpec parallel = of(14);
    parallel.options.threads = 4;
    explore(folder.path("four.db"), parallel);
    EXPECT_EQ(explored(folder.path("four.db")), explored(folder.path("one.db"))) << aim;
    // Ends within the points that fill the grid, then within some chosen together.
    for (const u64 points : {4, 11, 14})
      EXPECT_EQ(explore(folder.path("often.db"), of(points)).explored->points, points);
    EXPECT_EQ(explored(folder.path("often.db")), explored(folder.path("one.db"))) << aim;
    EXPECT_EQ(explore(folder.path("one.db"), of(14)).searched, 0u);
  }
}

TEST(Explore, LooksAtAllPointsThatAreAdmittedAndAtNoOthers) {
  const TempFolder folder;
  const SweepSpec spec = asked(folder, "  explore: {points: 100, first: 3, batch: 2}\n", R"(
  parameters:
    pe: {set: GLB.fanout, values: [1x2, 2x1, 4x4]}
    spad: {set: Spad.entries, values: [1, 16, 64]}
    keep: {set: GLB.keep, values: [[inputs, outputs], all]}
  constraints: ["spad * pe < 1000"]
)");
  const SweepRun run = explore(folder.path("one.db"), spec);
  EXPECT_TRUE(run.explored->all);
  EXPECT_EQ(run.explored->points, 16u);
  EXPECT_GT(run.explored->unmapped, 0u);
  SweepSpec all = spec;
  all.goal = SweepGoal::All;
  explore(folder.path("all.db"), all);
  std::map<u64, PointState> states;
  for (const PointRecord& p : content_of(folder.path("all.db")).points) states[p.id] = p.state;
  for (const auto& [number, point] : explored(folder.path("one.db"))) EXPECT_EQ(point.state, states.at(point.id));
}

TEST(Explore, RefusesWhatItCannotDo) {
  const TempFolder folder;
  const SweepSpec spec = asked(folder, "");
  Store store = testing::store_for(folder.path("a.db"), spec);
  const auto shard = run_sweep(spec, store, {0, 2});
  ASSERT_FALSE(shard);
  EXPECT_THAT(to_string(shard.errors()), HasSubstr("it has no shards"));
  const auto refused = [&](const std::string& keys) {
    const auto read = load_sweep(testing::small_sweep(folder, keys));
    return read ? "" : to_string(read.errors());
  };
  EXPECT_THAT(refused("  goal: explore\n  sample: 3\n"), HasSubstr("sample: goal explore chooses its points itself"));
  EXPECT_THAT(refused("  goal: explore\n  pilots: 3\n"), HasSubstr("pilots: goal explore cuts no points"));
  EXPECT_THAT(refused("  goal: explore\n  explore: {points: 0}\n"), HasSubstr("points = 0"));
  EXPECT_THAT(refused("  goal: explore\n  explore: {for: worst}\n"), HasSubstr("worst"));
  EXPECT_THAT(refused("  goal: best\n  evaluator: ./me\n"), HasSubstr("goal must be all or explore"));
  EXPECT_THAT(refused("  objective: network_edp\n  evaluator: ./me\n"), HasSubstr("evaluator: objectives of networks"));
  EXPECT_THAT(refused("  evaluator-seconds: 3\n"), HasSubstr("evaluator is not given"));
}

}  // namespace
}  // namespace heliolite::explore_test
