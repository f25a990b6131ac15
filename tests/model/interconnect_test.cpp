// Levels that hold nothing and have a price (docs/cost_model.md, rule 43): by hand, and against machines without them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "tests/support/load.h"
#include "tests/support/random_problem.h"

namespace heliolite::interconnect_test {
namespace {

using testing::random_problem;
using testing::RandomOptions;
using testing::RandomProblem;

constexpr auto kTwoDies = R"(
architecture:
  word_bits: 8
  cycle_ns: 1
  levels:
  - {name: DRAM, dram: true, energy: 100, fanout: 2}
  - {name: D2D, interconnect: true, energy: 0.5 pJ/bit, bandwidth: {read: 0.25, write: 1}}
  - {name: Buffer, entries: 64, energy: 1}
  compute: {energy: 1}
)";

// Z[m,n] += A[m,k] * B[k,n], m = 4, n = 2, k = 4. DRAM's loops: m 2 across the dies, then k 2 outside n 2; the buffer's
// tile is m = 2, n = 1, k = 2. Of one die: A is fetched whole for each k, 2 * 4 = 8 words in 2 tiles (n leaves it in
// place); B at every step, 4 tiles of 2; of Z 4 tiles of 2, of which the first two come from nowhere: 8 out, 4 in.
TEST(Interconnect, TwoDiesByHand) {
  const Architecture machine = *parse_architecture(kTwoDies, "two_dies");
  const Workload gemm = load_network("Z[m,n] += A[m,k] * B[k,n]; m=4,n=2,k=4")->layers.front().workload;
  Mapping m;
  m.level_count = 3;
  m.keep = {7, 0, 7};
  const auto add = [&](LoopKind kind, int level, const char* dimension, u64 end) {
    for (std::size_t d = 0; d < gemm.dimensions.size(); ++d)
      if (gemm.dimensions[d].name == dimension) m.add(kind, level, static_cast<int>(d), end);
  };
  add(LoopKind::Temporal, 0, "m", 2);
  add(LoopKind::Temporal, 0, "k", 2);
  add(LoopKind::SpatialX, 2, "m", 2);
  add(LoopKind::Temporal, 2, "n", 2);
  add(LoopKind::Temporal, 2, "k", 2);
  const CostModel model(gemm, machine);
  const Breakdown b = model.explain(m);
  const LevelBreakdown& link = b.level[1];
  u64 in = 0, out = 0;
  for (std::size_t v = 0; v < 3; ++v) {
    const TensorTraffic& t = link.tensor[v];
    EXPECT_TRUE(t.carried && !t.kept);
    EXPECT_EQ(t.fills, 0);
    EXPECT_EQ(t.instances, 2u);
    EXPECT_EQ(t.updates, gemm.tensors[v].is_output() ? 8 : 0);
    EXPECT_EQ(t.reads, gemm.tensors[v].is_output() ? 4 : 8);
    in += static_cast<u64>(t.reads), out += static_cast<u64>(t.updates);
  }
  EXPECT_EQ(in, 20u);
  EXPECT_EQ(out, 8u);
  EXPECT_EQ(link.cycles, 80u);  // 20 words in, a quarter of one each cycle; the units need 16
  EXPECT_EQ(b.cycles, 80u);
  EXPECT_EQ(b.compute.cycles, 16u);
  // Two dies, 28 words each, 8 bits, half a pJ a bit.
  Architecture free = machine;
  free.levels[1].energy = {};
  const Cost with = model.evaluate(m).cost, without = CostModel(gemm, free).evaluate(m).cost;
  EXPECT_DOUBLE_EQ(with.energy.picojoules() - without.energy.picojoules(), 2 * 28 * 4);
  EXPECT_EQ(with.energy, b.energy);
  EXPECT_EQ(with.cycles, b.cycles);
  // B is the same for both dies: DRAM reads it once, and both links carry it.
  for (std::size_t v = 0; v < 3; ++v) {
    const i64 reads = b.level[2].tensor[v].reads;
    EXPECT_EQ(reads, gemm.tensors[v].name == "A" ? 16 : 8) << gemm.tensors[v].name;
  }
}

// The same mapping of the machine without its interconnects.
RandomProblem without_interconnects(const RandomProblem& p) {
  RandomProblem out{p.workload, p.architecture, {}};
  out.architecture.levels.clear();
  std::array<int, kMaxLevels> place{};
  for (std::size_t i = 0; i < p.architecture.levels.size(); ++i) {
    place[i] = static_cast<int>(out.architecture.levels.size());
    if (p.architecture.levels[i].is_interconnect) continue;
    out.architecture.levels.push_back(p.architecture.levels[i]);
    out.mapping.keep[static_cast<std::size_t>(place[i])] = p.mapping.keep[i];
  }
  out.mapping.level_count = static_cast<u8>(out.architecture.levels.size());
  for (const Loop& loop : p.mapping.loops())
    out.mapping.add(loop.kind, place[loop.level], loop.dimension, loop.end, loop.residual);
  return out;
}

RandomProblem problem(u64 seed, bool imperfect) {
  RandomOptions options;
  options.interconnects = true;
  options.imperfect = options.plain_output = imperfect;
  return random_problem(seed, options);
}

Counts counts_of(bool exact) { return exact ? Counts::True : Counts::Timeloop; }

// Also where networks are paid for, on whose way it is. Timeloop's averages of factors that do not divide depend on
// levels that hold nothing, too.
RC_GTEST_PROP(Interconnect, ThatCostsNothingChangesNothing, (const u64 seed, const bool exact)) {
  RandomProblem p = problem(seed, exact);
  for (std::size_t i = 0; i < p.architecture.levels.size(); ++i) {
    StorageLevel& level = p.architecture.levels[i];
    if (!level.is_interconnect) continue;
    RC_PRE(level.fanout_x * level.fanout_y == 1);
    level.network = {};
    level.energy = {};
    level.bandwidth = {};
    level.leak_pj_per_cycle = 0;
  }
  const RandomProblem plain = without_interconnects(p);
  RC_ASSERT(CostModel(p.workload, p.architecture).evaluate(p.mapping, counts_of(exact)).cost ==
            CostModel(plain.workload, plain.architecture).evaluate(plain.mapping, counts_of(exact)).cost);
}

// Two units below a memory of a network, a word of A for both and one of B for each at every step. What B's hops are
// with a memory between that would keep a word of B for two steps, and with an interconnect.
TEST(Interconnect, AllThatPassesTakesItsHops) {
  const auto with = [](const std::string& between) {
    return *parse_architecture(
        "architecture: {levels: [{name: DRAM, capacity: unbounded, energy: 1}, {name: Mid, entries: 64, energy: 1, "
        "fanout: 2, network: {hop_pj: 1, router_pj: 2, ingress_pj: 4}}" +
            between + "], compute: {energy: 1}}",
        "m");
  };
  const Workload gemm = load_network("Z[m,n] += A[m,k] * B[k,n]; m=2,n=2,k=4")->layers.front().workload;
  const auto energy = [&](const std::string& between, std::size_t levels) {
    Mapping m;
    m.level_count = static_cast<u8>(levels);
    const int mid = static_cast<int>(levels) - 2;
    m.keep[levels - 1] = m.keep[levels - 2] = 7;
    const auto add = [&](LoopKind kind, const char* dimension, u32 end) {
      for (std::size_t d = 0; d < gemm.dimensions.size(); ++d)
        if (gemm.dimensions[d].name == dimension) m.add(kind, mid, static_cast<int>(d), end);
    };
    add(LoopKind::SpatialX, "n", 2);
    add(LoopKind::Temporal, "m", 2);  // innermost: B stays
    add(LoopKind::Temporal, "k", 4);
    const Breakdown b = CostModel(gemm, with(between)).explain(m);
    for (std::size_t v = 0; v < 3; ++v)
      if (gemm.tensors[v].name == "B") return b.level[levels - 2].network[v].energy.picojoules();
    return 0.0;
  };
  // 16 words of B, half of which go one hop: 0.5 on average, one router each.
  EXPECT_EQ(energy("", 2), 16 * 4 + 16 * 2 + 8);
  EXPECT_EQ(energy(", {name: Zero, interconnect: true, energy: 0}", 3), 16 * 4 + 16 * 2 + 8);
  EXPECT_EQ(energy(", {name: Zero, interconnect: true, energy: 0}, {name: One, interconnect: true, energy: 0}", 4),
            16 * 4 + 16 * 2 + 8);
  EXPECT_EQ(energy(", {name: Reg, entries: 3, energy: 0, bypass: all}", 3), 16 * 4 + 16 * 2 + 4);
}

// The network below a level counts the words that leave it inwards by itself (rule 26): as many cross an interconnect
// there, and no price of one changes the counts of another level.
RC_GTEST_PROP(Interconnect, CarriesWhatTheNetworkBelowItDoes,
              (const u64 seed, const bool imperfect, const bool exact)) {
  const RandomProblem p = problem(seed, imperfect);
  const Breakdown b = CostModel(p.workload, p.architecture).explain(p.mapping, counts_of(exact));
  const bool averages = !b.divides && !exact;
  for (std::size_t i = 0; i < b.level.size(); ++i) {
    if (!p.architecture.levels[i].is_interconnect) continue;
    for (std::size_t v = 0; v < p.workload.tensors.size(); ++v) {
      const TensorTraffic& t = b.level[i].tensor[v];
      const bool is_output = p.workload.tensors[v].is_output();
      const double asked = averages ? b.level[i].network[v].ingresses : b.level[i].network[v].all_ingresses;
      const double carried = static_cast<double>(averages    ? static_cast<u64>(is_output ? t.updates : t.reads)
                                                 : is_output ? t.all.updates
                                                             : t.all.reads);
      RC_ASSERT(std::abs(carried - asked) <= (averages ? 0.5 + 1e-6 * asked : 0));
      RC_ASSERT(!is_output || t.reads <= t.updates);
    }
  }
  const Evaluation fast = CostModel(p.workload, p.architecture).evaluate(p.mapping, counts_of(exact));
  RC_ASSERT(fast.cost.energy == b.energy);
  RC_ASSERT(fast.cost.cycles == b.cycles);
}

// Whoever asks to be held by one, or asks too much of it, is told so.
TEST(Interconnect, HoldsNothingAndSaysSo) {
  const auto complaint = [](const std::string& level) {
    const auto machine = parse_architecture(
        "architecture: {levels: [{name: DRAM, dram: true, energy: 1}, {name: X, " + level + "}], compute: {energy: 1}}",
        "x");
    return machine ? std::string() : to_string(machine.errors());
  };
  EXPECT_EQ(complaint("interconnect: true, energy: 1 pJ/bit"), "");
  EXPECT_EQ(complaint("interconnect: true, energy: {read: 1, update: 2, fill: 0}, area_um2: 5"), "");
  for (const char* key :
       {"capacity: 1 KB", "entries: 4", "multiple_buffering: 2", "cluster_size: 1", "dram: true",
        "address_generation_pj: 1", "keep: all", "open: weights", "loops: true", "reduction: false"}) {
    const std::string text = key, said = complaint("interconnect: true, energy: 1, " + text);
    EXPECT_NE(said.find("an interconnect holds nothing"), std::string::npos) << text << ": " << said;
    EXPECT_NE(said.find(text.substr(0, text.find(':'))), std::string::npos) << text << ": " << said;
  }
  EXPECT_NE(complaint("interconnect: true").find("missing key 'energy' of an interconnect"), std::string::npos);
  EXPECT_NE(complaint("interconnect: true, energy: table").find("no table knows interconnects"), std::string::npos);
  EXPECT_NE(complaint("interconnect: true, energy: 1, constraints: {temporal: {factors: [m=2]}}").find("no loops"),
            std::string::npos);
  const auto outermost = parse_architecture(
      "architecture: {levels: [{name: X, interconnect: true, energy: 1}], compute: {energy: 1}}", "x");
  ASSERT_FALSE(outermost.ok());
  EXPECT_NE(to_string(outermost.errors()).find("it cannot be an interconnect"), std::string::npos);
  const auto links = parse_architecture(
      "architecture: {link_transfers: on, levels: [{name: DRAM, dram: true, energy: 1}, "
      "{name: X, interconnect: true, energy: 1}], compute: {energy: 1}}",
      "x");
  ASSERT_FALSE(links.ok());
  EXPECT_NE(to_string(links.errors()).find("link_transfers: off"), std::string::npos);
}

}  // namespace
}  // namespace heliolite::interconnect_test
