// True counts: against a walk of every unit and step, against the perfect model where factors divide, and by hand.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>

#include "engine/model/cost_model.h"
#include "engine/model/mapping_check.h"
#include "engine/model/true_counts/cost.h"
#include "engine/model/true_counts/fetches.h"
#include "engine/verify/golden_verify.h"
#include "tests/support/random_problem.h"
#include "tests/support/true_walk.h"
#include "workloads/einsum_text.h"

namespace heliolite::true_counts_test {
namespace {

using testing::BoundaryWalk;
using testing::random_problem;
using testing::RandomOptions;
using testing::RandomProblem;
using testing::TrueWalk;
using testing::WalkCount;

i64 sum(const WalkCount& count) {
  i64 n = 0;
  for (const auto& [instance, words] : count) n += words;
  return n;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)}); }

// What the walk says of one tensor at one level that keeps it, instance by instance.
struct WalkedInstance {
  i64 reads = 0, fills = 0, updates = 0;
};
using WalkedLevel = std::map<testing::WalkInstance, WalkedInstance>;

// All counts of a mapping by walking it, and their comparison with ours.
class Walked {
 public:
  explicit Walked(const RandomProblem& p) : p_(p), walk_(p.workload, p.architecture, p.mapping) {
    rows_.resize(p.architecture.levels.size(), std::vector<WalkedLevel>(p.workload.tensors.size()));
  }

  void expect_equal(const Breakdown& ours) {
    for (std::size_t v = 0; v < p_.workload.tensors.size(); ++v) follow(v, ours);
    EXPECT_EQ(ours.compute.computes, p_.workload.macs());
    for (std::size_t i = 0; i < rows_.size(); ++i) expect_cycles(i, ours);
  }

 private:
  int next_keeper(std::size_t v, int from) const {
    while (!p_.mapping.keeps(from, static_cast<int>(v))) ++from;
    return from;
  }

  void follow(std::size_t v, const Breakdown& ours) {
    const int levels = static_cast<int>(rows_.size());
    const bool output = p_.workload.tensors[v].is_output();
    int boundary = 0;
    BoundaryWalk in = walk_.walk(v, 0, next_keeper(v, 0));
    steps_ = in.steps;
    EXPECT_EQ(static_cast<u64>(in.steps), ours.compute.cycles);
    EXPECT_EQ(in.active.size(), ours.compute.utilized);
    EXPECT_EQ(static_cast<u64>(sum(in.active)), p_.workload.macs());
    for (int i = 0; i < levels; ++i) {
      const bool kept = p_.mapping.keeps(i, static_cast<int>(v)), outermost = i + 1 == levels;
      const WalkCount accesses = in.accesses[i];
      i64 part = 0;
      if (kept) {
        const WalkCount held = output ? walk_.held_words(v, i) : WalkCount{};
        part = sum(held);
        if (!outermost) in = walk_.walk(v, i + 1, next_keeper(v, i + 1));
        for (const auto& [instance, words] : accesses) {
          const i64 first = output ? held.at(instance) : 0, fills = outermost ? 0 : in.fills[instance];
          rows_[i][v][instance] = output ? WalkedInstance{words - first, outermost ? 0 : fills - first, words}
                                         : WalkedInstance{words, fills, 0};
        }
        boundary = i + 1;
        expect_level(i, v, ours);
      }
      expect_network(i, v, sum(accesses), part, ours);
    }
    EXPECT_EQ(boundary, levels);
  }

  void expect_level(int i, std::size_t v, const Breakdown& ours) const {
    const TensorTraffic& t = ours.level[i].tensor[v];
    const StorageLevel& level = p_.architecture.levels[i];
    WalkedInstance all, most;
    double energy = 0;
    const auto blocks = [&](i64 words) {
      return std::ceil(static_cast<double>(words) / static_cast<double>(level.block_words));
    };
    for (const auto& [instance, row] : rows_[i][v]) {
      all = {all.reads + row.reads, all.fills + row.fills, all.updates + row.updates};
      most = {std::max(most.reads, row.reads), std::max(most.fills, row.fills), std::max(most.updates, row.updates)};
      energy += blocks(row.reads) * level.energy.read_pj + blocks(row.fills) * level.energy.fill_pj +
                blocks(row.updates) * level.energy.update_pj;
    }
    EXPECT_EQ(t.all.reads, static_cast<u64>(all.reads)) << "level " << i << " tensor " << v;
    EXPECT_EQ(t.all.fills, static_cast<u64>(all.fills)) << "level " << i << " tensor " << v;
    EXPECT_EQ(t.all.updates, static_cast<u64>(all.updates)) << "level " << i << " tensor " << v;
    EXPECT_EQ(t.reads, most.reads) << "level " << i << " tensor " << v;
    EXPECT_EQ(t.fills, most.fills) << "level " << i << " tensor " << v;
    EXPECT_EQ(t.updates, most.updates) << "level " << i << " tensor " << v;
    EXPECT_EQ(t.instances, rows_[i][v].size()) << "level " << i;
    const auto used = static_cast<double>(t.instances);
    const double clusters =
        std::min(used, std::floor(static_cast<double>(level.instances) / static_cast<double>(level.cluster_size)));
    EXPECT_TRUE(near(t.energy.picojoules(), energy * clusters / used)) << "level " << i << " tensor " << v;
  }

