#include "engine/space/unrolling.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

#include "tests/support/space_workloads.h"

namespace heliolite::unrolling_test {
namespace {

using namespace heliolite::testing;  // NOLINT(google-build-using-namespace)

constexpr UnrollingRules kNone{.full = false, .maximal = false, .indexing = false};

// A fan-out that leaves everything open.
struct Fixture {
  Workload workload;
  std::vector<DivisorTable> tables;
  UnrollingSpace space;

  Fixture(Workload w, u64 x, u64 y) : workload(std::move(w)) {
    space.dimension_count = static_cast<u8>(workload.dimensions.size());
    space.tensor_count = static_cast<u8>(workload.tensors.size());
    tables.reserve(workload.dimensions.size());
    for (int d = 0; d < space.dimension_count; ++d) {
      tables.emplace_back(workload.dimensions[d].size);
      space.divisors[d] = &tables.back();
      space.left[d] = static_cast<u32>(workload.dimensions[d].size);
      space.fanout.factor[d] = {1, space.left[d]};
    }
    for (int v = 0; v < space.tensor_count; ++v) space.indexing[v] = mask_of(workload.tensors[v]);
    space.fanout.fanout_x = x;
    space.fanout.fanout_y = y;
    space.fanout.allowed_x = space.fanout.allowed_y = static_cast<DimensionMask>((1u << space.dimension_count) - 1);
  }

  static DimensionMask mask_of(const Tensor& t) {
    unsigned mask = 0;
    for (const Rank& r : t.ranks)
      for (const Term& term : r.terms) mask |= 1u << term.dimension;
    return static_cast<DimensionMask>(mask);
  }
};

std::vector<Unrolling> unrollings(const UnrollingSpace& space, UnrollingRules rules) {
  std::vector<Unrolling> out;
  const UnrollingCounts counts = for_each_unrolling(space, rules, [&](const Unrolling& u) { out.push_back(u); });
  EXPECT_EQ(counts.unrollings, out.size());
  return out;
}

u64 used(const UnrollingSpace& s, const Unrolling& u) {
  u64 product = 1;
  for (int d = 0; d < s.dimension_count; ++d) product *= u.factor(d);
  return product;
}

// Legality from the definition.
bool legal(const UnrollingSpace& s, const Unrolling& u) {
  u64 x = 1, y = 1;
  for (int d = 0; d < s.dimension_count; ++d) {
    x *= u.x[d];
    y *= u.y[d];
    if (s.left[d] % u.factor(d) != 0 || !s.fanout.factor[d].allows(u.factor(d))) return false;
    if (u.x[d] > 1 && (s.fanout.allowed_x >> d & 1) == 0) return false;
    if (u.y[d] > 1 && (s.fanout.allowed_y >> d & 1) == 0) return false;
    if (s.one_axis_per_dimension && u.x[d] > 1 && u.y[d] > 1) return false;
  }
  return x <= s.fanout.fanout_x && y <= s.fanout.fanout_y;
}

void all_legal(const UnrollingSpace& s, int d, Unrolling& u, std::set<Unrolling>& out) {
  if (d == s.dimension_count) {
    if (legal(s, u)) out.insert(u);
    return;
  }
  for (u64 x : divisors(s.left[d]))
    for (u64 y : divisors(s.left[d] / x)) {
      u.x[d] = static_cast<u32>(x);
      u.y[d] = static_cast<u32>(y);
      all_legal(s, d + 1, u, out);
    }
  u.x[d] = u.y[d] = 1;
}

std::set<Unrolling> all_legal(const UnrollingSpace& s) {
  std::set<Unrolling> out;
  Unrolling u;
  all_legal(s, 0, u, out);
  return out;
}

// No single factor can be larger, all else equal.
bool is_maximal(const UnrollingSpace& s, const Unrolling& u) {
  for (int d = 0; d < s.dimension_count; ++d) {
    for (u64 f : divisors(s.left[d])) {
      Unrolling larger = u;
      if (f > u.x[d]) {
        larger.x[d] = static_cast<u32>(f);
        if (legal(s, larger)) return false;
      }
      larger = u;
      if (f > u.y[d]) {
        larger.y[d] = static_cast<u32>(f);
        if (legal(s, larger)) return false;
      }
    }
  }
  return true;
}

// S1 from its text, filtering the complete set.
std::set<Unrolling> by_rules(const UnrollingSpace& s, UnrollingRules rules) {
  const std::set<Unrolling> all = all_legal(s);
  const u64 fanout = s.fanout.fanout_x * s.fanout.fanout_y;
  const auto whole = static_cast<DimensionMask>((1u << s.dimension_count) - 1);
  std::vector<DimensionMask> groups(s.indexing.begin(), s.indexing.begin() + s.tensor_count);
  if (!rules.indexing) groups = {whole};
  std::set<Unrolling> out;
  for (DimensionMask group : groups) {
    const auto others = [&](const Unrolling& u) {
      u64 product = 1;
      for (int d = 0; d < s.dimension_count; ++d)
        if ((group >> d & 1) == 0) product *= u.factor(d);
      return product;
    };
    bool fills = false;
    for (const Unrolling& u : all) fills |= others(u) == 1 && used(s, u) == fanout;
    for (const Unrolling& u : all) {
      const u64 rest = others(u);
      const bool full = used(s, u) == fanout;
      const bool a = rest == 1 && (full || !rules.full || !fills) && (full || !rules.maximal || is_maximal(s, u));
      const bool c = full && used(s, u) / rest > rest;
      if (a || c) out.insert(u);
    }
  }
  if (out.empty())
    for (const Unrolling& u : all)
      if (!rules.maximal || is_maximal(s, u)) out.insert(u);
  return out;
}

TEST(Unrolling, CompleteSet) {
  const Fixture f(gemm(8, 12, 5), 4, 3);
  const auto found = unrollings(f.space, kNone);
  EXPECT_EQ((std::set<Unrolling>{found.begin(), found.end()}), all_legal(f.space));
  EXPECT_EQ(found.size(), all_legal(f.space).size());
}

TEST(Unrolling, NoFanOutMeansNoUnrolling) {
  for (UnrollingRules rules : {kNone, UnrollingRules{}}) {
    const auto found = unrollings(Fixture(gemm(8, 12, 5), 1, 1).space, rules);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0], Unrolling{});
  }
}

