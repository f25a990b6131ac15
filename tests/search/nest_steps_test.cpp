// The exact search's steps on toys: the words that they count for every flow are the cost model's.
#include "engine/search/exact/nest_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tests/support/exact_toy.h"
#include "tests/support/named_toys.h"

namespace heliolite::nest_steps_test {
namespace {

using testing::add_level;
using testing::ExactToy;
using testing::for_each_completion;
using testing::gemm;
using testing::LevelStep;
using testing::sliding;
using testing::toy_machine;
using testing::toy_problem;
using testing::Walk;

// One price: of a word of one tensor's flow out of one level (-1: the MACs), where it is stored or where it comes from.
struct Probe {
  int from, tensor;
  bool fill;
};

// What the steps to a mapping add up to, if that word costs one unit and nothing else costs anything.
class Words {
 public:
  explicit Words(const ExactToy& toy) : toy_(toy), model_(toy.model), steps_(model_) {
    for (int v = 0; v < toy.compiled().tensor_count; ++v)
      for (int from = -1; from < toy.top(); ++from) set({from, v, true}, 0), set({from, v, false}, 0);
  }

  // All levels; refunds are no words of a flow.
  double of(const Probe& probe, const std::vector<LevelStep>& path) {
    set(probe, 1);
    PartialMapping s = steps_.root(0, 0);
    for (int level = 0; level < model_.levels(); ++level) {
      const LevelStep& step = path[level];
      if (step.spatial != nullptr) steps_.unroll(s, level, *step.spatial);
      const Extents inner = s.tile.extent;
      Extents left;
      for (int d = 0; d < kMaxDimensions; ++d) left[d] = toy_.compiled().size[d] / inner[d];
      for (const u8 d : step.order) {
        left[d] /= step.tile.extent[d] / inner[d];
        steps_.loop(s, d, step.tile.extent[d] / inner[d], left);
      }
      s.tile = step.tile;
      if (level + 1 == model_.levels()) steps_.finish(s);
      else EXPECT_TRUE(steps_.start(s, level, 0));
    }
    set(probe, 0);
    return s.sum[0];
  }

 private:
  void set(const Probe& probe, double price) {
    auto& levels = model_.machine[0].level;
    const auto v = at(probe.tensor);
    if (probe.fill && probe.from >= 0) levels[probe.from].fill[v][0] = price;
    if (!probe.fill) levels[model_.servers.server(probe.from, 0, probe.tensor)].serve[v][0] = price;
  }