  void expect_network(int i, std::size_t v, i64 accesses, i64 part, const Breakdown& ours) {
    const NetworkTraffic& n = ours.level[i].network[v];
    const StorageLevel& level = p_.architecture.levels[i];
    const bool both_ways = p_.workload.tensors[v].is_output() && !level.reduces();
    const double crossing = static_cast<double>(both_ways ? 2 * accesses - part : accesses);
    EXPECT_EQ(n.all_ingresses, crossing) << "below level " << i << " tensor " << v;
    BoundaryWalk raw = walk_.walk(v, i, next_keeper(v, i));
    double wire = 0, words = 0, routers = 0;
    for (const auto& [multicast, sum] : raw.multicast) {
      wire += sum.second;
      words += static_cast<double>(sum.first);
    }
    // Interconnects inside pass on all that is asked for inside them (rule 16): hops are the average over what goes
    // into the tile around it. Below all loops units ask at every step, as without interconnects (interconnect_test).
    int inside = i;
    while (inside > 0 && p_.architecture.levels[inside - 1].is_interconnect) --inside;
    if (inside != i && inside == 0 && p_.mapping.loop_count != 0 && p_.mapping.loop[0].level >= i) return;
    const double passing =
        inside == i ? words : static_cast<double>(sum(walk_.walk(v, inside, next_keeper(v, inside)).accesses[i]));
    ASSERT_EQ(n.multicast.size(), raw.multicast.size()) << "below level " << i << " tensor " << v;
    std::size_t k = 0;
    for (const auto& [multicast, sum] : raw.multicast)
      EXPECT_EQ(n.multicast[k++].multicast, static_cast<u64>(multicast));
    wire *= passing / words;
    EXPECT_TRUE(near(n.hops * crossing, wire)) << "below level " << i << " tensor " << v;
    const auto all = static_cast<double>(accesses);
    for (const auto& [multicast, sum] : raw.multicast)
      routers += (1 + std::floor(sum.second * (passing / words) * words / (static_cast<double>(sum.first) * all))) *
                 static_cast<double>(sum.first) * all / words;
    if (both_ways) routers = (1 + std::floor(wire / crossing)) * crossing;
    EXPECT_TRUE(near(n.energy.picojoules(), wire * level.network.hop_pj + routers * level.network.router_pj +
                                                crossing * level.network.ingress_pj))
        << "below level " << i << " tensor " << v;
  }

  // Rule 28 for each instance by itself.
  void expect_cycles(std::size_t i, const Breakdown& ours) const {
    std::map<testing::WalkInstance, std::pair<double, double>> rate;
    const auto steps = static_cast<double>(steps_);
    for (const WalkedLevel& tensor : rows_[i])
      for (const auto& [instance, row] : tensor) {
        rate[instance].first += static_cast<double>(row.reads) / steps;
        rate[instance].second += static_cast<double>(row.fills + row.updates) / steps;
      }
    double slowest = 1;
    const auto limit = [&](const std::optional<double>& bandwidth, double demand) {
      if (bandwidth && *bandwidth < demand) slowest = std::min(slowest, *bandwidth / demand);
    };
    for (const auto& [instance, both] : rate) {
      limit(p_.architecture.levels[i].bandwidth.read, both.first);
      limit(p_.architecture.levels[i].bandwidth.write, both.second);
      limit(p_.architecture.levels[i].bandwidth.shared, both.first + both.second);
    }
    EXPECT_EQ(ours.level[i].cycles, static_cast<u64>(std::ceil(steps / slowest))) << "level " << i;
  }

