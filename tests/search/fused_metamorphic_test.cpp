// What must hold between answers about related questions, on random small networks and machines: fused and not, with
// more room, without constraints, with softmax cut; and of every schedule against what any execution must move.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/bounds/network/network_bound.h"
#include "engine/network/fused_breakdown.h"
#include "engine/search/map.h"
#include "engine/search/scheduling/fused_network.h"
#include "tests/support/fusion_records.h"
#include "tests/support/random_problem.h"

namespace heliolite::fused_metamorphic_test {
namespace {

using testing::chance;
using testing::pick;

struct RandomMachine {
  u64 dram = 0, buffer = 0, entries = 0, registers = 0, shared = 0, fanout = 1;
  std::string constraint;  // of DRAM

  explicit RandomMachine(testing::Rng& rng)
      : dram(pick(rng, 20, 90)),
        buffer(pick(rng, 3, 9)),
        entries(pick(rng, 8, 30)),
        registers(pick(rng, 3, 6)),
        shared(pick(rng, 1, 4)),
        fanout(pick(rng, 1, 2)) {
    for (const char* d : {"i", "j", "k"})
      if (chance(rng, 30))
        constraint += fmt::format("{}\"{}<={}\"", constraint.empty() ? "" : ", ", d, pick(rng, 1, 2));
  }

