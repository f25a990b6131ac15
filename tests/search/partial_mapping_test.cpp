// The exact search's steps on toys: the words that they count for every flow are the cost model's; the tables of the
// rest are below every completion; and the expansion meets every mapping.
#include "engine/search/exact/nest_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/search/exact/expand.h"
#include "tests/support/exact_toy.h"

namespace heliolite::partial_mapping_test {
namespace {

using testing::add_level;
using testing::ExactToy;
using testing::for_each_completion;
using testing::gemm;
using testing::kObjectives;
using testing::LevelStep;
using testing::make_workload;
using testing::toy_machine;
using testing::toy_problem;
using testing::Walk;

// O[p] += I[p+r] * W[r].
Workload sliding(u64 p, u64 r) {
  return make_workload("conv", {{"P", p}, {"R", r}},
                       {{"O", "P", Role::Output}, {"I", "P+R"}, {"W", "R", Role::Weight}});
}

// --- Words of flows.

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
      const LevelStep& step = path[at(level)];
      if (step.spatial != nullptr) steps_.unroll(s, level, *step.spatial);
      const Extents inner = s.tile.extent;
      Extents left;
      for (int d = 0; d < kMaxDimensions; ++d) left[at(d)] = toy_.compiled().size[at(d)] / inner[at(d)];
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
    if (probe.fill && probe.from >= 0) levels[at(probe.from)].fill[v][0] = price;
    if (!probe.fill) levels[at(model_.servers.server(probe.from, 0, probe.tensor))].serve[v][0] = price;
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
    for (; k < mapping.loop_count && mapping.loop[at(k)].level == level; ++k) {
      const Loop& loop = mapping.loop[at(k)];
      tile[loop.dimension] *= loop.end;
      if (loop.is_spatial()) x[loop.dimension] = loop.end;
      else step.order.push_back(loop.dimension);
    }
    for (const SpatialChoice& choice : toy.fanouts[at(level)].choices)
      if (choice.x == x) step.spatial = &choice;
    EXPECT_EQ(step.spatial != nullptr, toy.fanouts[at(level)].exists);
    step.tile = toy.lattice.point(tile);
    out.push_back(step);
  }
  return out;
}

// The cost model's counts over all instances: words that enter a level's tile, and that a level is asked for. An
// output's first words, which are never fetched, count as words of its flow: the search refunds them.
double filled(const ExactToy& toy, const Breakdown& b, int level, int v) {
  const TensorTraffic& t = b.level[at(level)].tensor[at(v)];
  const u64 first = v == toy.model.output ? toy.compiled().tensor[v].words : 0;
  return static_cast<double>(static_cast<u64>(t.fills) * t.instances + first);
}
double served(const ExactToy& toy, const Breakdown& b, int level, int v) {
  const TensorTraffic& t = b.level[at(level)].tensor[at(v)];
  return static_cast<double>(static_cast<u64>(v == toy.model.output ? t.updates : t.reads) * t.instances);
}