  const RandomProblem& p_;
  TrueWalk walk_;
  i64 steps_ = 1;
  std::vector<std::vector<WalkedLevel>> rows_;  // [level][tensor]
};

RandomOptions small(bool imperfect) {
  RandomOptions options;
  options.imperfect = imperfect;
  options.plain_output = true;
  options.max_size = 9;
  options.max_fanout = 4;
  options.reductions = true;
  return options;
}

u64 runs(u64 standard) {
  const char* many = std::getenv("HELIOLITE_TRUE_COUNTS_RUNS");
  return many == nullptr ? standard : std::strtoull(many, nullptr, 10);
}

TEST(TrueCounts, EveryNumberIsTheWalks) {
  u64 compared = 0, meet = 0, meet_beyond = 0;
  for (u64 seed = 0; compared < runs(500) && !HasFailure(); ++seed) {
    RandomOptions options = small(true);
    options.plain_output = seed % 2 == 0;
    RandomProblem p = random_problem(seed, options);
    p.architecture.timeloop_cycles = true;  // the walk adds words per step up in doubles, too
    const Compiled compiled(p.workload, p.architecture);
    const TrueNest nest(compiled, p.mapping);
    if (p.workload.macs() > 400 || nest.divides) continue;
    SCOPED_TRACE(seed);
    const Breakdown ours = CostModel(p.workload, p.architecture).explain(p.mapping, Counts::True);
    Walked(p).expect_equal(ours);
    ++compared;
    for (int v = 0; v < compiled.tensor_count; ++v)
      for (int i = 0, below = 0; i < compiled.level_count; ++i) {
        meet += units_meet(compiled.tensor[v], nest, below, below);
        if (!p.mapping.keeps(i, v)) continue;
        meet_beyond += units_meet(compiled.tensor[v], nest, below + 1, i);
        below = i + 1;
      }
    const Evaluation fast = CostModel(p.workload, p.architecture).evaluate(p.mapping, Counts::True);
    if (fast.verdict != Verdict::Fits) continue;
    EXPECT_TRUE(fast.cost.energy == ours.energy);
    EXPECT_EQ(fast.cost.cycles, ours.cycles);
  }
  // Units that share words though their tiles differ in place, in the fan-out next to them and in further ones.
  EXPECT_GT(meet, 10u);
  EXPECT_GT(meet_beyond, 1u);
}

