// The closed form of perfect mappings: against the oracle's walk, against its own breakdown, and by hand.
#include "engine/model/cost_model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/collapse.h"
#include "engine/model/links.h"
#include "engine/model/mapping_check.h"
#include "engine/model/nest.h"
#include "engine/model/tensor_flows.h"
#include "tests/support/random_problem.h"
#include "tests/support/reference_walk.h"

namespace heliolite::cost_model_test {
namespace {

using testing::random_problem;
using testing::RandomOptions;
using testing::RandomProblem;

// Counts of the oracle's walk, collapsed by the same rules as imperfect nests, against the integer closed form.
void expect_same_counts(const RandomProblem& p) {
  const Compiled compiled(p.workload, p.architecture);
  const Nest nest(compiled, p.mapping);
  const CollapsedTraffic closed = collapse(compiled, nest, p.mapping.keep, kEven, tensors_from_peers(compiled, nest));
  const CollapsedTraffic walked =
      collapse(compiled, p.mapping.keep, testing::reference_traffic(p.workload, p.architecture, p.mapping));
  for (std::size_t v = 0; v < closed.size(); ++v) {
    for (std::size_t i = 0; i < closed[v].size(); ++i) {
      const CollapsedTensor &a = closed[v][i], &b = walked[v][i];
      ASSERT_TRUE(a.tile_words == b.tile_words || !a.kept);
      ASSERT_TRUE(a.instances == b.instances);
      ASSERT_TRUE(a.words.reads == b.words.reads);
      ASSERT_TRUE(a.words.updates == b.words.updates);
      ASSERT_TRUE(a.fanout == b.fanout);
      // Read-only fills are truncated sums of doubles in the walk (rule 30).
      ASSERT_TRUE(a.words.fills == b.words.fills ||
                  (!compiled.tensor[static_cast<int>(v)].is_output && a.words.fills == b.words.fills + 1));
      ASSERT_TRUE(a.peer_words == b.peer_words);
      ASSERT_TRUE(a.records.size() == b.records.size());
      for (std::size_t k = 0; k < a.records.size(); ++k) {
        ASSERT_TRUE(a.records[k].multicast == b.records[k].multicast);
        ASSERT_TRUE(a.records[k].groups == b.records[k].groups);
        ASSERT_TRUE(std::abs(a.records[k].words - b.records[k].words) <= 1e-9 * std::max(1.0, a.records[k].words));
        ASSERT_TRUE(std::abs(a.records[k].hop_words - b.records[k].hop_words) <=
                    1e-9 * std::max(1.0, a.records[k].hop_words));
      }
    }
  }
}

TEST(CostModel, ClosedFormCountsWhatTheWalkCounts) {
  for (u64 seed = 0; seed < 4'000 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    expect_same_counts(random_problem(seed));
  }
}

// Fan-outs with several loops along an axis, used in part, so that rows of receivers wrap.
TEST(CostModel, ClosedFormCountsWhatTheWalkCountsOnLargeFanOuts) {
  RandomOptions options;
  options.max_fanout = 12;
  options.max_levels = 3;
  options.max_temporal_loops = 2;
  for (u64 seed = 10'000; seed < 11'000 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    expect_same_counts(random_problem(seed, options));
  }
}

// Words over links, by the closed form and step by step.
TEST(CostModel, ClosedFormCountsWhatTheWalkCountsOverLinks) {
  RandomOptions options;
  options.links = true;
  options.max_fanout = 5;
  options.max_size = 12;
  int linked = 0;
  for (u64 seed = 0; seed < 2'500 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const RandomProblem p = random_problem(seed, options);
    expect_same_counts(p);
    const Compiled compiled(p.workload, p.architecture);
    linked += tensors_from_peers(compiled, Nest(compiled, p.mapping)) != 0 ? 1 : 0;
  }
  EXPECT_GT(linked, 250);
}

TEST(CostModel, ClosedFormCountsWhatTheWalkCountsThroughInterconnects) {
  RandomOptions options;
  options.interconnects = true;
  for (u64 seed = 20'000; seed < 22'000 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    expect_same_counts(random_problem(seed, options));
  }
}

// O[p] += I[c,p+r] * W[c,r] on four units along X under one buffer; what Timeloop itself says of it.
TEST(CostModel, LinksByHand) {
  Workload w;
  w.name = "conv1d";
  w.dimensions = {{"C", 2}, {"P", 8}, {"R", 4}};
  w.tensors = {{"I", {{{{0, 1}}}, {{{1, 1}, {2, 1}}}}, Role::Input},
               {"W", {{{{0, 1}}}, {{{2, 1}}}}, Role::Weight},
               {"O", {{{{1, 1}}}}, Role::Output}};
  Architecture a;
  a.levels.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    a.levels[i].name = std::array{"Pe", "Buffer", "DRAM"}[i];
    const double pj = std::array{1.0, 10.0, 100.0}[i];
    a.levels[i].energy = {pj, pj, pj};
  }
  a.levels[0].entries = 64;
  a.levels[0].instances = a.compute.instances = 12;
  a.levels[0].mesh_x = a.compute.mesh_x = 4;
  a.levels[1].fanout_x = 4, a.levels[1].fanout_y = 3;
  a.levels[1].network = {0.5, 0.25, 0.125};
  a.levels[2].is_dram = true;
  Mapping m;
  m.level_count = 3;
  m.keep = {7, 7, 7};
  m.add(LoopKind::SpatialX, 1, 1, 4);
  m.add(LoopKind::Temporal, 1, 2, 4);
  m.add(LoopKind::Temporal, 1, 1, 2);
  m.add(LoopKind::Temporal, 2, 0, 2);
  EXPECT_EQ(CostModel(w, a).evaluate(m).cost.energy.picojoules(), 5848);
  a.peer_channel = true;
  const Breakdown b = CostModel(w, a).explain(m);
  EXPECT_EQ(b.energy.picojoules(), 5498.5);
  EXPECT_EQ(CostModel(w, a).evaluate(m).cost.energy, b.energy);
  EXPECT_EQ(b.level[1].tensor[0].reads, 28);
  EXPECT_EQ(b.level[0].tensor[0].reads, 25);
  EXPECT_EQ(b.level[0].tensor[0].fills, 16);
  EXPECT_EQ(b.level[1].network[0].peer_words, 36);
  EXPECT_EQ(b.level[1].network[0].peer_energy.picojoules(), 36);
  m.no_peers[1] = 1;
  EXPECT_EQ(CostModel(w, a).evaluate(m).cost.energy.picojoules(), 5848);
}

// On half of the machines that have networks these cost by the words that enter them alone.
RandomProblem with_networks(RandomProblem p) {
  if (*rc::gen::arbitrary<bool>())
    for (StorageLevel& level : p.architecture.levels) level.network.hop_pj = level.network.router_pj = 0;
  return p;
}

RC_GTEST_PROP(CostModel, EvaluateIsTheTotalOfExplain, ()) {
  RandomOptions options;
  options.imperfect = *rc::gen::arbitrary<bool>();
  options.links = *rc::gen::arbitrary<bool>();
  options.interconnects = !options.links && *rc::gen::arbitrary<bool>();
  options.reductions = *rc::gen::arbitrary<bool>();
  const RandomProblem p = with_networks(random_problem(*rc::gen::arbitrary<u64>(), options));
  const CostModel model(p.workload, p.architecture);
  const Evaluation evaluation = model.evaluate(p.mapping);
  RC_ASSERT(evaluation.verdict == Verdict::Fits);
  const Breakdown breakdown = model.explain(p.mapping);
  RC_ASSERT(evaluation.cost.energy == breakdown.energy);
  RC_ASSERT(evaluation.cost.cycles == breakdown.cycles);
}

RC_GTEST_PROP(CostModel, VerdictsAgreeWithTheWordedCheck, ()) {
  RandomOptions options;
  options.capacities = true;
  const RandomProblem p = random_problem(*rc::gen::arbitrary<u64>(), options);
  RC_ASSERT(well_formed(p.mapping, p.workload, p.architecture).empty());
  const CostModel model(p.workload, p.architecture);
  RC_ASSERT((model.evaluate(p.mapping).verdict == Verdict::Fits) ==
            fits(p.mapping, p.workload, p.architecture).empty());
}

// The level's temporal loops in a random order.
Mapping shuffled(const Mapping& mapping, int level, std::mt19937_64& random) {
  Mapping out = mapping;
  const auto here = [&](const Loop& l) { return l.level == level && l.kind == LoopKind::Temporal; };
  Loop* const end = out.loop.data() + out.loop_count;
  Loop* const first = std::find_if(out.loop.data(), end, here);
  std::shuffle(first, std::find_if_not(first, end, here), random);
  return out;
}

// Loops change places at one level after the other, now and then back to where they were: what was mended is what the
// mapping costs when it is priced anew.
RC_GTEST_PROP(TensorFlows, MendedOrdersCostWhatTheMappingDoes, ()) {
  RandomOptions options;
  options.interconnects = *rc::gen::arbitrary<bool>();
  const RandomProblem p = with_networks(random_problem(*rc::gen::arbitrary<u64>(), options));
  const CostModel model(p.workload, p.architecture);
  const Compiled& c = model.compiled();
  Mapping mapping = p.mapping;
  Nest nest(c, mapping);
  TileBoxes boxes;
  TensorFlows flows(c, nest, mapping.keep, boxes);
  std::mt19937_64 random(*rc::gen::arbitrary<u64>());
  std::vector<std::pair<int, Mapping>> undo;
  for (int k = 0; k < 20; ++k) {
    int level = static_cast<int>(random() % static_cast<u64>(c.level_count));
    if (!undo.empty() && random() % 3 == 0) {
      std::tie(level, mapping) = undo.back();
      undo.pop_back();
    } else {
      undo.emplace_back(level, mapping);
      mapping = shuffled(mapping, level, random);
    }
    nest = Nest(c, mapping);
    flows.reorder(level);
    RC_ASSERT(flows.total() == model.evaluate(mapping).cost);
  }
}

// A 2x2x2 GEMM on one buffer of words, everything at the outermost level, order k inside n inside m:
// A[m,k] is fetched for every step, B likewise, Z stays while k runs.
TEST(CostModel, SmallGemmByHand) {
  const auto network = load_network("gemm:2x2x2");
  ASSERT_TRUE(network.ok());
  const Workload& w = network->layers[0].workload;
  Architecture a;
  a.name = "two";
  a.levels.resize(2);
  a.levels[0].name = "Buf";
  a.levels[0].entries = 3;
  a.levels[0].energy = {1, 1, 1};
  a.levels[1].name = "Main";
  a.levels[1].energy = {100, 100, 100};
  a.compute.op_pj = 1;
  Mapping m;
  m.level_count = 2;
  m.keep = {0b111, 0b111};
  for (const char* d : {"K", "N", "M"}) m.add(LoopKind::Temporal, 1, *w.find_dimension(d), 2);
  const CostModel model(w, a);
  const Breakdown b = model.explain(m);
  const int in_a = *w.find_tensor("A"), in_b = *w.find_tensor("B"), out = *w.find_tensor("Z");
  EXPECT_EQ(b.level[0].tensor[static_cast<std::size_t>(in_a)].fills, 8);
  EXPECT_EQ(b.level[0].tensor[static_cast<std::size_t>(in_b)].fills, 8);
  EXPECT_EQ(b.level[0].tensor[static_cast<std::size_t>(out)].updates, 8);
  EXPECT_EQ(b.level[0].tensor[static_cast<std::size_t>(out)].reads, 4);  // 8 less the first of each word
  EXPECT_EQ(b.level[1].tensor[static_cast<std::size_t>(out)].updates, 4);
  EXPECT_EQ(b.level[1].tensor[static_cast<std::size_t>(out)].reads, 0);
  // 8 MACs; buffer 16 reads of operands, 16 fills, 8 updates and 4 reads of sums; memory 16 reads and 4 updates.
  EXPECT_DOUBLE_EQ(b.energy.picojoules(), 8 + 16 + 16 + 8 + 4 + 100 * (16 + 4));
  EXPECT_EQ(b.cycles, 8u);
  a.levels[0].entries = 2;
  EXPECT_EQ(CostModel(w, a).evaluate(m).verdict, Verdict::OverCapacity);
}

// Sums agree with doubles to 1e-6 and do not overflow at 1e15 MACs on a machine with costly memory.
TEST(CostModel, HugeWorkloadsStayExact) {
  const auto network = load_network("gemm:100000x100000x100000");
  ASSERT_TRUE(network.ok());
  const Workload& w = network->layers[0].workload;
  Architecture a;
  a.levels.resize(1);
  a.levels[0].name = "Main";
  a.levels[0].energy = {6400, 6400, 6400};
  Mapping m;
  m.level_count = 1;
  m.keep = {0b111};
  for (int d = 0; d < 3; ++d) m.add(LoopKind::Temporal, 0, d, 100000);
  const Evaluation e = CostModel(w, a).evaluate(m);
  const double macs = 1e15, words = 4 * macs - 1e10;  // two operands, one update, one read less the first of each sum
  EXPECT_NEAR(e.cost.energy.picojoules() / (macs + 6400 * words), 1, 1e-6);
  EXPECT_EQ(e.cost.cycles, 1'000'000'000'000'000u);
}

}  // namespace
}  // namespace heliolite::cost_model_test
