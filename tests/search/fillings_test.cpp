// The fillings of a fan-out by the Sunstone search, on toys.
#include "engine/search/sunstone/fillings.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tests/support/exact_toy.h"

namespace heliolite::fillings_test {
namespace {

using testing::chance;
using testing::extents;
using testing::gemm;
using testing::pick;
using testing::Rng;
using testing::toy_machine;

struct Fan {
  Workload workload;
  Mapspace space;
  std::vector<DivisorTable> tables;
  Extents rest = unit_extents();

  Fan(const Workload& w, u64 x, u64 y) : workload(w) {
    Architecture machine = toy_machine({{}, {.fanout_x = x * y}});
    machine.levels[1].fanout_x = x, machine.levels[1].fanout_y = y;
    machine.levels[0].mesh_x = x;
    machine.compute.mesh_x = x;
    space = *resolve(workload, machine);
    for (int d = 0; d < space.dimension_count; ++d) {
      tables.emplace_back(space.size[d]);
      rest[d] = static_cast<u32>(space.size[d]);
    }
  }

  SpatialSpace& fanout() { return space.levels[1].spatial; }
  const SpatialSpace& fanout() const { return space.levels[1].spatial; }

  std::vector<Unrolling> list(bool full, bool indexing) const {
    Fillings fillings(space, workload);
    const RuleSet rules = RuleSet().set(Rule::FullUnrolling, full).set(Rule::IndexingFirst, indexing);
    RuleCounts first, again;
    const std::vector<Unrolling> out = fillings.list(1, rest, rules, first);
    EXPECT_EQ(fillings.list(1, rest, rules, again), out);  // remembered
    EXPECT_EQ(again.calls, first.calls);
    EXPECT_EQ(again.cuts, first.cuts);
    return out;
  }

  // --- The same by the definitions.

