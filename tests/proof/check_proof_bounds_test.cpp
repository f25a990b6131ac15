// Bounds of states against the mappings that they may become.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/proof_cases.h"
#include "tests/support/proof_enumeration.h"
#include "tests/support/proof_toys.h"

namespace heliolite::check_proof_bounds_test {
namespace {

using namespace heliolite::testing;

// No claim just above a mapping's cost closes a state inside it: before a level, and between its fan-out and its loops.
void expect_open(const check_proof::Steps& m, const check_proof::Bounds& bounds, const check_proof::State& s,
                 const check_proof::State& after, const check_proof::Cost& cost, const std::string& text) {
  check_proof::State unrolled = s;
  const int i = s.level + 1;
  for (const check_proof::Unrolling& u : m.unrollings[i]) {
    check_proof::Tile tile = s.tile;
    if (!m.multiply(tile, u.both) || tile != after.unrolled) continue;
    if (m.in.levels[i].has_hops) return;  // several unrollings lead to this tile
    m.unroll(unrolled, u);
  }
  for (const check_proof::Objective objective :
       {check_proof::kEnergy, check_proof::kDelay, check_proof::kEdp, check_proof::kEd2p}) {
    check_proof::Claim claim;
    claim.kind = check_proof::Claim::kBound, claim.objective = objective;
    set_value(claim, objective == check_proof::kDelay ? check_proof::Cost{cost.energy + 1, cost.cycles} : cost);
    check_proof::multiply(claim.value, 1, 1);
    check_proof::Extensions extensions(m, bounds, claim, {});
    EXPECT_FALSE(extensions.is_closed(s, i - 1)) << text;
    EXPECT_FALSE(extensions.is_closed(unrolled, i)) << text;
  }
}

// Nor do the bounds of a level's first loops, with the tile that all of them lead to.
void expect_open_orders(const check_proof::Steps& m, const check_proof::Bounds& bounds, const check_proof::State& s,
                        const check_proof::State& after, const WalkedLevel& level, const check_proof::Cost& cost) {
  check_proof::State partial = s;
  const int i = s.level + 1;
  const auto leads_there = [&](const check_proof::Unrolling& u) {
    check_proof::Tile tile = s.tile;
    return m.multiply(tile, u.both) && tile == after.unrolled;
  };
  if (m.in.levels[i].has_hops) return;
  m.unroll(partial, *std::ranges::find_if(m.unrollings[i], leads_there));
  const check_proof::i128 outside = bounds.with(i, s.set, m.number(after.tile));
  const check_proof::i128 macs = static_cast<check_proof::i128>(m.in.mac) * m.in.macs;
  EXPECT_TRUE(bounds.inside(0, partial, i) + outside <= (cost.energy - macs) * m.in.scale);
  for (const WalkedLoop& l : level.temporal) {
    m.loop(partial, l.dimension, l.factor);
    EXPECT_TRUE(bounds.inside(0, partial, i) + outside <= (cost.energy - macs) * m.in.scale);
  }
}

void hold_bounds(const std::string& text, int most) {
  const check_proof::Instance instance = instance_of_text(text);
  const check_proof::Steps m(instance);
  const check_proof::Bounds bounds(m);
  int seen = 0;
  ProofEnumeration(instance, [&](const WalkedMapping& mapping) {
    if (seen++ % 23 != 0) return true;
    const std::vector<check_proof::State> states = states_of(m, mapping);
    if (states.empty()) return seen < 23 * most;
    const check_proof::Cost cost = check_proof::exact_cost(m, states.back());
    for (std::size_t i = 0; i + 1 < states.size(); ++i) {
      expect_open(m, bounds, states[i], states[i + 1], cost, text);
      expect_open_orders(m, bounds, states[i], states[i + 1], mapping[i], cost);
    }
    return seen < 23 * most && !::testing::Test::HasFailure();
  }).run();
}

RC_GTEST_PROP(CheckProofBounds, AreBelowEveryCompletion, (unsigned seed)) {
  hold_bounds(ProofToys(seed).next(false), 300);
}

RC_GTEST_PROP(CheckProofBounds, AlsoWithNetworksAndSizesOfWords, (unsigned seed)) {
  hold_bounds(ProofToys(seed).next(true), 300);
}

RC_GTEST_PROP(CheckProofBounds, AlsoWithUnevenTiles, (unsigned seed)) {
  hold_bounds(ProofToys(seed).next(seed % 2 == 0, true), 300);
}

// Mappings with the same levels outside, whose insides are over one tile: the one that stands for the other costs no
// more, whatever is outside.
int hold_dominance(const std::string& text) {
  const check_proof::Instance instance = instance_of_text(text);
  const check_proof::Steps machine(instance);
  struct Seen {
    check_proof::State state;
    std::vector<check_proof::Cost> costs;  // of all completions, in the order of the enumeration
  };
  std::map<std::pair<check_proof::u32, int>, std::vector<Seen>> by_tile;
  ProofEnumeration(instance, [&](const WalkedMapping& mapping) {
    const std::vector<check_proof::State> states = states_of(machine, mapping);
    if (states.empty()) return true;
    std::vector<Seen>& same = by_tile[{machine.number(states[1].tile), states[1].set}];
    const auto equal = [&](const Seen& s) {
      return s.state.flows == states[1].flows && s.state.count == states[1].count &&
             s.state.pending == states[1].pending && s.state.instances == states[1].instances &&
             s.state.summed == states[1].summed && s.state.units == states[1].units && s.state.held == states[1].held;
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
        if (a.costs.size() != b.costs.size() || !check_proof::Listed(machine, {a.state}).stand_for(b.state)) continue;
        compared += &a == &b ? 0 : 1;
        for (std::size_t k = 0; k < a.costs.size(); ++k)
          EXPECT_TRUE(a.costs[k].energy <= b.costs[k].energy && a.costs[k].cycles <= b.costs[k].cycles) << text;
      }
  return compared;
}

// Blocks round what levels count, so that it is compared word by word; networks round nothing.
TEST(CheckProofBounds, NetworksAreComparedTogether) {
  const check_proof::Instance instance = instance_of_text(
      "heliolite-instance 1\nunit 0\nmac 1\ndim M 4\ndim K 2\ntensor A input M K\ntensor B input K\n"
      "tensor Z output M\nlevel Buf room - block 4 read 5\nkeep A B Z\nloops M:1-4 K:1-2\n"
      "level DRAM room - block 1 read 9 hop 2\nkeep A B Z\nloops M:1-4 K:1-2\nfanout 2 1\nx M K\nunroll M:1-2\n");
  const check_proof::Steps m(instance);
  check_proof::State a = m.root(0);
  ASSERT_EQ(m.extend(a, {}), "");
  check_proof::State b = a;
  a.count[m.slot(check_proof::kHopped, 1, 0)] = b.count[m.slot(check_proof::kHopped, 1, 1)] = 3;
  EXPECT_TRUE(check_proof::Listed(m, {a}).stand_for(b));
  ++a.count[m.slot(check_proof::kHopped, 1, 2)];
  EXPECT_FALSE(check_proof::Listed(m, {a}).stand_for(b));
}

TEST(CheckProofBounds, WhatStandsForAStateCostsNoMore) {
  int compared = 0;
  for (unsigned seed = 0; seed < 100; ++seed) compared += hold_dominance(ProofToys(seed).next(seed % 2 == 0));
  EXPECT_GT(compared, 80);
}

TEST(CheckProofBounds, WithUnevenTilesItLeavesTheSameRoom) {
  int compared = 0;
  for (unsigned seed = 0; seed < 100; ++seed) compared += hold_dominance(ProofToys(seed).next(seed % 2 == 0, true));
  EXPECT_GT(compared, 80);
}

}  // namespace
}  // namespace heliolite::check_proof_bounds_test