  Architecture read() const {
    const std::string only = constraint.empty() ? "" : ", constraints: {temporal: {factors: [" + constraint + "]}}";
    return testing::read_well(parse_architecture(
        fmt::format("architecture:\n  name: random\n  word_bits: 16\n  levels:\n"
                    "  - {{name: DRAM, dram: true, energy: {}, bandwidth: {{shared: {}}}{}}}\n"
                    "  - {{name: Buf, entries: {}, energy: {}, fanout: {}}}\n"
                    "  - {{name: Reg, entries: {}, energy: 1}}\n  compute: {{name: MAC, energy: 1}}\n",
                    dram, shared, only, entries, buffer, fanout, registers),
        "machine.yaml"));
  }
  double words() const { return static_cast<double>(entries + fanout * registers); }
};

// A chain of products, sometimes with rows that a softmax needs, or with a second reader of what the first one makes.
Network random_chain(testing::Rng& rng) {
  const u64 size[] = {2 * pick(rng, 1, 3), pick(rng, 2, 4), pick(rng, 1, 3), pick(rng, 1, 3)};
  const u64 count = chance(rng, 30) ? 2 : 1;
  const bool fork = chance(rng, 10);
  std::string text = "name: random\nlayers:\n";
  const auto layer = [&](const char* name, u64 i, u64 j, u64 k) {
    text += fmt::format(
        "- {{name: {}, einsum: \"z[i,j] += w[i,k] * x[k,j]\", sizes: {{i: {}, j: {}, k: {}}}, count: {}}}\n", name, i,
        j, k, count);
  };
  layer("a", size[0], size[1], size[2]);
  layer("b", size[3], size[1], size[0]);
  if (fork) layer("c", size[2], size[1], size[0]);
  text += fmt::format("edges:\n- {{from: a, to: b, tensor: x, ranks: {{i: k, j: j}}{}}}\n",
                      chance(rng, 50) ? ", through: softmax" : "");
  if (fork) text += "- {from: a, to: c, tensor: x, ranks: {i: k, j: j}}\n";
  return testing::read_well(parse_network(text, "network.yaml"));
}

SearchOptions options_of(bool free = false) {
  SearchOptions options;
  options.objective = Objective::Edp;
  options.threads = 1;
  options.free = free;
  options.budget_seconds = 100;  // none is reached
  return options;
}

// A proven answer; none where constraints leave no schedule.
std::optional<FusedNetwork> proven(const Network& network, const RandomMachine& machine, bool free,
                                   const FusionRules& rules = {}) {
  Result<FusedNetwork> found = fuse_network(network, machine.read(), options_of(free), rules);
  if (!found.ok()) return std::nullopt;
  EXPECT_EQ(found->best.status, Status::Optimal);
  EXPECT_EQ(found->best.cost, found->cost.total);
  return *std::move(found);
}

// The sums of the optima that layers have by themselves.
double product_of_own_optima(const Network& network, const RandomMachine& machine) {
  const auto alone = map_network(network, machine.read(), options_of());
  EXPECT_TRUE(alone.ok());
  double picojoules = 0, cycles = 0;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const auto runs = static_cast<double>(network.layers[l].count);
    picojoules += runs * alone->layers[l].result.cost.energy.picojoules();
    cycles += runs * static_cast<double>(alone->layers[l].result.cost.cycles);
  }
  return picojoules * cycles;
}

TEST(FusedMetamorphic, WhatAllowsMoreCostsNoMore) {
  constexpr double kEqual = 1 + 1e-12;
  testing::Rng rng(23);
  int asked = 0, fusing_gains = 0, room_gains = 0, freedom_gains = 0, cuts_gain = 0;
  for (int k = 0; k < 14; ++k) {
    const RandomMachine machine(rng);
    const Network network = random_chain(rng);
    SCOPED_TRACE(fmt::format("{} {} entries, {}", k, machine.entries, machine.constraint));
    const auto best = proven(network, machine, false);
    if (!best) continue;
    ++asked;
    const double value = best->best.value;
    // Fused against unfused, and both against layers that are best by themselves.
    ASSERT_TRUE(best->best.unfused_value.has_value());
    EXPECT_LE(value, *best->best.unfused_value);
    EXPECT_LE(*best->best.unfused_value, product_of_own_optima(network, machine) * kEqual);
    fusing_gains += value < *best->best.unfused_value;
    // More room.
    RandomMachine larger = machine;
    larger.entries += pick(rng, 1, 12);
    const auto roomy = proven(network, larger, false);
    ASSERT_TRUE(roomy.has_value());
    EXPECT_LE(roomy->best.value, value * kEqual);
    room_gains += roomy->best.value * kEqual < value;
    // No constraints.
    const auto freed = proven(network, machine, true);
    ASSERT_TRUE(freed.has_value());
    EXPECT_LE(freed->best.value, value * kEqual);
    freedom_gains += freed->best.value * kEqual < value;
    // Loops over the rows of a softmax, too.
    const auto cut = proven(network, machine, false, {.incremental_softmax = true});
    ASSERT_TRUE(cut.has_value());
    EXPECT_LE(cut->best.value, value * kEqual);
    cuts_gain += cut->best.value * kEqual < value;
    // No execution moves less.
    const u64 least = network_bound(network, machine.words()).words;
    for (const auto* answer : {&*best, &*freed, &*cut}) EXPECT_GE(answer->cost.outermost.sum(), least);
  }
  EXPECT_GT(asked, 10);
  EXPECT_GT(fusing_gains, 4);
  EXPECT_GT(room_gains, 3);
  EXPECT_GT(freedom_gains, 1);
  EXPECT_GT(cuts_gain, 0);
}

// Pointwise convolutions over lines and columns with a residual sum, as products or as convolutions of 1 x 1.
Network pointwise(testing::Rng rng, bool windows) {
  const u64 p = 2 * pick(rng, 1, 2), q = pick(rng, 2, 3), c = pick(rng, 1, 2), k = pick(rng, 1, 3);
  const char* product = windows ? "o[k,p,q] += w[k,c,r,s] * x[c,p+r,q+s]" : "o[k,p,q] += w[k,c] * x[c,p,q]";
  std::string text = "name: pointwise\nlayers:\n";
  const auto layer = [&](const char* name, u64 made, u64 read) {
    text += fmt::format("- {{name: {}, einsum: \"{}\", sizes: {{k: {}, p: {}, q: {}, c: {}{}}}}}\n", name, product,
                        made, p, q, read, windows ? ", r: 1, s: 1" : "");
  };
  layer("a", c, 2);
  layer("b", c, c);
  layer("d", k, c);
  const char* ranks = "ranks: {k: c, p: p, q: q}";
  text += fmt::format(
      "edges:\n- {{from: a, to: b, tensor: x, {0}}}\n- {{from: a, to: d, tensor: x, combine: add, {0}}}\n"
      "- {{from: b, to: d, tensor: x, combine: add, {0}}}\n",
      ranks);
  return testing::read_well(parse_network(text, "network.yaml"));
}

TEST(FusedMetamorphic, WindowsOfOneAreNone) {
  testing::Rng rng(29);
  int fused = 0;
  for (int k = 0; k < 6; ++k) {
    const RandomMachine machine(rng);
    const auto product = proven(pointwise(rng, false), machine, true),
               convolution = proven(pointwise(rng, true), machine, true);
    ASSERT_TRUE(product.has_value() && convolution.has_value());
    EXPECT_DOUBLE_EQ(product->best.value, convolution->best.value) << machine.entries << " entries";
    fused += product->best.value < *product->best.unfused_value;
    rng.discard(1);
  }
  EXPECT_GT(fused, 3);
}

}  // namespace
}  // namespace heliolite::fused_metamorphic_test