// The other rules, too, where they meet those of perfect factors.
TEST(TrueCounts, DividingFactorsCountAsThePerfectModel) {
  for (u64 seed = 0; seed < runs(1'000) && !HasFailure(); ++seed) {
    RandomOptions options = small(false);
    options.interconnects = seed % 2 == 0;
    const RandomProblem p = random_problem(seed, options);
    SCOPED_TRACE(seed);
    const CostModel model(p.workload, p.architecture);
    const TrueNest nest(model.compiled(), p.mapping);
    ASSERT_TRUE(nest.divides);
    const Breakdown perfect = model.explain(p.mapping);
    const Breakdown ours = true_breakdown(p.architecture, model.compiled(), nest, p.mapping.keep);
    EXPECT_EQ(ours.cycles, perfect.cycles);
    EXPECT_TRUE(near(ours.energy.picojoules(), perfect.energy.picojoules()));
    EXPECT_EQ(ours.compute.utilized, perfect.compute.utilized);
    for (std::size_t i = 0; i < perfect.level.size(); ++i) {
      EXPECT_EQ(ours.level[i].cycles, perfect.level[i].cycles);
      EXPECT_EQ(ours.level[i].used_words, perfect.level[i].used_words);
      for (std::size_t v = 0; v < p.workload.tensors.size(); ++v) {
        const TensorTraffic &a = ours.level[i].tensor[v], &b = perfect.level[i].tensor[v];
        ASSERT_TRUE(a.kept == b.kept && a.carried == b.carried);
        if (!a.counted()) continue;
        EXPECT_EQ(a.all.reads, b.all.reads);
        EXPECT_EQ(a.all.fills, b.all.fills);
        EXPECT_EQ(a.all.updates, b.all.updates);
        EXPECT_EQ(a.reads, b.reads);
        EXPECT_EQ(a.fills, b.fills);
        EXPECT_EQ(a.updates, b.updates);
        EXPECT_TRUE(a.energy == b.energy && a.address_generation_energy == b.address_generation_energy);
      }
    }
    // The doors for users take the perfect model itself.
    const Evaluation fast = model.evaluate(p.mapping, Counts::True), same = model.evaluate(p.mapping);
    EXPECT_TRUE(fast.cost == same.cost && fast.verdict == same.verdict);
  }
}

// A GEMM of these sizes on a chain of levels L0, L1, ..; reading a word of level i costs 1, 6, 50 pJ, inside out.
struct Toy {
  RandomProblem p;
  Breakdown b;

  Toy(const std::string& einsum, int levels) {
    p.workload = *parse_einsum(einsum);
    p.architecture.levels.resize(at(levels));
    for (int i = 0; i < levels; ++i) {
      StorageLevel& level = p.architecture.levels[i];
      level.name = "L" + std::to_string(i);
      level.energy = {cost_[i + 3 - levels], cost_[i + 3 - levels], cost_[i + 3 - levels]};
    }
    p.architecture.compute.op_pj = 1;
    p.mapping.level_count = static_cast<u8>(levels);
    p.mapping.keep.fill(static_cast<TensorMask>((1u << p.workload.tensors.size()) - 1));
  }
  // Units below level i, side by side.
  Toy& units(int i, u64 number) {
    p.architecture.levels[i].fanout_x = p.architecture.compute.instances = number;
    p.architecture.compute.mesh_x = number;
    for (int k = 0; k < i; ++k) p.architecture.levels[k].instances = p.architecture.levels[k].mesh_x = number;
    return *this;
  }
  // Loops of level i, innermost first: dimension, factor; the last tile follows from the sizes.
  Toy& loop(int i, char dimension, u64 factor, LoopKind kind = LoopKind::Temporal) {
    p.mapping.add(kind, i, *p.workload.find_dimension(std::string(1, dimension)), factor);
    return *this;
  }
  Toy& across(int i, char dimension, u64 factor) { return loop(i, dimension, factor, LoopKind::SpatialX); }
  // Counts it, and compares with the walk.
  Toy& run() {
    const Compiled c(p.workload, p.architecture);
    const TrueNest nest(c, p.mapping);
    b = true_breakdown(p.architecture, c, nest, p.mapping.keep);
    Walked(p).expect_equal(b);
    return *this;
  }
  const TensorTraffic& traffic(int level, const char* tensor) const {
    return b.level[level].tensor[*p.workload.find_tensor(tensor)];
  }
  u64 fills(int level, const char* tensor) const { return traffic(level, tensor).all.fills; }

 private:
  static constexpr std::array<double, 3> cost_{1, 6, 50};
};

std::string gemm(u64 m, u64 n, u64 k) {
  return "Z[m,n] += A[m,k]*B[k,n]; m=" + std::to_string(m) + ",n=" + std::to_string(n) + ",k=" + std::to_string(k);
}

TEST(TrueCounts, ExampleA) {
  const Toy inside = Toy(gemm(7, 2, 1), 2).loop(0, 'm', 3).loop(1, 'n', 2).loop(1, 'm', 3).run();
  EXPECT_EQ(inside.b.compute.cycles, 14u);
  EXPECT_EQ(inside.fills(0, "A"), 7u);
  EXPECT_EQ(inside.fills(0, "B"), 6u);
  const Toy outside = Toy(gemm(7, 2, 1), 2).loop(0, 'm', 3).loop(1, 'm', 3).loop(1, 'n', 2).run();
  EXPECT_EQ(outside.fills(0, "A"), 14u);
  EXPECT_EQ(outside.fills(0, "B"), 2u);
  EXPECT_EQ(outside.fills(0, "Z"), 0u);
  EXPECT_EQ(outside.traffic(1, "Z").all.updates, 14u);
}

TEST(TrueCounts, ExampleB) {
  const Toy t = Toy(gemm(2, 1, 7), 2).units(1, 4).across(1, 'k', 4).loop(1, 'm', 2).loop(1, 'k', 2).run();
  EXPECT_EQ(t.b.compute.cycles, 4u);
  EXPECT_EQ(t.b.compute.utilized, 4u);
  EXPECT_EQ(t.fills(0, "A"), 14u);
  EXPECT_EQ(t.fills(0, "B"), 7u);
  EXPECT_EQ(t.traffic(1, "Z").all.updates, 4u);
  EXPECT_EQ(t.traffic(1, "Z").all.reads, 2u);
  EXPECT_EQ(t.fills(0, "Z"), 6u);
  EXPECT_EQ(t.traffic(0, "Z").all.reads, 6u);
}

TEST(TrueCounts, ExampleC) {
  const char* conv = "O[p] += I[p+r]*W[r]; p=10,r=3";
  const Toy one = Toy(conv, 2).loop(0, 'p', 4).loop(1, 'r', 3).loop(1, 'p', 3).run();
  EXPECT_EQ(one.fills(0, "I"), 16u);
  EXPECT_EQ(one.fills(0, "W"), 9u);
  EXPECT_EQ(one.traffic(1, "O").all.updates, 10u);
  EXPECT_EQ(one.fills(0, "O"), 0u);
  const Toy two = Toy(conv, 2).units(1, 2).loop(0, 'r', 3).loop(0, 'p', 3).across(1, 'p', 2).loop(1, 'p', 2).run();
  EXPECT_EQ(two.b.compute.cycles, 18u);
  EXPECT_EQ(two.fills(0, "I"), 18u);
  EXPECT_EQ(two.traffic(1, "I").all.reads, 18u);
}

// A transposed convolution of 3 pixels, O[2 p + r]: 2 units of 2 pixels, the last of which has one. They hold words 0
// to 4 and 4 to 6, which no loop moves: first words are all there are, the one in the middle once for each.
TEST(TrueCounts, UnitsEachCountTheWordsOfAnOutputThatTheyShare) {
  const Toy t =
      Toy("O[2*p+r] += I[p]*W[r]; p=3,r=3", 2).units(1, 2).loop(0, 'r', 3).loop(0, 'p', 2).across(1, 'p', 2).run();
  EXPECT_EQ(t.traffic(1, "O").all.updates, 8u);
  EXPECT_EQ(t.traffic(1, "O").all.reads, 1u);
  EXPECT_EQ(t.fills(0, "O"), 0u);
  EXPECT_EQ(t.traffic(0, "O").all.reads, 1u);
}

// Of two tiles with as many cells the smaller may cost more: why no search may keep the smallest alone.
TEST(TrueCounts, TheSmallestTileOfAsManyCellsMayBeWorse) {
  const auto cycles = [](Toy toy) { return toy.run().b.cycles; };
  EXPECT_EQ(cycles(Toy(gemm(13, 1, 1), 2).units(0, 4).loop(0, 'm', 3).across(1, 'm', 3).loop(1, 'm', 2)), 6u);
  EXPECT_EQ(cycles(Toy(gemm(13, 1, 1), 2).units(0, 4).loop(0, 'm', 3).across(1, 'm', 4).loop(1, 'm', 2)), 4u);
  EXPECT_EQ(cycles(Toy(gemm(13, 1, 1), 2).units(1, 2).loop(0, 'm', 5).across(1, 'm', 2).loop(1, 'm', 2)), 8u);
  EXPECT_EQ(cycles(Toy(gemm(13, 1, 1), 2).units(1, 2).loop(0, 'm', 6).across(1, 'm', 2).loop(1, 'm', 2)), 7u);

  const auto fills = [](u64 tile) {
    return Toy(gemm(9, 2, 1), 3).loop(1, 'm', tile).loop(1, 'n', 2).loop(2, 'm', 2).run().fills(0, "A");
  };
  EXPECT_EQ(fills(5), 18u);
  EXPECT_EQ(fills(8), 17u);

  const auto idle = [](u64 steps) {
    Toy toy = Toy(gemm(17, 3, 1), 3).units(1, 4).across(1, 'm', 4).loop(1, 'm', steps).loop(1, 'n', 3).loop(2, 'm', 2);
    toy.p.mapping.keep[0] = 2;  // B alone
    return toy.run().fills(0, "B");
  };
  EXPECT_EQ(idle(3), 24u);
  EXPECT_EQ(idle(4), 15u);

  const auto standing = [](u64 steps) {
    return Toy(gemm(22, 2, 1), 3)
        .units(1, 4)
        .across(1, 'm', 4)
        .loop(1, 'm', steps)
        .loop(1, 'n', 2)
        .loop(2, 'm', 2)
        .run()
        .fills(0, "A");
  };
  EXPECT_EQ(standing(3), 44u);
  EXPECT_EQ(standing(4), 42u);
}

TEST(TrueCounts, RecordsMatch) {
  const Result<VerifyReport> report = verify_golden(HELIOLITE_TEST_DATA "/data/true_counts/records.jsonl", {});
  ASSERT_TRUE(report.ok()) << to_string(report.errors());
  EXPECT_EQ(report->total.matched, 88u);
  EXPECT_EQ(report->total.mismatched, 0u);
  EXPECT_EQ(report->by_mode.size(), 2u);
}

}  // namespace
}  // namespace heliolite::true_counts_test
