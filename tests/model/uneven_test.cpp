// Uneven tiles: tensors of a level with tiles at places of their own in the nest (docs/cost_model.md, rule 42).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/load_network.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/model/collapse.h"
#include "engine/model/cost_model.h"
#include "engine/model/keep.h"
#include "engine/model/mapping_check.h"
#include "engine/model/mapping_yaml.h"
#include "tests/support/buffer_machine.h"
#include "tests/support/random_problem.h"
#include "tests/support/reference_walk.h"

namespace heliolite::uneven_test {
namespace {

using ::testing::AllOf;
using testing::buffer_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::pick;
using testing::random_problem;
using testing::RandomOptions;
using testing::RandomProblem;
using testing::Rng;

Workload gemm(const std::string& text) { return load_network(text)->layers[0].workload; }

constexpr const char* kRows = R"(mapping:
  - {level: DRAM}
  - {level: Buf, keep: [A], temporal: [N: 64]}
  - {level: Buf, keep: [B], temporal: [M: 32]}
  - {level: Buf, keep: [Z], temporal: [K: 32]}
)";

// All of A, one column of B and one word of Z: every word moves once. With one tile for the level the least is 7,168.
TEST(Uneven, AGemmMovesEveryWordOnceInRoomForOneTensor) {
  const Workload w = gemm("gemm:32x64x32");
  const Result<Mapping> m = parse_mapping(kRows, "m.yaml", w, buffer_of(1057));
  ASSERT_TRUE(m) << to_string(m.errors());
  EXPECT_THAT(m->outside[0], ElementsAre(0, 1, 2, 0, 0, 0, 0, 0));
  const CostModel model(w, buffer_of(1057));
  const Evaluation e = model.evaluate(*m);
  EXPECT_EQ(e.verdict, Verdict::Fits);
  EXPECT_DOUBLE_EQ(e.cost.energy.picojoules(), 5120);
  const LevelBreakdown buffer = model.explain(*m).level[0];
  EXPECT_EQ(buffer.used_words, 1057u);
  EXPECT_EQ(buffer.tensor[0].tile_words, 1024u);
  EXPECT_EQ(buffer.tensor[1].tile_words, 32u);
  EXPECT_EQ(buffer.tensor[2].tile_words, 1u);
  EXPECT_EQ(CostModel(w, buffer_of(1056)).evaluate(*m).verdict, Verdict::OverCapacity);
  EXPECT_THAT(to_string(parse_mapping(kRows, "m.yaml", w, buffer_of(1056)).errors()),
              HasSubstr("m.yaml:2: Buf: tile does not fit: Buf holds 1056 words, needs 1057 (A 1024, B 32, Z 1)"));
}

TEST(Uneven, MistakesInPartsAreNamed) {
  const Workload w = gemm("gemm:32x64x32");
  const auto errors = [&](const std::string& parts) {
    const Result<Mapping> m = parse_mapping("mapping:\n" + parts, "m.yaml", w, buffer_of(5000));
    return m ? "accepted" : to_string(m.errors());
  };
  const std::string all = "- {level: DRAM, temporal: [N: 64, M: 32, K: 32]}\n";
  EXPECT_THAT(errors(all + "- {level: Buf, keep: [A]}\n- {level: Buf}"),
              AllOf(HasSubstr("m.yaml:4: "), HasSubstr("Buf is listed twice"), HasSubstr("`keep`")));
  EXPECT_THAT(errors(all + "- {level: Buf, keep: [A, B]}\n- {level: Buf, keep: [B, Z]}"),
              HasSubstr("Buf keeps B in two of its parts"));
  EXPECT_THAT(errors(all + "- {level: Buf, keep: [A]}\n- {level: Buf, keep: []}"), HasSubstr("keeps nothing"));
  EXPECT_THAT(errors("- {level: DRAM, keep: [A]}\n- {level: DRAM, keep: [B, Z], temporal: [N: 64, M: 32, K: 32]}"),
              HasSubstr("DRAM is the outermost level, it keeps every tensor"));
  EXPECT_THAT(errors("- {level: Buf, keep: [A], spatial: {x: [N: 1]}, temporal: [N: 64, M: 32, K: 32]}\n"
                     "- {level: Buf, keep: [B]}"),
              HasSubstr("the fan-out below Buf belongs to its innermost part"));
  EXPECT_THAT(errors("- {level: DRAM, temporal: [M: 32, K: 32]}\n- {level: Buf, keep: [A], temporal: [N: 22]}\n"
                     "- {level: Buf, keep: [B], temporal: [N: [3, 1]]}"),
              HasSubstr("uneven tiles (tensors of a level with tiles at different places of the nest) need factors"));
}

TEST(Uneven, WhatCannotBePricedIsRefused) {
  const Workload w = gemm("gemm:32x64x32");
  const Architecture a = buffer_of(1057);
  const Mapping good = *parse_mapping(kRows, "m.yaml", w, a);
  const auto complaint = [&](auto change) {
    Mapping m = good;
    change(m);
    return to_string(well_formed(m, w, a));
  };
  EXPECT_EQ(complaint([](Mapping&) {}), "");
  EXPECT_THAT(complaint([](Mapping& m) { m.outside[0][2] = 4; }), HasSubstr("tile of Z is inside 4 loops"));
  EXPECT_THAT(complaint([](Mapping& m) { m.keep[0] = 0b101; }), HasSubstr("tile of B has a place, but"));
  EXPECT_THAT(complaint([](Mapping& m) { m.outside[0][0] = 1; }), HasSubstr("belongs to the next level out"));
  EXPECT_THAT(complaint([](Mapping& m) { m.outside[1][0] = 1; }), HasSubstr("DRAM: tile of A is inside 1 loops"));
  EXPECT_THAT(to_string(write_timeloop_mapping(good, w, a).errors()),
              HasSubstr("Buf: its tensors have tiles at 3 places of the nest (uneven tiles): Timeloop's mappings"));
}

// Gives the tiles of each level places at random; the outermost loop of a level is inside some tile.
Mapping with_random_places(Rng& rng, Mapping m) {
  for (int i = 0; i + 1 < m.level_count; ++i) {
    const auto is_own = [&](const Loop& l) { return l.level == i && !l.is_spatial(); };
    const auto loops = static_cast<u64>(std::count_if(m.loops().begin(), m.loops().end(), is_own));
    u8 least = kMaxLoops;
    for (const int v : bits(m.keep[i])) {
      m.outside[i][v] = static_cast<u8>(pick(rng, 0, loops));
      least = std::min(least, m.outside[i][v]);
    }
    for (const int v : bits(m.keep[i])) m.outside[i][v] = static_cast<u8>(m.outside[i][v] - least);
  }
  return m;
}

// The parts of each level of a mapping.
StackedParts stacked_parts(const Mapping& mapping) {
  StackedParts out(mapping.level_count);
  for (int i = 0; i < mapping.level_count; ++i) {
    const std::vector<LevelPart> parts = parts_of(mapping, i);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) out[i].push_back(part->keep);
  }
  return out;
}

