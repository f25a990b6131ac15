// What goal explore finds with a twentieth of the points, against the whole grid: more of the front than points that
// fill the grid evenly or are drawn at random, and nearly the best point.
#include "engine/sweep/explore.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "engine/sweep/front.h"
#include "engine/sweep/store.h"
#include "tests/support/hypervolume.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::explore_long_test {
namespace {

using testing::content_of;
using testing::hypervolume;
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
                                        "  workloads: ['conv:c=16,k=32,p=12,q=12,r=3,s=3']\n"
                                        "  strategy: sunstone\n  goal: explore\n" +
                                            explore + parameters);
  SweepSpec spec = testing::sweep_of(file);
  spec.options.seed = seed;
  spec.options.threads = 1;
  return spec;
}

SweepRun explore(const std::string& database, const SweepSpec& spec) {
  Store store = testing::store_for(database, spec);
  return run_into(store, spec);
}

// Logarithms of energy, delay and area.
std::vector<FrontCosts> costs(const std::vector<PointRecord>& points, const Ranking& ranking) {
  std::vector<FrontCosts> out;
  for (const PointRecord& p : points)
    if (p.state == PointState::Done)
      out.push_back({std::log(p.energy_pj), std::log(delay(ranking, p)), std::log(p.area_um2)});
  return out;
}

FrontCosts worst_of(const std::vector<FrontCosts>& all) {
  FrontCosts out = all.front();
  for (const FrontCosts& c : all)
    for (std::size_t k = 0; k < c.size(); ++k) out[k] = std::max(out[k], c[k]);
  return out;
}

// With a twentieth of the points.
TEST(ExploreLong, FindsMoreOfTheFrontThanPointsThatFillTheGrid) {
  constexpr u64 kPoints = 48;
  const TempFolder folder;
  SweepSpec all = asked(folder, "");
  all.goal = SweepGoal::All;
  explore(folder.path("all.db"), all);
  const Ranking ranking = ranking_of(all);
  const std::vector<PointRecord> grid = content_of(folder.path("all.db")).points;
  const std::vector<FrontCosts> every = costs(grid, ranking);
  const FrontCosts reference = worst_of(every);
  const double whole = hypervolume(every, reference, 3);
  const auto share = [&](const std::vector<PointRecord>& some) {
    return hypervolume(costs(some, ranking), reference, 3) / whole;
  };
  const auto found = [&](const std::string& first, u64 seed) {
    const std::string database = folder.path(fmt::format("{}{}.db", first, seed));
    explore(database,
            asked(folder, fmt::format("  explore: {{for: front, points: {}{}}}\n", kPoints, first), kGrid, seed));
    return share(content_of(database).points);
  };
  double chosen = 0, even = 0, random = 0;
  constexpr u64 kSeeds = 2;
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    const double here = found("", seed);
    EXPECT_GT(here, 0.97) << seed;
    chosen += here;
    even += found(", first: 48", seed);
    std::vector<PointRecord> drawn;
    std::mt19937_64 draw(seed);
    std::ranges::sample(grid, std::back_inserter(drawn), kPoints, draw);
    random += share(drawn);
  }
  std::cout << "share of the hypervolume: chosen " << chosen / kSeeds << ", even " << even / kSeeds << ", random "
            << random / kSeeds << "\n";
  EXPECT_LT(1 - chosen / kSeeds, 0.5 * (1 - even / kSeeds));
  EXPECT_LT(1 - chosen / kSeeds, 0.5 * (1 - random / kSeeds));
}

TEST(ExploreLong, FindsTheBestPoint) {
  const TempFolder folder;
  SweepSpec all = asked(folder, "");
  all.goal = SweepGoal::All;
  explore(folder.path("all.db"), all);
  double least = content_of(folder.path("all.db")).points.front().value;
  for (const PointRecord& p : content_of(folder.path("all.db")).points)
    if (p.state == PointState::Done) least = std::min(least, p.value);
  for (u64 seed = 1; seed <= 2; ++seed) {
    double found = 1e300;
    const std::string database = folder.path(fmt::format("{}.db", seed));
    explore(database, asked(folder, "  explore: {points: 30}\n", kGrid, seed));
    for (const PointRecord& p : content_of(database).points)
      if (p.state == PointState::Done) found = std::min(found, p.value);
    EXPECT_LT(found, 1.02 * least) << seed;
  }
}

}  // namespace
}  // namespace heliolite::explore_long_test