void expect_words_of_the_model(const ExactToy& toy, const Mapping& mapping) {
  const Breakdown b = toy.problem.model.explain(mapping);
  const auto path = path_of(toy, mapping);
  const bool spreads = std::any_of(toy.fanouts.begin(), toy.fanouts.end(), [](const auto& f) { return f.exists; });
  Words words(toy);
  for (int v = 0; v < toy.compiled().tensor_count; ++v)
    for (int from = -1; from < toy.top(); ++from) {
      SCOPED_TRACE("tensor " + toy.problem.space.tensor_names[at(v)] + " from level " + std::to_string(from));
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

// --- Tables of the rest.

struct RestToy {
  const char* name;
  Workload workload;
  Architecture machine;
  Objective objective = Objective::Energy;
};

std::vector<RestToy> rest_toys() {
  const std::vector<testing::ToyLevel> plain{{.entries = 6, .read = 1, .fill = 1, .update = 1},
                                             {.entries = 12, .read = 5, .fill = 4, .update = 3},
                                             {.read = 100, .update = 70}};
  auto spread = plain;
  spread[1].fanout_x = 2;
  Architecture narrow = toy_machine(spread);
  narrow.levels[1].bandwidth.read = 0.5;
  narrow.levels[2].bandwidth.shared = 0.25;
  Architecture fixed = toy_machine(plain);
  fixed.levels[2].constraints.temporal.allowed = {"M", "N"};  // k must be complete inside
  Architecture slid = toy_machine(spread);
  slid.levels[2].constraints.temporal.allowed = {"P"};
  return {{"gemm", gemm(2, 2, 4), toy_machine(plain)},
          {"gemm, fan-out", gemm(2, 2, 4), toy_machine(spread)},
          {"gemm, bandwidths", gemm(2, 2, 2), narrow, Objective::Edp},
          {"gemm, no loop over k outside", gemm(2, 2, 4), fixed},
          {"convolution", sliding(4, 3), toy_machine(plain)},
          {"convolution, r inside", sliding(4, 2), slid},
          {"convolution, bandwidths", sliding(4, 2), narrow, Objective::Edp}};
}

// [channel] of the cheapest completion, each for itself; infinity: there is none.
using Least = std::vector<double>;

bool possible(const Least& least) { return least[0] < std::numeric_limits<double>::infinity(); }

// What the flows that start outside `level`, or with `own` at the level too, cost at least over the tile.
Least least_rest(const ExactToy& toy, int level, const LatticePoint& tile, bool own) {
  Least least(toy.model.channels.size(), std::numeric_limits<double>::infinity());
  Walk walk(toy, 0);
  PartialMapping& s = walk.state;
  s.tile = tile;
  s.sum = {};
  s.pending = {};
  for (int d = 0; d < toy.compiled().dimension_count; ++d) s.iterations /= tile.extent[at(d)];
  const auto complete = [&](const Walk& done) {
    for (std::size_t k = 0; k < least.size(); ++k) least[k] = std::min(least[k], done.state.sum[k]);
  };
  if (own && !toy.model.fits(level, toy.model.keep.may[at(level)], tile.extent)) return least;
  if (level == toy.top()) {
    if (toy.full(tile)) complete(walk);
    return least;
  }
  if (own) toy.steps.start(s, level, 0);
  for_each_completion(toy, walk, level + 1, complete);
  return least;
}

void expect_at_most(double bound, const Least& least, std::size_t channel) {
  if (!possible(least)) {
    EXPECT_GE(bound, kImpossible);
  } else {
    EXPECT_LE(bound, least[channel] * (1 + 1e-12));
  }
}

TEST(RestBounds, AreAtMostTheCheapestCompletionAndImpossibleWhereThereIsNone) {
  int none = 0, tight = 0;
  for (const RestToy& given : rest_toys()) {
    SCOPED_TRACE(given.name);
    const ExactToy toy(toy_problem(given.workload, given.machine, given.objective));
    const RestBounds bounds(toy.model);
    for (int level = 0; level <= toy.top(); ++level) {
      std::vector<Least> with;
      toy.lattice.grid().visit([&](u64, const LatticePoint& tile, const LatticePoint&) {
        with.push_back(least_rest(toy, level, tile, true));
        const Least after = least_rest(toy, level, tile, false);
        for (std::size_t k = 0; k < after.size(); ++k) {
          expect_at_most(bounds.with(level, 0, k, tile.index), with.back(), k);
          expect_at_most(bounds.after(level, 0, k, tile.index), after, k);
        }
        none += !possible(with.back());
        tight += possible(with.back()) && bounds.with(level, 0, 0, tile.index) >= with.back()[0] * (1 - 1e-12);
      });
      double lowest = kImpossible;
      toy.lattice.grid().visit([&](u64, const LatticePoint& inner, const LatticePoint&) {
        Least below(toy.model.channels.size(), std::numeric_limits<double>::infinity());
        toy.lattice.grid().visit([&](u64, const LatticePoint& tile, const LatticePoint&) {
          for (int d = 0; d < toy.compiled().dimension_count; ++d)
            if (tile.extent[at(d)] != inner.extent[at(d)] &&
                !(toy.problem.space.levels[at(level)].temporal.allowed >> d & 1))
              return;
          if (!toy.divides(inner, tile)) return;
          for (std::size_t k = 0; k < below.size(); ++k) below[k] = std::min(below[k], with[tile.index][k]);
        });
        for (std::size_t k = 0; k < below.size(); ++k) expect_at_most(bounds.below(level, 0, k, inner.index), below, k);
        lowest = std::min(lowest, bounds.below(level, 0, 0, inner.index));
      });
      EXPECT_EQ(bounds.least_below(level, 0), lowest);
    }
  }
  EXPECT_GT(none, 50);
  EXPECT_GT(tight, 50);
}

// The tile of AFlowWaitsForTheFirstLoopThatMovesIt at a unit a word: 64 + 16 + 16 with m inside, 16 + 16 + 32 with k
// inside. The innermost tile may be any: the whole problem inside costs 48.
TEST(RestBounds, KnownCase) {
  const ExactToy toy(toy_problem(gemm(4, 4, 4), toy_machine({{}, {.read = 1}})));
  const RestBounds bounds(toy.model);
  EXPECT_EQ(bounds.with(0, 0, 0, toy.tile({2, 4, 1}).index), 64);
  EXPECT_EQ(bounds.after(0, 0, 0, toy.tile({2, 4, 1}).index), 0);
  EXPECT_EQ(bounds.below(0, 0, 0, 0), 48);
  EXPECT_EQ(bounds.least_below(0, 0), 48);
  EXPECT_GE(bounds.with(1, 0, 0, toy.tile({2, 4, 1}).index), kImpossible) << "the outermost tile is all";
}

// --- What levels keep.

// Level 1 may keep A and B, level 2 must keep B, the outermost one keeps all.
TEST(ServerSets, AreAllWaysToTheNextLevelThatKeepsATensor) {
  const TensorMask a = 1, b = 2;
  const KeepRange keep{{0, 0, b, a | b}, {0, a | b, b, a | b}};
  const ServerSets sets(keep, 4, 2);
  EXPECT_EQ(sets.count(-1), 4u) << "A: level 1 or 3, B: level 1 or 2";
  EXPECT_EQ(sets.count(0), 4u);
  EXPECT_EQ(sets.count(1), 1u) << "A to level 3, B to level 2";
  EXPECT_EQ(sets.count(2), 1u);
  EXPECT_EQ(sets.count(3), 1u) << "nothing is served outside";
  for (const TensorMask kept : {0, 1, 2, 3}) {
    const KeepMasks choice{0, kept, b, a | b};
    const u32 set = sets.find(0, choice);
    EXPECT_EQ(sets.server(0, set, 0), contains(kept, 0) ? 1 : 3);
    EXPECT_EQ(sets.server(0, set, 1), contains(kept, 1) ? 1 : 2);
    EXPECT_EQ(sets.kept(1, set), kept);
    EXPECT_EQ(sets.kept(0, sets.find(-1, choice)), 0);
    const auto next = sets.next(0, sets.find(-1, choice));
    EXPECT_EQ(std::vector<u32>(next.begin(), next.end()), std::vector<u32>{set}) << "what bypasses keeps its server";
  }
  EXPECT_TRUE(ServerSets::few(keep, 4, 2));
  KeepRange open{};
  open.may.fill(255), open.must[9] = 255;
  EXPECT_FALSE(ServerSets::few(open, 10, 8)) << "ten servers for each of eight tensors";
}

// --- The expansion.

struct Expansion {
  Incumbent incumbent;
  u64 complete = 0;         // mappings that the last level arrived at
  ObjectiveKey left_out{};  // least bound of what there was no room for
};

// All levels, with room for so many bytes of states at a time.
Expansion expand(const ExactToy& toy, std::size_t most_bytes = ~std::size_t{0}) {
  const SearchBudget budget(toy.problem.options);
  const PartialBounds bounds(toy.model);
  Expansion out{Incumbent(toy.problem.options.objective, ObjectiveKey())};
  std::vector<Frontier> layers;
  for (int level = -1; level <= toy.top(); ++level) layers.emplace_back(toy.model, level);
  layers[0].add(toy.steps.root(0, 0), {}, false);
  for (int level = 0; level <= toy.top(); ++level) {
    Expander expander(toy.problem, toy.model, bounds, layers, level, out.incumbent, layers[at(level) + 1], most_bytes);
    for (std::size_t k = 0; k < layers[at(level)].size(); ++k)
      EXPECT_TRUE(expander.extend(k, budget, budget.evaluations_left(0)));
    layers[at(level) + 1].compact();
    out.left_out = std::min(out.left_out, expander.left_out());
    out.complete = expander.statistics().evaluated;
  }
  return out;
}

RuleSet no_rules() {
  RuleSet rules;
  for (const RuleInfo& info : kRuleTable) rules.set(info.rule, false);
  return rules;
}

TEST(Expander, MeetsEveryMappingThatFitsIfNoRuleCuts) {
  for (const RestToy& given : rest_toys()) {
    SCOPED_TRACE(given.name);
    LayerProblem problem = toy_problem(given.workload, given.machine, given.objective);
    problem.options.rules = no_rules();
    const auto all = testing::enumerate_mapspace(given.workload, given.machine, {.innermost_orders = true});
    ASSERT_TRUE(all.has_value());
    EXPECT_EQ(expand(ExactToy(problem)).complete, all->legal);
  }
}

TEST(Expander, FindsTheCheapestWhicheverRuleIsOff) {
  std::vector<RuleSet> runs{RuleSet(), no_rules()};
  for (const Rule r : {Rule::LatticeBound, Rule::OwnLoops, Rule::UsefulInstances, Rule::StateDominance,
                       Rule::IdleBandwidth, Rule::FreeLoops})
    runs.push_back(RuleSet().set(r, false));
  for (const RestToy& given : rest_toys()) {
    const auto all = testing::enumerate_mapspace(given.workload, given.machine);
    ASSERT_TRUE(all.has_value());
    for (const Objective objective : kObjectives)
      for (const RuleSet& rules : runs) {
        SCOPED_TRACE(std::string(given.name) + ", " + std::string(name(objective)));
        LayerProblem problem = toy_problem(given.workload, given.machine, objective);
        problem.options.rules = rules;
        const Expansion found = expand(ExactToy(problem));
        ASSERT_TRUE(found.incumbent.found());
        const Cost& best = all->best[static_cast<std::size_t>(objective)].cost;
        EXPECT_TRUE(found.incumbent.answer().value == Value::of(objective, best));
      }
  }
}

// What had no room has a bound: nothing that went is below it.
TEST(Expander, SaysWhatItHadNoRoomFor) {
  const RestToy given = rest_toys()[0];
  const auto all = testing::enumerate_mapspace(given.workload, given.machine);
  LayerProblem problem = toy_problem(given.workload, given.machine);
  problem.options.rules = no_rules();
  const ExactToy toy(problem);
  const Expansion whole = expand(toy), part = expand(toy, 4000);
  EXPECT_FALSE(whole.left_out < ObjectiveKey());
  ASSERT_LT(part.left_out.first, ObjectiveKey().first);
  EXPECT_LT(part.complete, whole.complete);
  const auto best = static_cast<double>(all->best[0].cost.energy.units);
  ASSERT_TRUE(part.incumbent.found());
  EXPECT_LE(std::min(part.left_out.first, part.incumbent.best().first), best * (1 + 1e-12));
}

}  // namespace
}  // namespace heliolite::partial_mapping_test