TEST(Unrolling, FillsTheFanOutWhenItCan) {
  const Fixture f(conv(1, 64, 64, 56, 56, 3, 3), 14, 12);
  u64 full = 0;
  for (const Unrolling& u : unrollings(f.space, {})) {
    full += used(f.space, u) == 168;
    EXPECT_TRUE(used(f.space, u) == 168 || is_maximal(f.space, u));
  }
  EXPECT_GT(full, 0u);
}

TEST(Unrolling, DimensionsOfDifferentTensors) {
  Fixture f(tcl(), 8, 8);
  f.space.fanout.allowed_x = 0b000001;  // i and m: no tensor has both
  f.space.fanout.allowed_y = 0b010000;
  const auto found = unrollings(f.space, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(used(f.space, found[0]), 64u);
}

TEST(Unrolling, GivesTheLargestWhenItCannot) {
  const Fixture f(gemm(512, 512, 512), 14, 12);
  const auto found = unrollings(f.space, {});
  ASSERT_FALSE(found.empty());
  for (const Unrolling& u : found) EXPECT_EQ(used(f.space, u), 64u);
}

TEST(Unrolling, AxesAndLimitsOfTheMachine) {
  Fixture f(conv(1, 64, 64, 56, 56, 3, 3), 8, 8);
  f.space.fanout.allowed_x = 0b0000100;  // C
  f.space.fanout.allowed_y = 0b0000010;  // K
  for (UnrollingRules rules : {kNone, UnrollingRules{}})
    for (const Unrolling& u : unrollings(f.space, rules)) EXPECT_TRUE(legal(f.space, u));
  const auto found = unrollings(f.space, {});
  ASSERT_EQ(found.size(), 1u);  // both index the weights
  EXPECT_EQ(found[0].x[2], 8u);
  EXPECT_EQ(found[0].y[1], 8u);

  f.space.fanout.factor[2] = {2, 4};
  for (UnrollingRules rules : {kNone, UnrollingRules{}}) {
    const auto some = unrollings(f.space, rules);
    EXPECT_FALSE(some.empty());
    for (const Unrolling& u : some) EXPECT_TRUE(u.x[2] == 2 || u.x[2] == 4);
  }
}

TEST(Unrolling, OneAxisPerDimension) {
  Fixture f(gemm(64, 1, 1), 8, 8);
  EXPECT_EQ(unrollings(f.space, {}).size(), 1u);
  EXPECT_EQ(used(f.space, unrollings(f.space, {})[0]), 64u);
  f.space.one_axis_per_dimension = true;
  for (const Unrolling& u : unrollings(f.space, {})) EXPECT_EQ(used(f.space, u), 8u);
  EXPECT_EQ(unrollings(f.space, {}).size(), 2u);
}

TEST(Unrolling, AVisitorCanStop) {
  const Fixture f(gemm(64, 64, 64), 16, 16);
  for (UnrollingRules rules : {kNone, UnrollingRules{}}) {
    int seen = 0;
    for_each_unrolling(f.space, rules, [&](const Unrolling&) { return ++seen < 3; });
    EXPECT_EQ(seen, 3);
  }
}

RC_GTEST_PROP(UnrollingProperty, RulesAgreeWithTheirDefinition, ()) {
  const auto upto = [](int n) { return static_cast<u64>(1 + static_cast<int>(*rc::gen::arbitrary<u16>()) % n); };
  Fixture f(
      *rc::gen::arbitrary<bool>() ? gemm(upto(16), upto(12), upto(16)) : conv1d(upto(8), upto(12), upto(8), upto(3)),
      upto(8), upto(6));
  f.space.one_axis_per_dimension = *rc::gen::arbitrary<bool>();
  f.space.fanout.allowed_x &= *rc::gen::arbitrary<u16>();
  f.space.fanout.allowed_y &= *rc::gen::arbitrary<u16>();
  if (f.space.fanout.fanout_x == 1) f.space.fanout.allowed_x = 0;
  if (f.space.fanout.fanout_y == 1) f.space.fanout.allowed_y = 0;
  f.space.fanout.factor[0].max = upto(8);
  for (int bits = 0; bits < 8; ++bits) {
    const UnrollingRules rules{.full = (bits & 1) != 0, .maximal = (bits & 2) != 0, .indexing = (bits & 4) != 0};
    const auto found = unrollings(f.space, rules);
    const std::set<Unrolling> expected = by_rules(f.space, rules);
    RC_ASSERT(found.size() == expected.size());  // each once
    RC_ASSERT((std::set<Unrolling>{found.begin(), found.end()}) == expected);
  }
}

}  // namespace
}  // namespace heliolite::unrolling_test
