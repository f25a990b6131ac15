// Prices, rates and sizes far beyond what anybody builds: costs are what arithmetic with more room says, or are
// refused.
#include "engine/model/mapping_check.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "arch/check.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/true_counts/cost.h"
#include "engine/search/map.h"
#include "tests/support/load.h"
#include "tests/support/random_problem.h"

namespace heliolite::countable_test {
namespace {

using testing::chance;
using testing::pick;
using testing::RandomProblem;
using testing::Rng;

// Between 10^low and 10^high, all magnitudes alike.
double magnitude(Rng& rng, int low, int high) {
  return std::pow(10.0, low + static_cast<double>(pick(rng, 0, 1'000)) / 1'000 * (high - low));
}

double price(Rng& rng) { return chance(rng, 20) ? 0 : std::min(magnitude(rng, -12, 9), kMaxAccessPicojoules); }

void extreme_prices(Rng& rng, StorageLevel& level) {
  level.energy = {price(rng), price(rng), price(rng)};
  if (chance(rng, 30)) level.address_generation_pj = price(rng);
  if (chance(rng, 40)) level.leak_pj_per_cycle = price(rng);
  for (std::optional<double>* rate : {&level.bandwidth.read, &level.bandwidth.write, &level.bandwidth.shared})
    if (chance(rng, 50)) *rate = std::clamp(magnitude(rng, -6, 12), kMinBandwidth, kMaxBandwidth);
}

// A product whose sizes are powers of two, up to 2^51 MACs, on three levels with a fan-out; a rank of A may slide.
RandomProblem extreme_problem(u64 seed) {
  Rng rng(seed);
  RandomProblem p;
  u64 bits = pick(rng, 1, 51);
  for (const char* name : {"M", "N", "K"}) {
    const u64 own = name[0] == 'K' ? std::min<u64>(bits, 30) : pick(rng, 0, std::min<u64>(bits, 30));
    p.workload.dimensions.push_back({name, u64{1} << own});
    bits -= own;
  }
  p.workload.name = "extreme";
  const u64 coefficient = chance(rng, 30) ? pick(rng, 1, kMaxCoefficient) : 1;
  Tensor a{"A", {}, Role::Weight};
  if (chance(rng, 30)) a.ranks = {Rank{{{0, coefficient}, {2, 1}}}};
  else a.ranks = {Rank{{{0, coefficient}}}, Rank{{{2, 1}}}};
  p.workload.tensors = {
      a, {"B", {Rank{{{2, 1}}}, Rank{{{1, 1}}}}, Role::Input}, {"Z", {Rank{{{0, 1}}}, Rank{{{1, 1}}}}, Role::Output}};
  if (chance(rng, 30))
    for (Tensor& t : p.workload.tensors) t.word_bits = u64{1} << pick(rng, 0, 10);
  p.architecture.name = "extreme";
  const u64 x = u64{1} << pick(rng, 0, 10), y = u64{1} << pick(rng, 0, 5);
  for (int i = 0; i < 3; ++i) {
    StorageLevel level;
    level.name = "L" + std::to_string(i);
    level.word_bits = u64{1} << pick(rng, 0, 6);
    if (i == 0) level.instances = x * y, level.mesh_x = x;
    if (i == 1) level.fanout_x = x, level.fanout_y = y;
    extreme_prices(rng, level);
    p.architecture.levels.push_back(level);
  }
  p.architecture.compute.instances = x * y;
  p.architecture.compute.mesh_x = x;
  p.architecture.compute.op_pj = price(rng);
  p.mapping.level_count = 3;
  p.mapping.keep = {static_cast<TensorMask>(pick(rng, 0, 7)), static_cast<TensorMask>(pick(rng, 0, 7)), 7};
  std::array<u64, 3> left{};
  for (std::size_t d = 0; d < 3; ++d) left[d] = p.workload.dimensions[d].size;
  const auto loop = [&](LoopKind kind, int level, std::size_t d, u64 most) {
    const u64 end = std::min({u64{1} << pick(rng, 0, 20), most, left[d]});
    left[d] /= end;
    if (end > 1) p.mapping.add(kind, level, static_cast<int>(d), static_cast<u32>(end));
  };
  for (std::size_t d = 0; d < 3; ++d) loop(LoopKind::Temporal, 0, d, ~u64{0});
  loop(LoopKind::SpatialX, 1, pick(rng, 0, 2), x);
  loop(LoopKind::SpatialY, 1, pick(rng, 0, 2), y);
  for (std::size_t d = 0; d < 3; ++d) loop(LoopKind::Temporal, 1, d, ~u64{0});
  for (std::size_t d = 0; d < 3; ++d)
    if (left[d] > 1) p.mapping.add(LoopKind::Temporal, 2, static_cast<int>(d), static_cast<u32>(left[d]));
  return p;
}

// Rules 18 to 28 with more room than needed: blocks of one word, clusters of one.
struct Exact {
  long double picojoules = 0, cycles = 0;
};

Exact exact_cost(const RandomProblem& p, const Breakdown& b) {
  const CostModel model(p.workload, p.architecture);
  const auto pj = [](long double units) { return units / Energy::kUnitsPerPicojoule; };
  Exact out{pj(model.compiled().op_units) * static_cast<long double>(p.workload.macs()),
            static_cast<long double>(b.compute.cycles)};
  for (std::size_t i = 0; i < b.level.size(); ++i) {
    const CompiledLevel& level = model.compiled().level[i];
    long double reads = 0, writes = 0;
    for (std::size_t v = 0; v < b.level[i].tensor.size(); ++v) {
      const TensorTraffic& t = b.level[i].tensor[v];
      const ValueUnits& units = level.units[v];
      const auto r = static_cast<long double>(t.reads), f = static_cast<long double>(t.fills),
                 u = static_cast<long double>(t.updates);
      const long double addresses = (p.workload.tensors[v].is_output() ? u : r) + f;
      out.picojoules += static_cast<long double>(t.instances) *
                        pj(r * units.read + f * units.fill + u * units.update + addresses * units.address);
      reads += r * level.parts.of[v], writes += (f + u) * level.parts.of[v];
    }
    out.cycles = std::max({out.cycles, reads / static_cast<long double>(level.read_bandwidth),
                           writes / static_cast<long double>(level.write_bandwidth),
                           (reads + writes) / static_cast<long double>(level.shared_bandwidth)});
  }
  long double units = 1;  // in use, of the fan-out outside level 0
  for (const Loop& loop : p.mapping.loops()) units *= loop.kind == LoopKind::Temporal ? 1 : loop.end;
  for (std::size_t i = 0; i < b.level.size(); ++i)
    out.picojoules += pj(static_cast<long double>(model.compiled().level[i].leak_units)) *
                      static_cast<long double>(b.cycles) * (i == 0 ? units : 1);
  return out;
}

bool near(long double a, long double b) { return std::abs(a - b) <= 1e-9L * std::max(std::abs(a), std::abs(b)) + 2; }

RC_GTEST_PROP(Countable, CostsAreRightOrRefused, (const u64 seed)) {
  const RandomProblem p = extreme_problem(seed);
  RC_PRE(check(p.workload).empty());
  RC_ASSERT(check(p.architecture).empty());
  if (!uncountable_energies(p.workload, p.architecture, static_cast<double>(p.workload.macs())).empty()) {
    RC_ASSERT(!fits(p.mapping, p.workload, p.architecture).empty());
    RC_SUCCEED("refused");
  }
  const CostModel model(p.workload, p.architecture);
  const Breakdown b = model.explain(p.mapping);
  const Exact exact = exact_cost(p, b);
  const Evaluation e = model.evaluate(p.mapping), counted = model.evaluate(p.mapping, Counts::True);
  RC_ASSERT(counted.verdict == e.verdict);
  if (exact.cycles > 1.8446744e19L) {
    RC_ASSERT(e.verdict == Verdict::OverCapacity);
    RC_ASSERT(!fits(p.mapping, p.workload, p.architecture).empty());
    return;
  }
  RC_PRE(exact.cycles < 1.8446743e19L);
  RC_ASSERT(e.verdict == Verdict::Fits);
  RC_ASSERT(fits(p.mapping, p.workload, p.architecture).empty());
  RC_ASSERT(e.cost.cycles == b.cycles);
  RC_ASSERT(e.cost.energy.picojoules() == b.energy.picojoules());
  RC_ASSERT(near(static_cast<long double>(e.cost.cycles), exact.cycles));
  RC_ASSERT(near(static_cast<long double>(e.cost.energy.picojoules()), exact.picojoules));
}

constexpr auto kSlow = R"(
architecture:
  name: slow
  levels:
  - {name: DRAM, capacity: unbounded, energy: 1, bandwidth: {read: 1e-4}}
  - {name: Buf, entries: 3, energy: 1}
  compute: {energy: 1}
)";

// 4e15 MACs that need two words each, at a word in 10^4 cycles: 8e19 of them.
TEST(Countable, CyclesBeyond64BitsAreRefused) {
  const Architecture machine = *parse_architecture(kSlow, "slow");
  const Workload gemm = load_network("gemm:100000x100000x400000")->layers.front().workload;
  Mapping m;
  m.level_count = 2;
  m.keep = {7, 7};
  for (std::size_t d = 0; d < 3; ++d)
    m.add(LoopKind::Temporal, 1, static_cast<int>(d), static_cast<u32>(gemm.dimensions[d].size));
  EXPECT_EQ(CostModel(gemm, machine).evaluate(m).verdict, Verdict::OverCapacity);
  const std::string said = to_string(fits(m, gemm, machine));
  EXPECT_NE(said.find("DRAM"), std::string::npos) << said;
  EXPECT_NE(said.find("needs 8e+19 cycles"), std::string::npos) << said;
  SearchOptions options;
  options.objective = Objective::Delay;
  options.budget_evaluations = 2'000;
  for (const Factors factors : {Factors::Perfect, Factors::Any}) {
    options.factors = factors;
    const auto found = map_workload(gemm, machine, options);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->status, Status::Infeasible);
    EXPECT_NE(to_string(found->why_infeasible).find("cycles"), std::string::npos) << to_string(found->why_infeasible);
  }
  Architecture faster = machine;
  faster.levels[1].bandwidth.read = 4.4e-4;
  EXPECT_NEAR(static_cast<double>(CostModel(gemm, faster).evaluate(m).cost.cycles) / 1.8182e19, 1, 1e-4);
}

TEST(Countable, TotalsOfNetworksAreRefused) {
  Architecture machine = *parse_architecture(kSlow, "slow");
  machine.levels[1].bandwidth.read = 1e-3;
  const Workload gemm = load_network("gemm:10000x10000x40000")->layers.front().workload;
  SearchOptions options;
  options.strategy = Strategy::Sunstone;
  options.probe_other_tiles = false;
  EXPECT_TRUE(map_network({"one", {{gemm, 1}}}, machine, options).ok());
  const auto many = map_network({"many", {{gemm, 1'000'000}}}, machine, options);
  ASSERT_FALSE(many.ok());
  EXPECT_NE(to_string(many.errors()).find("cycles together"), std::string::npos) << to_string(many.errors());
}

// A price that is no multiple of energies' unit is told with what it becomes, unless it hardly changes.
TEST(Countable, PricesNearTheUnitAreTold) {
  Architecture machine = *parse_architecture(kSlow, "slow");
  EXPECT_EQ(rounded_prices(machine), std::nullopt);
  machine.levels[0].energy.read_pj = 0.05;
  EXPECT_EQ(rounded_prices(machine), std::nullopt);
  machine.levels[0].leak_pj_per_cycle = 1e-10;
  machine.levels[1].leak_pj_per_cycle = 3.2e-7;
  EXPECT_EQ(rounded_prices(machine),
            "energies are counted in units of 2^-32 pJ: leak_pj_per_cycle of Buf, 1e-10 pJ, becomes 0; "
            "leak_pj_per_cycle of DRAM, 3.2e-07 pJ, becomes 3.19909e-07");
}

// An access of 1e9 pJ to words of one bit by words of 1024, and leakage of as much over a year of cycles.
TEST(Countable, EnergiesBeyond128BitsAreRefused) {
  Architecture machine = *parse_architecture(kSlow, "slow");
  Workload gemm = load_network("gemm:4x4x4")->layers.front().workload;
  EXPECT_TRUE(uncountable_energies(gemm, machine, 64).empty());
  machine.levels[0].energy.read_pj = kMaxAccessPicojoules;
  EXPECT_TRUE(uncountable_energies(gemm, machine, 64).empty());
  machine.levels[0].word_bits = 1;
  for (Tensor& t : gemm.tensors) t.word_bits = 1024;
  const std::string said = to_string(uncountable_energies(gemm, machine, 64));
  EXPECT_NE(said.find("Buf: a word of A is 1024 of its words and costs 1.02e+12 pJ"), std::string::npos) << said;
  EXPECT_FALSE(map_workload(gemm, machine, {}).ok());
  machine.levels[0].energy.read_pj = 1;
  machine.levels[0].leak_pj_per_cycle = kMaxAccessPicojoules;
  machine.levels[0].instances = kMaxInstances;
  EXPECT_FALSE(
      uncountable_energies(load_network("gemm:100000x100000x400000")->layers.front().workload, machine, 4e15).empty());
}

}  // namespace
}  // namespace heliolite::countable_test
