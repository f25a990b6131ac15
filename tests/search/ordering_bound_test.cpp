// The ordering bound against every order of the loops.
#include "engine/search/exact/ordering_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/support/random_problem.h"

namespace heliolite::ordering_bound_test {
namespace {

using testing::chance;
using testing::pick;
using testing::Rng;

using Shares = std::array<double, kMaxDimensions>;

struct BoundCase {
  std::vector<BoundFlow> flows;
  std::vector<Shares> halos;  // by flow
  std::array<double, kMaxDimensions> n{};
  DimensionMask present = 0;

  double bound() const { return ordering_bound(flows, n, present); }
};

struct CaseOptions {
  u64 max_loops = 6;
  bool halos = false;
  bool full_reuse = false;
};

BoundCase random_case(Rng& rng, const CaseOptions& options) {
  constexpr std::array<double, 8> kIterations{2, 2, 3, 4, 4, 6, 8, 12};
  BoundCase out;
  out.n.fill(1);
  for (u64 loops = pick(rng, 0, options.max_loops); loops > 0; --loops) {
    const u64 d = pick(rng, 0, kMaxDimensions - 1);
    out.present |= static_cast<DimensionMask>(1u << d);
    out.n[d] = kIterations[pick(rng, 0, kIterations.size() - 1)];
  }
  out.flows.resize(pick(rng, 0, kMaxBoundFlows));
  out.halos.resize(out.flows.size());
  for (std::size_t k = 0; k < out.flows.size(); ++k) {
    BoundFlow& flow = out.flows[k];
    for (int d = 0; d < kMaxDimensions; ++d)
      if (chance(rng, 45)) flow.relevant |= static_cast<DimensionMask>(1u << d);
    flow.without_reuse = chance(rng, 5) ? 0 : static_cast<double>(pick(rng, 1, 100'000));
    if (options.full_reuse && chance(rng, 60))
      flow.full_reuse = flow.without_reuse / static_cast<double>(pick(rng, 1, 200));
    if (!options.halos || !chance(rng, 50)) continue;
    for (double& share : out.halos[k]) share = static_cast<double>(pick(rng, 1, 16)) / 16;
    flow.halo = out.halos[k].data();
  }
  return out;
}

// A loop over dimension d.
struct PlacedLoop {
  int d = 0;
  double n = 1;
};

// What the flows cost under these loops, innermost first: loops inside the first that moves a tile find it in place.
double cost_of(const BoundCase& c, const std::vector<PlacedLoop>& loops) {
  double sum = 0;
  for (const BoundFlow& flow : c.flows) {
    double cost = flow.without_reuse;
    std::size_t k = 0;
    for (; k < loops.size() && !(flow.relevant >> loops[k].d & 1); ++k) cost /= loops[k].n;
    if (k < loops.size() && flow.halo != nullptr) cost *= flow.halo[loops[k].d];
    sum += std::max(cost, flow.full_reuse);
  }
  return sum;
}

double least_over_orders(const BoundCase& c) {
  std::vector<PlacedLoop> loops;
  for (int d = 0; d < kMaxDimensions; ++d)
    if (c.present >> d & 1) loops.push_back({d, c.n[static_cast<std::size_t>(d)]});
  double least = std::numeric_limits<double>::infinity();
  do {
    least = std::min(least, cost_of(c, loops));
  } while (std::next_permutation(loops.begin(), loops.end(),
                                 [](const PlacedLoop& a, const PlacedLoop& b) { return a.d < b.d; }));
  return least;
}

TEST(OrderingBound, IsTheLeastOverAllOrders) {
  Rng rng(1);
  for (int k = 0; k < 4'000; ++k) {
    const BoundCase c = random_case(rng, {});
    const double least = least_over_orders(c);
    ASSERT_NEAR(c.bound(), least, 1e-12 * least) << k;
  }
}

TEST(OrderingBound, HalosAndWordsOnceNeverRaiseItAboveAnOrder) {
  Rng rng(2);
  int raised = 0, tight = 0;
  for (int k = 0; k < 4'000; ++k) {
    BoundCase c = random_case(rng, {.halos = true, .full_reuse = true});
    const double least = least_over_orders(c), bound = c.bound();
    ASSERT_LE(bound, least * (1 + 1e-12)) << k;
    // And they do say something.
    for (BoundFlow& flow : c.flows) flow.full_reuse = 0;
    raised += bound > c.bound() * (1 + 1e-9);
    tight += bound >= least * (1 - 1e-12);
  }
  EXPECT_GT(raised, 500);
  EXPECT_GT(tight, 3'900);
}

// Of all sets of the flows, in all channels, to the last bit.
TEST(OrderingBound, OfSeveralChannelsAtOnceIsThatOfEach) {
  Rng rng(5);
  ChannelBounds bounds;
  for (int k = 0; k < 2'000; ++k) {
    const BoundCase c = random_case(rng, {.halos = true});
    std::vector<std::vector<BoundFlow>> channels(pick(rng, 1, ChannelBounds::kMostChannels), c.flows);
    std::vector<ChannelBounds::Flow> flows;
    std::vector<const ChannelBounds::Flow*> places;
    for (const BoundFlow& flow : c.flows) flows.push_back({flow.relevant, flow.halo, {}, {}});
    for (std::size_t f = 0; f < flows.size(); ++f) {
      for (std::size_t n = 0; n < channels.size(); ++n) {
        BoundFlow& own = channels[n][f];
        own.without_reuse = chance(rng, 20) ? 0 : static_cast<double>(pick(rng, 1, 100'000)) / 7;
        own.full_reuse = own.without_reuse / static_cast<double>(pick(rng, 1, 200));
        flows[f].without_reuse[n] = own.without_reuse, flows[f].full_reuse[n] = own.full_reuse;
      }
      places.push_back(&flows[f]);
    }
    bounds.compute(places, c.n, c.present, channels.size());
    for (unsigned set = 0; set < 1u << flows.size(); ++set)
      for (std::size_t n = 0; n < channels.size(); ++n) {
        std::vector<BoundFlow> some;
        for (std::size_t f = 0; f < flows.size(); ++f)
          if ((set >> f & 1) != 0 && channels[n][f].without_reuse > 0) some.push_back(channels[n][f]);
        ASSERT_EQ(bounds.of(set)[n], ordering_bound(some, c.n, c.present)) << k << ", set " << set;
      }
  }
}

// Over several levels: loops of one dimension in parts, in any order.
TEST(OrderingBound, HoldsForSplitLoops) {
  Rng rng(3);
  for (int k = 0; k < 3'000; ++k) {
    const BoundCase c = random_case(rng, {.halos = true, .full_reuse = true});
    const double bound = c.bound();
    for (int walk = 0; walk < 10; ++walk) {
      std::vector<PlacedLoop> loops;
      for (int d = 0; d < kMaxDimensions; ++d) {
        auto left = static_cast<u64>(c.present >> d & 1 ? c.n[static_cast<std::size_t>(d)] : 1);
        while (left > 1) {
          const testing::detail::Splitter splitter{left};
          const u64 factor = splitter.choose(rng, left);
          if (factor > 1) loops.push_back({d, static_cast<double>(factor)});
          left /= factor;
        }
      }
      testing::detail::shuffle(rng, loops);
      ASSERT_LE(bound, cost_of(c, loops) * (1 + 1e-12)) << k;
    }
  }
}

TEST(OrderingBound, NeverFallsWhenAFlowGetsDearer) {
  Rng rng(4);
  for (int k = 0; k < 4'000; ++k) {
    BoundCase c = random_case(rng, {.halos = k % 2 == 0, .full_reuse = k % 3 == 0});
    if (c.flows.empty()) continue;
    const double before = c.bound();
    BoundFlow& flow = c.flows[pick(rng, 0, c.flows.size() - 1)];
    flow.without_reuse += static_cast<double>(pick(rng, 1, 50'000));
    const double dearer = c.bound();
    ASSERT_GE(dearer, before * (1 - 1e-12)) << k;
    flow.full_reuse += static_cast<double>(pick(rng, 1, 50'000));
    ASSERT_GE(c.bound(), dearer * (1 - 1e-12)) << k;
    // A flow that more loops move cannot be cheaper, if the loops leave nothing in place.
    if (flow.halo != nullptr) continue;
    const double fewer = c.bound();
    flow.relevant |= static_cast<DimensionMask>(pick(rng, 0, (1u << kMaxDimensions) - 1));
    ASSERT_GE(c.bound(), fewer * (1 - 1e-12)) << k;
  }
}

TEST(OrderingBound, NeverRisesWithMoreToReuse) {
  Rng rng(5);
  for (int k = 0; k < 4'000; ++k) {
    BoundCase c = random_case(rng, {.halos = true, .full_reuse = true});
    if (c.present == 0) continue;
    const double before = c.bound();
    const int d = std::countr_zero(static_cast<unsigned>(c.present));
    c.n[static_cast<std::size_t>(d)] *= 2;
    ASSERT_LE(c.bound(), before * (1 + 1e-12)) << k;
  }
}

// One order for all is no better than an order for each.
TEST(OrderingBound, IsAtLeastTheSumOfParts) {
  Rng rng(6);
  for (int k = 0; k < 4'000; ++k) {
    const BoundCase c = random_case(rng, {.halos = true, .full_reuse = true});
    const std::size_t cut = pick(rng, 0, c.flows.size());
    const std::span<const BoundFlow> all(c.flows);
    const double parts =
        ordering_bound(all.first(cut), c.n, c.present) + ordering_bound(all.subspan(cut), c.n, c.present);
    ASSERT_GE(c.bound(), parts * (1 - 1e-12)) << k;
  }
}

TEST(OrderingBound, KnownCases) {
  std::array<double, kMaxDimensions> n;
  n.fill(1);
  EXPECT_EQ(ordering_bound({}, n, 0), 0);
  // A gemm over m, n, k: one of the three stays in place, and reuses the loop that it does not depend on.
  n[0] = 4, n[1] = 5, n[2] = 10;
  const std::vector<BoundFlow> flows{{0b011, 200, nullptr, 0}, {0b101, 200, nullptr, 0}, {0b110, 200, nullptr, 0}};
  EXPECT_EQ(ordering_bound(flows, n, 0b111), 200 / 10 + 200 + 200);
  EXPECT_EQ(ordering_bound(flows, n, 0b000), 600);
  // Only k is left: the output waits for all of it.
  EXPECT_EQ(ordering_bound(flows, n, 0b100), 20 + 200 + 200);
  // Words once.
  EXPECT_EQ(ordering_bound(std::vector<BoundFlow>{{0b011, 200, nullptr, 35}}, n, 0b111), 35);
}

}  // namespace
}  // namespace heliolite::ordering_bound_test
