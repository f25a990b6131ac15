// A bound above a real cost would be the worst bug: the compulsory cost against random mappings.
#include "engine/search/core/compulsory.h"

#include <gtest/gtest.h>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "tests/support/random_problem.h"

namespace heliolite::compulsory_test {
namespace {

void expect_below(u64 seed, bool links = false) {
  testing::RandomOptions options;
  options.interconnects = !links && seed % 3 == 0;
  options.links = links;
  const testing::RandomProblem p = testing::random_problem(seed, options);
  const CostModel model(p.workload, p.architecture);
  KeepRange keep;
  keep.must = keep.may = p.mapping.keep;
  const CompulsoryCost bound = compulsory_cost(model, keep);
  const Cost cost = model.evaluate(p.mapping).cost;
  SCOPED_TRACE(seed);
  ASSERT_TRUE(bound.whole.energy <= cost.energy);
  ASSERT_TRUE(bound.whole.cycles <= cost.cycles);
  // Tensors that are open count less: kept or not, the bound holds.
  KeepRange open;
  open.may = p.mapping.keep;
  open.must[p.mapping.level_count - 1u] = keep.must[p.mapping.level_count - 1u];
  const Cost open_bound = compulsory_cost(model, open).whole;
  ASSERT_TRUE(open_bound.energy <= bound.whole.energy);
  ASSERT_TRUE(open_bound.cycles <= bound.whole.cycles);
}

TEST(Compulsory, NoMappingCostsLess) {
  for (u64 seed = 0; seed < 30'000 && !::testing::Test::HasFailure(); ++seed) expect_below(seed);
}

TEST(Compulsory, NoMappingWithLinksCostsLess) {
  for (u64 seed = 0; seed < 30'000 && !::testing::Test::HasFailure(); ++seed) expect_below(seed, true);
}

// Four MACs share the registers, which take each word from DRAM, at a word a cycle, whatever the MACs pass on.
TEST(Compulsory, LinksInsideALevelThatKeepsATensorTakeNothingOffFurtherOut) {
  const auto machine = parse_architecture(
      "architecture: {link_transfers: on, compute: {energy: 1}, levels: ["
      "{name: DRAM, dram: true, energy: 100, bandwidth: {read: 1}}, {name: Regs, entries: 64, energy: 1, fanout: 4}]}",
      "x");
  const auto gemm = load_network("gemm:4x8x16");
  ASSERT_TRUE(machine.ok() && gemm.ok());
  const CostModel model(gemm->layers[0].workload, *machine);
  const TensorMask all = 0b111;
  const KeepMasks keeps{all, all};
  const Cost least = compulsory_cost(model, {keeps, keeps}).whole;
  EXPECT_EQ(least.cycles, 4 * 16 + 16 * 8);
  EXPECT_GE(least.energy.picojoules(), 100 * (4 * 16 + 16 * 8 + 4 * 8) + 4 * 8 * 16);
  // If the registers may pass a tensor by, the MACs pass on no more than words that stay where they are.
  EXPECT_EQ(compulsory_cost(model, {KeepMasks{0, all}, keeps}).whole.cycles, least.cycles);
}

}  // namespace
}  // namespace heliolite::compulsory_test