  u64 used(const Extents& factor) const {
    return std::accumulate(factor.begin(), factor.end(), u64{1}, std::multiplies<>());
  }
  // Whether X and Y have room for the factors of dimensions d and on.
  bool shared(const Extents& factor, int d, u64 room_x, u64 room_y) const {
    if (d == space.dimension_count) return true;
    for (u32 x = 1; x <= factor[d]; ++x) {
      const u32 y = factor[d] / x;
      if (factor[d] % x != 0 || x > room_x || y > room_y) continue;
      if ((x > 1 && !(fanout().allowed_x >> d & 1)) || (y > 1 && !(fanout().allowed_y >> d & 1))) continue;
      if (x > 1 && y > 1 && space.one_axis_per_dimension) continue;
      if (shared(factor, d + 1, room_x / x, room_y / y)) return true;
    }
    return false;
  }
  bool legal(const Extents& factor) const {
    for (int d = 0; d < space.dimension_count; ++d)
      if (rest[d] % factor[d] != 0 || !fanout().factor[d].allows(factor[d])) return false;
    return shared(factor, 0, fanout().fanout_x, fanout().fanout_y);
  }
  // Whether some dimension can take one more of the least prime that it has left.
  bool can_grow(const Extents& factor) const {
    for (int d = 0; d < space.dimension_count; ++d) {
      const u32 left = rest[d] / factor[d];
      u32 prime = 2;
      while (prime < left && left % prime != 0) ++prime;
      Extents larger = factor;
      larger[d] *= prime;
      if (left > 1 && legal(larger)) return true;
    }
    return false;
  }
  // Whether the dimensions that index some tensor, and those that the machine forces, make more than the others.
  bool prevails(const Extents& factor) const {
    for (int v = 0; v < space.tensor_count; ++v) {
      u64 mine = 1;
      for (int d = 0; d < space.dimension_count; ++d)
        if ((workload.indexing(v) >> d & 1) != 0 || fanout().factor[d].min > 1) mine *= factor[d];
      const u64 others = used(factor) / mine;
      if (others == 1 || mine > others) return true;
    }
    return false;
  }
  std::set<Extents> expected(bool full, bool indexing) const {
    std::set<Extents> out;
    Extents factor = unit_extents();
    const auto walk = [&](const auto& self, int d) -> void {
      if (d == space.dimension_count) {
        if (legal(factor) && (!indexing || prevails(factor)) && (!full || !can_grow(factor))) out.insert(factor);
        return;
      }
      for (const u32 f : tables[d].of(rest[d])) {
        factor[d] = f;
        self(self, d + 1);
      }
      factor[d] = 1;
    };
    walk(walk, 0);
    if (out.empty() && indexing) return expected(full, false);
    u64 most = 1;
    for (const Extents& f : out) most = std::max(most, used(f));
    if (full) std::erase_if(out, [&](const Extents& f) { return used(f) < most / kLeastShare; });
    return out;
  }
};

// The products of a list, each of which X and Y must have room for.
std::set<Extents> products(const Fan& fan, const std::vector<Unrolling>& list) {
  std::set<Extents> out;
  for (const Unrolling& u : list) {
    Extents factor;
    for (int d = 0; d < kMaxDimensions; ++d) factor[d] = u.factor(d);
    EXPECT_LE(fan.used(u.x), fan.fanout().fanout_x);
    EXPECT_LE(fan.used(u.y), fan.fanout().fanout_y);
    for (int d = 0; d < fan.space.dimension_count; ++d) {
      EXPECT_TRUE(u.x[d] == 1 || (fan.fanout().allowed_x >> d & 1));
      EXPECT_TRUE(u.y[d] == 1 || (fan.fanout().allowed_y >> d & 1));
    }
    EXPECT_TRUE(out.insert(factor).second) << "once for each product";
  }
  return out;
}

TEST(Fillings, KnownCases) {
  // Six units for m = 2, n = 2, k = 3: nothing, one, or two of them. What cannot grow: two of them, as the third would
  // need twelve.
  const Fan six(gemm(2, 2, 3), 6, 1);
  EXPECT_EQ(products(six, six.list(false, false)).size(), 7u);
  EXPECT_EQ(products(six, six.list(true, false)),
            (std::set<Extents>{extents({2, 2, 1}), extents({2, 1, 3}), extents({1, 2, 3})}));
  // Four units: m and n fill them. k leaves one idle, and cannot grow.
  const Fan four(gemm(2, 2, 3), 4, 1);
  EXPECT_EQ(products(four, four.list(true, false)), (std::set<Extents>{extents({2, 2, 1}), extents({1, 1, 3})}));
  // Sixteen units for 2, 3 and 5. None of 3 * 5, 2 * 5, 2 * 3 can grow, but six are less than half of fifteen.
  const Fan sixteen(gemm(2, 3, 5), 16, 1);
  EXPECT_EQ(products(sixteen, sixteen.list(true, false)), (std::set<Extents>{extents({1, 3, 5}), extents({2, 1, 5})}));
}

// Each tensor has two neighbours of the chain i, j, k, l. Of 2 * 2 * 2 * 2 they make four, the other two four as well.
TEST(Fillings, IndexingFirstLeavesOutMixtures) {
  const Fan fan(testing::mmc(), 16, 1);  // o[i,l] a[i,j] b[j,k] c[k,l], all of size 8
  const auto all = products(fan, fan.list(true, false)), first = products(fan, fan.list(true, true));
  const Extents even = extents({2, 2, 2, 2}), ahead = extents({4, 2, 2, 1}), one = extents({2, 8, 1, 1});
  EXPECT_TRUE(all.contains(even) && all.contains(ahead) && all.contains(one));
  EXPECT_FALSE(first.contains(even));
  EXPECT_TRUE(first.contains(ahead)) << "i and j make eight, k two";
  EXPECT_TRUE(first.contains(one));
}

TEST(Fillings, NothingOnlyWhereTheLimitsLeaveNothing) {
  Fan fan(gemm(2, 2, 3), 6, 1);
  fan.fanout().factor[0] = {4, 4};  // m has two iterations
  EXPECT_TRUE(fan.list(true, true).empty());
  fan.fanout().factor[0] = {2, 2};
  EXPECT_FALSE(fan.list(true, true).empty());
  fan.rest[0] = 1;
  EXPECT_TRUE(fan.list(true, true).empty()) << "they are placed already";
}

RC_GTEST_PROP(Fillings, AreWhatTheRulesSay, ()) {
  Rng rng(*rc::gen::arbitrary<u64>());
  const auto size = [&] { return std::array<u64, 8>{1, 2, 3, 4, 5, 6, 8, 12}[pick(rng, 0, 7)]; };
  Fan fan(chance(rng, 50) ? gemm(size(), size(), size()) : testing::conv1d(size(), size(), size(), size()),
          pick(rng, 1, 6), pick(rng, 2, 6));
  fan.space.one_axis_per_dimension = chance(rng, 30);
  for (int d = 0; d < fan.space.dimension_count; ++d) {
    const auto divisors = fan.tables[d].all();
    fan.rest[d] = divisors[pick(rng, 0, divisors.size() - 1)];
    FactorLimit& limit = fan.fanout().factor[d];
    if (chance(rng, 20)) limit.max = pick(rng, 1, limit.max);
    if (chance(rng, 10)) limit.min = pick(rng, 1, limit.max);
    if (chance(rng, 20)) fan.fanout().allowed_x &= static_cast<DimensionMask>(~(1u << d));
    if (chance(rng, 20)) fan.fanout().allowed_y &= static_cast<DimensionMask>(~(1u << d));
  }
  for (const bool full : {false, true})
    for (const bool indexing : {false, true}) {
      const auto list = fan.list(full, indexing);
      RC_ASSERT(products(fan, list) == fan.expected(full, indexing));
      RC_ASSERT(list == fan.list(full, indexing));
    }
}

}  // namespace
}  // namespace heliolite::fillings_test
