// Bounds of states against the mappings that they may become.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "check_proof/bounds.h"
#include "check_proof/dominance.h"
#include "tests/support/proof_cases.h"
#include "tests/support/proof_enumeration.h"
#include "tests/support/proof_toys.h"

namespace heliolite::check_proof_bounds_test {
namespace {

using namespace heliolite::testing;

// No claim just above a mapping's cost closes a state inside it: before a level, and between its fan-out and its loops.
void expect_open(const check_proof::Machine& m, const check_proof::Tables& tables, const check_proof::State& s,
                 const check_proof::State& after, const check_proof::Cost& cost, const std::string& text) {
  const check_proof::Steps steps(m);
  check_proof::State unrolled = s;
  const int i = s.level + 1;
  for (const check_proof::Unrolling& u : m.unrollings(i)) {
    check_proof::Extents tile = s.tile;
    for (std::size_t d = 0; d < tile.size(); ++d) tile[d] *= u.factor[d];
    if (tile != after.unrolled) continue;
    if (m.level(i).has_hops) return;  // several unrollings lead to this tile
    steps.unroll(unrolled, u);
  }
  const check_proof::u32 before = m.tiles().number(s.at), between = m.tiles().number(unrolled.at);
  const check_proof::u32 end = m.tiles().number(after.at);
  for (const check_proof::Objective objective : {check_proof::Objective::Energy, check_proof::Objective::Delay,
                                                 check_proof::Objective::Edp, check_proof::Objective::Ed2p}) {
    check_proof::Claim claim;
    claim.kind = check_proof::ClaimKind::Bound, claim.objective = objective;
    claim.value = check_proof::value_of(objective, cost);
    claim.second = check_proof::U256(static_cast<check_proof::u128>(cost.energy) + 1);
    if (objective != check_proof::Objective::Delay) claim.value.multiply_add(1, 1);
    const check_proof::Bounds bounds(m, tables, claim);
    check_proof::Inside inside, inside_unrolled;
    bounds.energy(s, i - 1, inside);
    EXPECT_FALSE(bounds.closed(s, i - 1, inside, [&](std::size_t c) { return tables.below(c, i, before, s.set); }))
        << text;
    bounds.energy(unrolled, i, inside_unrolled);
    const auto below = [&](std::size_t c) { return tables.below(c, i, between, s.set); };
    const auto with = [&](std::size_t c) { return tables.with(c, i, end, s.set); };
    EXPECT_FALSE(bounds.closed(unrolled, i, inside_unrolled, below)) << text;
    EXPECT_FALSE(bounds.closed(unrolled, i, inside_unrolled, with)) << text;
  }
}

void hold_bounds(const std::string& text, int most) {
  const check_proof::Instance instance = instance_of_text(text);
  const check_proof::Machine machine(instance);
  const check_proof::Tables tables(machine, std::vector<bool>(machine.channels().size(), true), 1);
  int seen = 0;
  ProofEnumeration(instance, [&](const WalkedMapping& mapping) {
    if (seen++ % 23 != 0) return true;
    const std::vector<check_proof::State> states = states_of(machine, mapping);
    if (states.empty()) return seen < 23 * most;
    const check_proof::Cost cost = check_proof::exact_cost(machine, states.back());
    for (std::size_t i = 0; i + 1 < states.size(); ++i)
      expect_open(machine, tables, states[i], states[i + 1], cost, text);
    return seen < 23 * most && !::testing::Test::HasFailure();
  }).run();
}

RC_GTEST_PROP(CheckProofBounds, AreBelowEveryCompletion, (unsigned seed)) {
  hold_bounds(ProofToys(seed).next(false), 300);
}

RC_GTEST_PROP(CheckProofBounds, AlsoWithNetworksAndSizesOfWords, (unsigned seed)) {
  hold_bounds(ProofToys(seed).next(true), 300);
}

// Mappings with the same levels outside, whose insides are over one tile: the one that stands for the other costs no
// more, whatever is outside.
int hold_dominance(const std::string& text) {
  const check_proof::Instance instance = instance_of_text(text);
  const check_proof::Machine machine(instance);
  struct Seen {
    check_proof::State state;
    std::vector<check_proof::Cost> costs;  // of all completions, in the order of the enumeration
  };
  std::map<std::pair<check_proof::u32, int>, std::vector<Seen>> by_tile;
  ProofEnumeration(instance, [&](const WalkedMapping& mapping) {
    const std::vector<check_proof::State> states = states_of(machine, mapping);
    if (states.empty()) return true;
    std::vector<Seen>& same = by_tile[{machine.tiles().number(states[1].at), states[1].set}];
    const auto equal = [&](const Seen& s) {
      return s.state.flows == states[1].flows && s.state.count == states[1].count &&
             s.state.pending == states[1].pending && s.state.instances == states[1].instances &&
             s.state.summed == states[1].summed && s.state.units == states[1].units &&
             s.state.network == states[1].network;
    };
    auto found = std::ranges::find_if(same, equal);
    if (found == same.end()) found = same.insert(same.end(), {states[1], {}});
    // States that are equal inside come with the same levels outside again.
    found->costs.push_back(check_proof::exact_cost(machine, states.back()));
    return same.size() < 40;
  }).run();
  int compared = 0;
  for (const auto& [key, same] : by_tile)
    for (const Seen& a : same)
      for (const Seen& b : same) {
        if (a.costs.size() != b.costs.size() || !check_proof::stands_for(machine, a.state, b.state)) continue;
        compared += &a == &b ? 0 : 1;
        for (std::size_t k = 0; k < a.costs.size(); ++k)
          EXPECT_TRUE(a.costs[k].energy <= b.costs[k].energy && a.costs[k].cycles <= b.costs[k].cycles) << text;
      }
  return compared;
}

TEST(CheckProofBounds, WhatStandsForAStateCostsNoMore) {
  int compared = 0;
  for (unsigned seed = 0; seed < 100; ++seed) compared += hold_dominance(ProofToys(seed).next(seed % 2 == 0));
  EXPECT_GT(compared, 80);
}

}  // namespace
}  // namespace heliolite::check_proof_bounds_test
