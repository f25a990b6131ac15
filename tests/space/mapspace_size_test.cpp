#include "engine/space/mapspace_size.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <numeric>

#include "engine/space/divisors.h"
#include "tests/support/space_workloads.h"

namespace heliolite::mapspace_size_test {
namespace {

using namespace heliolite::testing;  // NOLINT(google-build-using-namespace)

StorageLevel level(u64 fanout_x = 1, u64 fanout_y = 1) {
  StorageLevel l;
  l.name = "level";
  l.fanout_x = fanout_x;
  l.fanout_y = fanout_y;
  l.keep.keep = {"all"};
  return l;
}

Architecture machine(std::vector<StorageLevel> levels) {
  Architecture a;
  a.levels = std::move(levels);
  for (std::size_t l = 0; l < a.levels.size(); ++l) a.levels[l].name += std::to_string(l);
  return a;
}

MapspaceSize size_of(const Workload& w, const Architecture& a, MapspaceSizeOptions options = {}) {
  const auto space = resolve(w, a);
  EXPECT_TRUE(space.ok()) << (space.ok() ? "" : to_string(space.errors()));
  return mapspace_size(*space, options);
}

u64 factorial(u64 n) { return n <= 1 ? 1 : n * factorial(n - 1); }

// Counts by walking through every assignment of factors to (dimension, level, temporal / X / Y).
struct Walked {
  u64 tilings = 0;
  u64 nests = 0;  // keep choices left out
};

Walked walk(const Mapspace& s) {
  Walked out;
  struct Place {
    int level;
    int kind;  // 0 temporal, 1 X, 2 Y
  };
  std::vector<Place> places;
  for (int l = 0; l < s.level_count(); ++l)
    for (int kind = 0; kind < 3; ++kind) places.push_back({l, kind});
  std::vector<std::vector<u64>> factor(s.dimension_count, std::vector<u64>(places.size(), 1));
  const auto judge = [&] {
    u64 orders = 1;
    for (int l = 0; l < s.level_count(); ++l) {
      const LevelSpace& level = s.levels[l];
      u64 x = 1, y = 1, loops = 0;
      for (int d = 0; d < s.dimension_count; ++d) {
        const u64 t = factor[d][3 * l], fx = factor[d][3 * l + 1], fy = factor[d][3 * l + 2];
        x *= fx, y *= fy;
        const auto ordered = level.temporal.order.dimensions();
        loops += t > 1 && std::find(ordered.begin(), ordered.end(), d) == ordered.end();
        if (!level.temporal.factor[d].allows(t) || !level.spatial.factor[d].allows(fx * fy)) return;
        if (fx > 1 && (level.spatial.allowed_x >> d & 1) == 0) return;
        if (fy > 1 && (level.spatial.allowed_y >> d & 1) == 0) return;
        if (s.one_axis_per_dimension && fx > 1 && fy > 1) return;
      }
      if (x > level.spatial.fanout_x || y > level.spatial.fanout_y) return;
      orders *= factorial(loops);
    }
    ++out.tilings;
    out.nests += orders;
  };
  const std::function<void(int, std::size_t, u64)> assign = [&](int d, std::size_t place, u64 left) {
    if (d == s.dimension_count) return judge();
    if (place + 1 == places.size()) {
      factor[d][place] = left;
      return assign(d + 1, 0, d + 1 < s.dimension_count ? s.size[d + 1] : 1);
    }
    for (u64 f : divisors(left)) {
      factor[d][place] = f;
      assign(d, place + 1, left / f);
    }
  };
  assign(0, 0, s.size[0]);
  return out;
}

TEST(MapspaceSize, FactorizationsTimesOrders) {
  const MapspaceSize s = size_of(gemm(12, 8, 7), machine({level(), level(), level()}));
  EXPECT_EQ(s.splits, (std::vector<BigCount>{18, 10, 3}));
  EXPECT_EQ(s.tilings, 18 * 10 * 3);
  EXPECT_EQ(s.orders, (std::vector<BigCount>{6, 6, 6}));
  EXPECT_EQ(s.mappings, BigCount{18 * 10 * 3} * 216);
  EXPECT_TRUE(s.tilings_exact);
}

TEST(MapspaceSize, OpenTensorsDouble) {
  Architecture a = machine({level(), level(), level()});
  a.levels[0].keep.keep = {"weights"};
  a.levels[1].keep = {};
  const MapspaceSize s = size_of(gemm(2, 2, 2), a);
  EXPECT_EQ(s.keeps, (std::vector<BigCount>{4, 8, 1}));
}

TEST(MapspaceSize, UnitLoopsHaveNoPlaceUnlessAsked) {
  const Architecture a = machine({level(), level()});
  EXPECT_EQ(size_of(conv(1, 4, 4, 4, 4, 1, 1), a).orders[0], 24);
  EXPECT_EQ(size_of(conv(1, 4, 4, 4, 4, 1, 1), a, {.unit_loops = true}).orders[0], 5040);
}

// Published: AlexNet conv2 1.9e17, ResNet conv2_1 8.6e17 on a machine of three levels. Two fan-outs of any width, five
// places for each factor in all, and the orders of the two outer levels give these numbers.
TEST(MapspaceSize, PublishedCounts) {
  const Architecture a = machine({level(1 << 20), level(1 << 20), level()});
  const auto count = [&](const Workload& w) {
    const MapspaceSize s = size_of(w, a, {.unit_loops = true});
    EXPECT_TRUE(s.tilings_exact || s.tilings > 0);
    BigCount splits = 1;
    for (const BigCount& n : s.splits) splits *= n;
    return static_cast<double>(splits * s.orders[1] * s.orders[2]);
  };
  EXPECT_NEAR(count(conv(1, 64, 64, 56, 56, 3, 3)), 8.6e17, 0.05e17);
  EXPECT_NEAR(count(conv(1, 256, 256, 27, 27, 5, 5)), 1.9e17, 0.05e17);
}

TEST(MapspaceSize, WideMachinesAreCountedAtOnce) {
  const Workload w = conv(16, 512, 512, 56, 56, 3, 3);
  const MapspaceSize one = size_of(w, machine({level(), level(), level(32, 32), level()}));
  EXPECT_TRUE(one.tilings_exact);
  EXPECT_LT(one.tilings, one.splits[0] * one.splits[1] * one.splits[2] * one.splits[3] * one.splits[4] * one.splits[5] *
                             one.splits[6]);
  // Largest sizes and many fan-outs: an answer, exact or not.
  std::vector<StorageLevel> levels;
  for (int l = 0; l < kMaxLevels; ++l) levels.push_back(level(1 << 15, 1 << 15));
  EXPECT_GT(size_of(gemm(1 << 16, 1 << 16, 1 << 16), machine(levels)).mappings, 0);
}

RC_GTEST_PROP(MapspaceSizeProperty, AgreesWithEnumeration, ()) {
  const auto upto = [](int n) { return static_cast<u64>(1 + static_cast<int>(*rc::gen::arbitrary<u16>()) % n); };
  Architecture a = machine({level(upto(4), upto(4)), level(upto(3), 1), level()});
  a.one_axis_per_dimension = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) a.levels[0].constraints.temporal.factors = {{"M", Relation::AtMost, upto(4)}};
  if (*rc::gen::arbitrary<bool>()) a.levels[0].constraints.spatial.factors = {{"K", Relation::AtMost, upto(4)}};
  if (*rc::gen::arbitrary<bool>()) a.levels[0].constraints.spatial.allowed_x = {{"N", "K"}};
  if (*rc::gen::arbitrary<bool>()) a.levels[1].constraints.temporal.order = {"N"};
  if (*rc::gen::arbitrary<bool>()) a.levels[2].constraints.temporal.factors = {{"K", Relation::Equal, 1}};
  const auto space = resolve(gemm(upto(6), upto(4), upto(8)), a);
  RC_ASSERT(space.ok());
  const MapspaceSize size = mapspace_size(*space);
  const Walked walked = walk(*space);
  RC_ASSERT(size.tilings_exact);
  RC_ASSERT(size.tilings == walked.tilings);
  RC_ASSERT(size.nests.has_value());
  RC_ASSERT(*size.nests == walked.nests);
}

}  // namespace
}  // namespace heliolite::mapspace_size_test