  const ExactToy& toy_;
  FlowCosts model_;
  NestSteps steps_;
};

// The path of a mapping through the levels.
std::vector<LevelStep> path_of(const ExactToy& toy, const Mapping& mapping) {
  std::vector<LevelStep> out;
  Extents tile = unit_extents();
  int k = 0;
  for (int level = 0; level < mapping.level_count; ++level) {
    LevelStep step;
    Extents x = unit_extents();
    for (; k < mapping.loop_count && mapping.loop[k].level == level; ++k) {
      const Loop& loop = mapping.loop[k];
      tile[loop.dimension] *= loop.end;
      if (loop.is_spatial()) x[loop.dimension] = loop.end;
      else step.order.push_back(loop.dimension);
    }
    for (const SpatialChoice& choice : toy.fanouts[level].choices)
      if (choice.x == x) step.spatial = &choice;
    EXPECT_EQ(step.spatial != nullptr, toy.fanouts[level].exists);
    step.tile = toy.lattice.point(tile);
    out.push_back(step);
  }
  return out;
}

// The cost model's counts over all instances: words that enter a level's tile, and that a level is asked for. An
// output's first words, which are never fetched, count as words of its flow: the search refunds them.
double filled(const ExactToy& toy, const Breakdown& b, int level, int v) {
  const TensorTraffic& t = b.level[level].tensor[v];
  const u64 first = v == toy.model.output ? toy.compiled().tensor[v].words : 0;
  return static_cast<double>(static_cast<u64>(t.fills) * t.instances + first);
}
double served(const ExactToy& toy, const Breakdown& b, int level, int v) {
  const TensorTraffic& t = b.level[level].tensor[v];
  return static_cast<double>(static_cast<u64>(v == toy.model.output ? t.updates : t.reads) * t.instances);
}

void expect_words_of_the_model(const ExactToy& toy, const Mapping& mapping) {
  const Breakdown b = toy.problem.model.explain(mapping);
  const auto path = path_of(toy, mapping);
  const bool spreads = std::any_of(toy.fanouts.begin(), toy.fanouts.end(), [](const auto& f) { return f.exists; });
  Words words(toy);
  for (int v = 0; v < toy.compiled().tensor_count; ++v)
    for (int from = -1; from < toy.top(); ++from) {
      SCOPED_TRACE("tensor " + toy.problem.space.tensor_names[v] + " from level " + std::to_string(from));
      // Over a fan-out several instances may own the same words of the output first: docs/cost_model.md, rule 14.
      if (from >= 0 && (v != toy.model.output || !spreads)) {
        ASSERT_NEAR(words.of({from, v, true}, path), filled(toy, b, from, v), 1e-9);
      }
      const int server = toy.model.servers.server(from, 0, v);
      ASSERT_NEAR(words.of({from, v, false}, path), served(toy, b, server, v), 1e-9);
    }
}

// The example of docs/cost_model.md: a tile of m = 2, n = 4, k = 1 under loops over m and k.
TEST(NestSteps, AFlowWaitsForTheFirstLoopThatMovesIt) {
  const ExactToy toy(toy_problem(gemm(4, 4, 4), toy_machine({{}, {}})));
  Words words(toy);
  const LevelStep tile{nullptr, toy.tile({2, 4, 1}), {0, 1}, 0};
  // m inside k. A[m,k] moves with both: 2 * 2 * 4 = 16 words. B[k,n] waits for k: 4 * 4 = 16. Z[m,n]: 8 * 2 * 4 = 64.
  const std::vector<LevelStep> m_inside{tile, {nullptr, toy.lattice.full(), {0, 2}, 0}};
  EXPECT_EQ(words.of({0, 0, true}, m_inside), 64);
  EXPECT_EQ(words.of({0, 1, true}, m_inside), 16);
  EXPECT_EQ(words.of({0, 2, true}, m_inside), 16);
  // k inside m. Z waits for m: 8 * 2 = 16, each word once. B moves with k and again for each m: 4 * 4 * 2 = 32.
  const std::vector<LevelStep> k_inside{tile, {nullptr, toy.lattice.full(), {2, 0}, 0}};
  EXPECT_EQ(words.of({0, 0, true}, k_inside), 16);
  EXPECT_EQ(words.of({0, 1, true}, k_inside), 16);
  EXPECT_EQ(words.of({0, 2, true}, k_inside), 32);
  EXPECT_EQ(words.of({0, 2, false}, k_inside), 32) << "there is no fan-out: one word served for each that is stored";
  EXPECT_EQ(words.of({-1, 1, false}, k_inside), 64) << "a MAC asks for a word at every step";
}

// The example of docs/cost_model.md, rule 7: p = 6, r = 3.
TEST(NestSteps, AHaloIsFoundInPlace) {
  const ExactToy toy(toy_problem(sliding(6, 3), toy_machine({{}, {}})));
  Words words(toy);
  const Probe input{0, 1, true};
  const LevelStep point{nullptr, toy.tile({1, 1}), {}, 0}, kernel{nullptr, toy.tile({1, 3}), {1}, 0};
  EXPECT_EQ(words.of(input, {kernel, {nullptr, toy.lattice.full(), {0}, 0}}), 8) << "3 words, then one for each p";
  EXPECT_EQ(words.of(input, {point, {nullptr, toy.lattice.full(), {1, 0}, 0}}), 13) << "1 + 2 * 6: p moves back";
  EXPECT_EQ(words.of(input, {point, {nullptr, toy.lattice.full(), {0, 1}, 0}}), 16) << "1 + 5 * 3: r moves back";
}

// Four units below the outer level. m = 4 over them, tiles of n = 4, a loop over k outside: A's tile of one word moves
// with k in each unit, 4 * 4 = 16 words, all different. B's four words are the same in all units: 4 * 4 * 4 = 64 are
// stored, 16 are read. Z's stay: 4 * 4.
TEST(NestSteps, AFanOutStoresEachWordInEveryReceiverAndReadsItOnce) {
  const ExactToy toy(toy_problem(gemm(4, 4, 4), toy_machine({{}, {.fanout_x = 4}})));
  Words words(toy);
  Mapping mapping;
  mapping.level_count = 2;
  mapping.keep = toy.model.keep.must;
  mapping.add(LoopKind::Temporal, 0, 1, 4);
  mapping.add(LoopKind::SpatialX, 1, 0, 4);
  mapping.add(LoopKind::Temporal, 1, 2, 4);
  const auto path = path_of(toy, mapping);
  EXPECT_EQ(words.of({0, 1, true}, path), 16);
  EXPECT_EQ(words.of({0, 1, false}, path), 16);
  EXPECT_EQ(words.of({0, 2, true}, path), 64);
  EXPECT_EQ(words.of({0, 2, false}, path), 16);
  EXPECT_EQ(words.of({0, 0, false}, path), 16);
  expect_words_of_the_model(toy, mapping);
}

// p = 2 and r = 3 over six units: p + r takes four values. The output's two words are sums over three units each.
TEST(NestSteps, AFanOutMayServeOverlappingTiles) {
  const ExactToy toy(toy_problem(sliding(2, 3), toy_machine({{}, {.fanout_x = 6}})));
  Words words(toy);
  Mapping mapping;
  mapping.level_count = 2;
  mapping.keep = toy.model.keep.must;
  mapping.add(LoopKind::SpatialX, 1, 0, 2);
  mapping.add(LoopKind::SpatialX, 1, 1, 3);
  const auto path = path_of(toy, mapping);
  EXPECT_EQ(words.of({0, 1, true}, path), 6);
  EXPECT_EQ(words.of({0, 1, false}, path), 4);
  EXPECT_EQ(words.of({0, 0, false}, path), 2);
  expect_words_of_the_model(toy, mapping);
}

TEST(NestSteps, CountTheWordsOfTheCostModelForEveryMappingOfAToy) {
  const std::vector<testing::ToyLevel> plain{{}, {}, {}}, spread{{}, {.fanout_x = 2}, {}};
  int mappings = 0;
  for (const Workload& workload : {gemm(2, 2, 4), sliding(4, 2), sliding(3, 4)})
    for (const auto& levels : {plain, spread}) {
      const ExactToy toy(toy_problem(workload, toy_machine(levels)));
      for_each_completion(toy, Walk(toy, 0), 0, [&](const Walk& walk) {
        if (!::testing::Test::HasFatalFailure()) expect_words_of_the_model(toy, walk.mapping);
        ++mappings;
      });
    }
  EXPECT_GT(mappings, 500);
}

// Level 1 serves a word a cycle, and the unit takes 64 cycles. With tiles of one word under loops m, n, k it serves 64
// words of A and of Z, more than there are cycles; with k = 2 left outside a tile of m = n = 4, 16 + 16 of A and B, and
// at most 16 of Z, which waits.
TEST(NestSteps, ForgetsABandwidthThatCannotBind) {
  Architecture machine = toy_machine({{}, {}, {}});
  machine.levels[1].bandwidth.read = 1;
  const ExactToy toy(toy_problem(gemm(4, 4, 4), machine, Objective::Edp));
  ASSERT_EQ(toy.model.channels.size(), 2u);
  for (const auto& [tile, idle] : {std::pair{toy.tile({1, 1, 1}), 0}, std::pair{toy.tile({4, 4, 2}), 1}}) {
    Walk walk(toy, 0);
    add_level(toy, walk, 0, testing::step_to(toy, 0, nullptr, walk.state.tile, tile));
    EXPECT_EQ(toy.steps.forget_idle(walk.state, 0), 0) << "level 1 is still to be asked";
    add_level(toy, walk, 1, testing::step_to(toy, 1, nullptr, tile, toy.lattice.full()));
    EXPECT_EQ(toy.steps.forget_idle(walk.state, 1), idle);
    EXPECT_EQ(walk.state.idle, idle == 1 ? 0b10 : 0) << "a bit for each channel";
    EXPECT_EQ(walk.state.sum[1] == 0, idle == 1);
    EXPECT_EQ(toy.steps.forget_idle(walk.state, 1), 0) << "once";
  }
}

}  // namespace
}  // namespace heliolite::nest_steps_test
