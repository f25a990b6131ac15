// The checker's steps against a literal walk over the loops of each mapping.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/proof_cases.h"
#include "tests/support/proof_enumeration.h"
#include "tests/support/proof_toys.h"

namespace heliolite::check_proof_cost_test {
namespace {

using namespace heliolite::testing;

// Compares every `stride`-th mapping of a toy; how many.
int compare(const std::string& text, int most, int stride) {
  const check_proof::Instance instance = instance_of_text(text);
  const check_proof::Steps machine(instance);
  int seen = 0, compared = 0;
  ProofEnumeration(instance, [&](const WalkedMapping& mapping) {
    if (seen++ % stride != 0) return true;
    const auto walked = ProofWalk(instance, mapping).cost();
    const std::vector<check_proof::State> states = states_of(machine, mapping);
    EXPECT_EQ(walked.has_value(), !states.empty()) << text;
    if (!walked || states.empty()) return compared < most;
    const check_proof::Cost cost = check_proof::exact_cost(machine, states.back());
    EXPECT_TRUE(cost.energy == walked->energy) << text;
    EXPECT_EQ(cost.cycles, walked->cycles) << text;
    return !::testing::Test::HasFailure() && ++compared < most;
  }).run();
  return compared;
}

RC_GTEST_PROP(CheckProofCost, StepsCountWhatTheWalkCounts, (unsigned seed)) {
  compare(ProofToys(seed).next(false), 3000, 7);
}

RC_GTEST_PROP(CheckProofCost, AlsoWithNetworksAndSizesOfWords, (unsigned seed)) {
  compare(ProofToys(seed).next(true), 3000, 7);
}

TEST(CheckProofCost, ComparesThousandsOfMappings) {
  int compared = 0;
  for (unsigned seed = 0; seed < 60; ++seed) compared += compare(ProofToys(seed).next(seed % 2 == 0), 2000, 3);
  EXPECT_GT(compared, 3000);
}

TEST(CheckProofCost, UnevenTilesShareRoomAndRates) {
  int compared = 0;
  for (unsigned seed = 0; seed < 120; ++seed) compared += compare(ProofToys(seed).next(seed % 2 == 0, true), 2000, 3);
  EXPECT_GT(compared, 6000);
}

// docs/cost_model.md, rule 7: a window that slides over one word, by two orders.
TEST(CheckProofCost, FindsHalosAsTheRuleSays) {
  const std::string text =
      "heliolite-instance 1\nunit 0\nmac 0\ndim P 6\ndim R 3\ntensor I input P+R\ntensor W input R\n"
      "tensor O output P\nlevel Buf room - block 1 fill 1\nkeep I\nlevel DRAM room - block 1\nkeep I W O\n"
      "loops P:1-6 R:1-3\n";
  const check_proof::Instance instance = instance_of_text(text);
  const check_proof::Steps machine(instance);
  WalkedMapping mapping(2);
  mapping[0].keep = 1, mapping[1].keep = 7;
  mapping[1].temporal = {{1, 3}, {0, 6}};
  EXPECT_TRUE(check_proof::exact_cost(machine, states_of(machine, mapping).back()).energy == 13);
  mapping[1].temporal = {{0, 6}, {1, 3}};
  EXPECT_TRUE(check_proof::exact_cost(machine, states_of(machine, mapping).back()).energy == 16);
}

}  // namespace
}  // namespace heliolite::check_proof_cost_test