// A level is a set of stores that share its room and its bandwidth: every store counts what the oracle's walk counts at
// a level of its own.
TEST(Uneven, EveryStoreCountsWhatTheWalkCountsAtALevelOfItsOwn) {
  int split = 0;
  for (u64 seed = 0; seed < 4'000 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomOptions options;
    options.max_levels = 3;
    RandomProblem p = random_problem(seed, options);
    Rng rng(seed);
    p.mapping = with_random_places(rng, p.mapping);
    ASSERT_EQ(to_string(well_formed(p.mapping, p.workload, p.architecture)), "");
    const StoreStack stack = stack_stores(p.architecture, stacked_parts(p.mapping), p.workload);
    const Mapping even = stacked(p.mapping, stack);
    ASSERT_TRUE(unstacked(even, stack) == p.mapping);
    split += stack.level_of.size() > p.architecture.levels.size();
    const Compiled compiled(p.workload, p.architecture), apart(p.workload, stack.stacked);
    const CollapsedTraffic uneven = collapse(compiled, Nest(compiled, p.mapping), p.mapping.keep, p.mapping.outside, 0);
    const CollapsedTraffic walked =
        collapse(apart, even.keep, testing::reference_traffic(p.workload, stack.stacked, even));
    for (std::size_t v = 0; v < walked.size(); ++v)
      for (std::size_t s = 0; s < walked[v].size(); ++s) {
        const CollapsedTensor &a = uneven[v][stack.level_of[s]], &b = walked[v][s];
        if (!b.kept) continue;
        ASSERT_TRUE(a.kept && a.tile_words == b.tile_words && a.instances == b.instances);
        ASSERT_TRUE(a.words.reads == b.words.reads && a.words.updates == b.words.updates);
        // Read-only fills are truncated sums of doubles in the walk (rule 30).
        ASSERT_TRUE(a.words.fills == b.words.fills ||
                    (!compiled.tensor[v].is_output && a.words.fills == b.words.fills + 1));
      }
  }
  EXPECT_GT(split, 400);
}

RC_GTEST_PROP(Uneven, EvaluateIsTheTotalOfExplain, ()) {
  RandomOptions options;
  options.capacities = *rc::gen::arbitrary<bool>();
  options.reductions = *rc::gen::arbitrary<bool>();
  RandomProblem p = random_problem(*rc::gen::arbitrary<u64>(), options);
  Rng rng(*rc::gen::arbitrary<u64>());
  p.mapping = with_random_places(rng, p.mapping);
  const CostModel model(p.workload, p.architecture);
  const Evaluation evaluation = model.evaluate(p.mapping);
  RC_ASSERT((evaluation.verdict == Verdict::Fits) == fits(p.mapping, p.workload, p.architecture).empty());
  if (evaluation.verdict != Verdict::Fits) return;
  const Breakdown breakdown = model.explain(p.mapping);
  RC_ASSERT(evaluation.cost.energy == breakdown.energy);
  RC_ASSERT(evaluation.cost.cycles == breakdown.cycles);
}

// Wherever a tile ends, its box is that of the products of the loops inside.
RC_GTEST_PROP(Uneven, BoxesAreThoseOfTheLoopsInside, ()) {
  const RandomProblem p = random_problem(*rc::gen::arbitrary<u64>(), RandomOptions{});
  const Compiled c(p.workload, p.architecture);
  const Nest nest(c, p.mapping);
  for (int loops = 0; loops <= nest.loop_count; ++loops) {
    const LoopMask inside = (LoopMask{1} << loops) - 1;
    for (int v = 0; v < c.tensor_count; ++v) {
      const CompiledTensor& t = c.tensor[v];
      Box box;
      nest.measure(t, inside, box);
      RC_ASSERT(box.words == box_words(t, nest.tile(inside)));
    }
  }
}

RC_GTEST_PROP(Uneven, WhatIsWrittenIsReadBack, ()) {
  Rng rng(*rc::gen::arbitrary<u64>());
  RandomProblem p = random_problem(rng());
  p.mapping = with_random_places(rng, p.mapping);
  const Result<YamlNode> node = YamlNode::parse(write_mapping(p.mapping, p.workload, p.architecture), "written");
  RC_ASSERT(node.ok());
  const Result<Mapping> again = read_mapping(*node->find("mapping"), p.workload, p.architecture);
  RC_ASSERT(again.ok());
  RC_ASSERT(*again == p.mapping);
}

}  // namespace
}  // namespace heliolite::uneven_test
