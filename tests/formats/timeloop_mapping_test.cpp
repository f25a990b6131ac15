// Timeloop's mapping files: writing and reading give the same mapping, and every complaint says what to change.
#include "engine/formats/timeloop/mapping.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "engine/model/cost_model.h"
#include "tests/support/timeloop_problems.h"

namespace heliolite::timeloop_mapping_test {
namespace {

using namespace testing::timeloop;
using ::testing::HasSubstr;
using ::testing::Not;

// "L1 x: K4 | L1 t: M2,1 ..", innermost first.
std::string nest(const Mapping& m, const Workload& w, const Architecture& a) {
  std::string out;
  for (const Loop& loop : m.loops()) {
    const char* kind = loop.kind == LoopKind::SpatialX ? "x" : loop.kind == LoopKind::SpatialY ? "y" : "t";
    out += fmt::format("{}{}.{} {}{}{}", out.empty() ? "" : " | ", a.levels[loop.level].name, kind,
                       w.dimensions[loop.dimension].name, loop.end,
                       loop.is_perfect() ? std::string() : fmt::format(",{}", loop.residual));
  }
  return out;
}

// Of gemm(8, 4, 16) on edge_unified: L1 - 16 x 16 - GLB - DRAM.
std::string nest(const std::string& text) {
  const Workload w = gemm(8, 4, 16);
  const Architecture a = machine("edge_unified");
  const Result<Mapping> mapping = read(text, w, a);
  return mapping ? nest(*mapping, w, a) : to_string(mapping.errors());
}

TEST(TimeloopMapping, EverySpelling) {
  const std::string want = "L1.t N4 | L1.t M2 | GLB.x K4 | GLB.y M4 | DRAM.t K4";
  const std::string spatial = "- {target: GLB, type: spatial, factors: [K=4, M=4], permutation: [K, M, N], split: 1}\n";
  const std::string outer = "- {target: DRAM, type: temporal, factors: K=4}\n";
  EXPECT_EQ(nest("mapping:\n- {target: L1, type: temporal, factors: M2 N4, permutation: NMK}\n" + spatial + outer),
            want);
  EXPECT_EQ(nest("- {target: L1, type: temporal, factors: \"M=2, N=4\", permutation: \"N, M\"}\n" + spatial + outer),
            want);
  EXPECT_EQ(nest("- {target: 0, type: temporal, factors: [M2, N=4], permutation: [N]}\n" + spatial + outer), want);
  EXPECT_EQ(nest(outer + spatial + "- {type: temporal, factors: [M=2, N=4, K=1], permutation: NKM, target: L1}\n"),
            want);
}

TEST(TimeloopMapping, FactorZeroIsWhatIsLeft) {
  EXPECT_EQ(nest("[{target: DRAM, type: temporal, factors: K0 M0 N0, permutation: KMN}]"),
            "DRAM.t K16 | DRAM.t M8 | DRAM.t N4");
  EXPECT_EQ(
      nest("[{target: DRAM, type: temporal, factors: K=0 M=0 N=0}, {target: L1, type: temporal, factors: K2 M8 N1}]"),
      "L1.t M8 | L1.t K2 | DRAM.t N4 | DRAM.t K8");
}

TEST(TimeloopMapping, LettersBeyondTheSplitGoToY) {
  const std::string rest = ", {target: DRAM, type: temporal, factors: K0 M0 N0}]";
  EXPECT_EQ(nest("[{target: GLB, type: spatial, factors: K4 M2, permutation: KM}" + rest),
            "GLB.x K4 | GLB.x M2 | DRAM.t M4 | DRAM.t N4 | DRAM.t K4");
  EXPECT_EQ(nest("[{target: GLB, type: spatial, factors: K4 M2, permutation: MK, split: 0}" + rest),
            "GLB.y M2 | GLB.y K4 | DRAM.t M4 | DRAM.t N4 | DRAM.t K4");
  // Unit factors count as letters; what is not named comes last.
  EXPECT_EQ(nest("[{target: GLB, type: spatial, factors: K4 M2, permutation: NK, split: 2}" + rest),
            "GLB.x K4 | GLB.y M2 | DRAM.t M4 | DRAM.t N4 | DRAM.t K4");
}

// The nest that Timeloop prints is the mapping that its directives say.
TEST(TimeloopMapping, PrintedNests) {
  const std::string printed =
      "DRAM [ A:128 (128) B:64 (64) Z:32 (32) ] \n------------------------------\n| for K in [0:4)\n\n"
      "GLB [ A:32 (at most 40) B:16 Z:32 ] \n-----\n|   for M in [0:4) (Spatial-Y)\n|     for K in [0:4) "
      "(Spatial-X)\n\n"
      "L1 [ Z:8 (128) ] \n------\n|       for M in [0:2)\n|         for N in [0:4)\n"
      "|           << Compute >>\n";
  const Workload w = gemm(8, 4, 16);
  const Architecture a = machine("edge_unified");
  ASSERT_TRUE(is_timeloop_nest(printed));
  const Result<Mapping> mapping = read_timeloop_nest(printed, "map.txt", w, a);
  ASSERT_TRUE(mapping.ok()) << to_string(mapping.errors());
  EXPECT_EQ(nest(*mapping, w, a), "L1.t N4 | L1.t M2 | GLB.x K4 | GLB.y M4 | DRAM.t K4");
  EXPECT_EQ(mapping->keep[0], 1u << *w.find_tensor("Z"));
  EXPECT_EQ(mapping->keep[1], 7u);
  EXPECT_EQ(timeloop_nest_sizes(printed), (std::map<std::string, u64>{{"K", 16}, {"M", 8}, {"N", 4}}));
  EXPECT_FALSE(is_timeloop_nest("mapping:\n- {target: L1, type: temporal, factors: [K=4]}\n"));
  EXPECT_FALSE(is_timeloop_nest("DRAM [ a ]\nno loops\n"));
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string text = printed;
    text.replace(text.find(from), from.size(), to);
    const Result<Mapping> read = read_timeloop_nest(text, "map.txt", w, a);
    return read ? "read" : to_string(read.errors());
  };
  EXPECT_EQ(complaint("[0:4)\n\nGLB", "[0:4,4)\n\nGLB"), "read");
  EXPECT_THAT(complaint("K in", "C in"), HasSubstr("map.txt:3: unknown dimension 'C', must be M, N or K"));
  EXPECT_THAT(complaint("GLB [", "GLC ["), HasSubstr("map.txt:5: level GLC, must be L1, GLB or DRAM, did you mean"));
  EXPECT_THAT(complaint("Z:8", "X:8"), HasSubstr("unknown tensor 'X'"));
  EXPECT_THAT(complaint("K in [0:4)\n\n", "K in [0:8)\n\n"),
              HasSubstr("the factors of K must multiply to its size 16"));
  EXPECT_THAT(complaint("L1 [", "GLB ["), HasSubstr("a second heading of GLB"));
  EXPECT_THAT(complaint("L1 [", "GLB ["), HasSubstr("the nest has no heading for L1"));
  EXPECT_THAT(complaint("| for K", "for K"),
              HasSubstr("map.txt:3: 'for K in [0:4)', must be a level with its tensors"));
  EXPECT_THAT(complaint("[0:2)", "[0:2,3)"), HasSubstr("M of 2 iterations, 3 in the last tile"));
}

// Any mapping that is printed is read as it was.
RC_GTEST_PROP(TimeloopMapping, PrintedNestsAreReadAsTheyWere, ()) {
  const Workload w = gemm(8, 4, 16);
  const Architecture a = machine("edge_unified");
  Mapping m;
  m.level_count = static_cast<u8>(a.levels.size());
  std::string text;
  std::array<u64, 3> rest{8, 4, 16};
  std::vector<std::string> levels(a.levels.size());
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    const bool last = i + 1 == a.levels.size();
    m.keep[i] = last ? TensorMask{7} : *rc::gen::inRange<TensorMask>(0, 8);
    std::string loops;
    for (const LoopKind kind : {LoopKind::SpatialX, LoopKind::SpatialY, LoopKind::Temporal}) {
      if (kind != LoopKind::Temporal && a.levels[i].fanout_x == 1) continue;
      for (int d = 0; d < 3; ++d) {
        u64& left = rest[static_cast<std::size_t>(d)];
        const u64 factor = last && kind == LoopKind::Temporal             ? left
                           : left % 2 == 0 && *rc::gen::arbitrary<bool>() ? 2
                                                                          : 1;
        left /= factor;
        m.add(kind, static_cast<int>(i), d, factor);
        const char* axis = kind == LoopKind::Temporal   ? ""
                           : kind == LoopKind::SpatialX ? " (Spatial-X)"
                                                        : " (Spatial-Y)";
        loops =
            fmt::format("| for {} in [0:{}){}\n", w.dimensions[static_cast<std::size_t>(d)].name, factor, axis) + loops;
      }
    }
    levels[i] = a.levels[i].name + " [ ";
    for (std::size_t v = 0; v < 3; ++v)
      if (m.keeps(static_cast<int>(i), static_cast<int>(v))) levels[i] += w.tensors[v].name + ":1 (1) ";
    levels[i] += "]\n---\n" + loops;
  }
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) text += *level + "\n";
  const Result<Mapping> read = read_timeloop_nest(text, "map.txt", w, a);
  RC_ASSERT(read.ok());
  RC_ASSERT(*read == m);
}

// Factors that count to more than a size: with which residuals they would not.
TEST(TimeloopMapping, ComplaintsProposeResiduals) {
  const auto complaint = [](u64 size, const std::string& spatial, const std::string& outer) {
    const Workload w = gemm(size, 1, 1);
    const Architecture a = machine("edge_unified");
    const Result<Mapping> mapping = read("[{target: GLB, type: spatial, factors: \"" + spatial +
                                             "\"}, {target: DRAM, type: temporal, factors: \"" + outer + "\"}]",
                                         w, a);
    return mapping ? nest(*mapping, w, a) : to_string(mapping.errors());
  };
  EXPECT_THAT(complaint(7, "M=4", "M=2"), HasSubstr("; 'M=4,3' at GLB (3 in the last tile) would give 7"));
  EXPECT_EQ(complaint(7, "M=4,3", "M=2"), "GLB.x M4,3 | DRAM.t M2");
  EXPECT_THAT(complaint(9, "M=4", "M=4"),
              HasSubstr("; 'M=4,1' at GLB (1 in the last tile) and 'M=3' at DRAM would give 9"));
  EXPECT_EQ(complaint(9, "M=4,1", "M=3"), "GLB.x M4,1 | DRAM.t M3");
  EXPECT_THAT(complaint(3, "M=4", "M=2"), HasSubstr("; 'M=3' at GLB and 'M=1' at DRAM would give 3"));
  EXPECT_THAT(complaint(9, "M=4", "M=2"), Not(HasSubstr("would give")));
}

TEST(TimeloopMapping, ResidualsAreMixedRadix) {
  const Workload w = gemm(7, 2, 7);
  const Architecture a = machine("edge_unified");
  const Result<Mapping> mapping = read(
      "- {target: L1, type: temporal, factors: \"M=3,1\"}\n"
      "- {target: GLB, type: spatial, factors: \"K4,3\"}\n"
      "- {target: DRAM, type: temporal, factors: M3 N2 K2}\n",
      w, a);
  ASSERT_TRUE(mapping.ok()) << to_string(mapping.errors());
  EXPECT_EQ(nest(*mapping, w, a), "L1.t M3,1 | GLB.x K4,3 | DRAM.t M3 | DRAM.t N2 | DRAM.t K2");
  const Result<std::string> text = write_timeloop_mapping(*mapping, w, a);
  EXPECT_THAT(*text, HasSubstr("M=3,1"));
  EXPECT_EQ(*read(*text, w, a), *mapping);
}

TEST(TimeloopMapping, LevelsKeepWhatNobodyTellsThemToBypass) {
  const Workload w = gemm(8, 4, 16);
  Architecture a = machine("edge_unified");
  a.levels[1].keep.bypass = {"B"};
  const std::string loops = "- {target: DRAM, type: temporal, factors: K0 M0 N0}\n";
  EXPECT_EQ(read(loops, w, a)->keep[1], 0b101);
  EXPECT_EQ(read(loops, w, a)->keep[0], 0b111);
  EXPECT_EQ(read(loops + "- {target: GLB, type: datatype, keep: [B], bypass: A}\n", w, a)->keep[1], 0b110);
  EXPECT_EQ(read(loops + "- {target: L1, type: dataspace, bypass: \"*\"}\n", w, a)->keep[0], 0);
}

TEST(TimeloopMapping, FanoutsGoByTheirOwnersNames) {
  const Workload w = conv(1, 3, 4, 4, 8, 16, 1);
  const Architecture a = machine("small_nodes");
  const std::string rest = "- {target: Main, type: temporal, factors: S0 P0 Q0 C0 K0}\n";
  const std::string lines =
      "- {target: Column, type: spatial, factors: Q4, permutation: Q}\n"
      "- {target: inter_PE_spatial, type: spatial, factors: S3, permutation: S, split: 0}\n"
      "- {target: Mac, type: spatial, factors: C2}\n";
  const Result<Mapping> mapping = read(lines + rest, w, a);
  ASSERT_TRUE(mapping.ok()) << to_string(mapping.errors());
  EXPECT_THAT(nest(*mapping, w, a), HasSubstr("OutputReg.x C2 | inter_PE_spatial.y S3 | Shared.x Q4 | Main.t P4"));
  EXPECT_EQ(mapping->keep[3], 0);      // a fan-out's own level keeps nothing
  EXPECT_EQ(mapping->keep[0], 0b100);  // OutputReg
  EXPECT_EQ(*read(*write_timeloop_mapping(*mapping, w, a), w, a), *mapping);
}

TEST(TimeloopMapping, NamesOfMoreThanOneLetter) {
  Workload w = gemm(8, 4, 16);
  w.dimensions[0].name = "rows";
  w.dimensions[2].name = "k1";
  const Architecture a = machine("edge_unified");
  const Result<Mapping> mapping = read(
      "- {target: L1, type: temporal, factors: rows=8 k1=2, permutation: k1 N rows}\n"
      "- {target: DRAM, type: temporal, factors: [k1=8, N=4], permutation: [N, k1]}\n",
      w, a);
  ASSERT_TRUE(mapping.ok()) << to_string(mapping.errors());
  EXPECT_EQ(nest(*mapping, w, a), "L1.t k12 | L1.t rows8 | DRAM.t N4 | DRAM.t k18");
  EXPECT_EQ(*read(*write_timeloop_mapping(*mapping, w, a), w, a), *mapping);
}

// Any perfect one-axis mapping survives writing and reading.
RC_GTEST_PROP(TimeloopMapping, RoundTrip, ()) {
  const Architecture a = machine("edge_unified");
  std::vector<u64> size(3, 1);
  struct Part {
    LoopKind kind;
    int level, dimension;
    u64 end;
  };
  std::vector<Part> parts;
  for (int level = 0; level < 3; ++level) {
    std::map<int, u64> across;
    for (const LoopKind kind : {LoopKind::SpatialX, LoopKind::SpatialY, LoopKind::Temporal}) {
      if (kind != LoopKind::Temporal && level != 1) continue;
      std::vector<int> order{0, 1, 2};
      for (std::size_t i = 0; i < 3; ++i) std::swap(order[i], order[*rc::gen::inRange<std::size_t>(i, 3)]);
      for (const int d : order) {
        const u64 end = *rc::gen::inRange<u64>(1, kind == LoopKind::Temporal ? 6 : 3);
        if (kind == LoopKind::SpatialY && across[d] > 1) continue;
        if (kind == LoopKind::SpatialX) across[d] = end;
        parts.push_back({kind, level, d, end});
        size[static_cast<std::size_t>(d)] *= end;
      }
    }
  }
  Mapping m;
  m.level_count = 3;
  for (const Part& p : parts) m.add(p.kind, p.level, p.dimension, p.end);
  for (std::size_t i = 0; i < 2; ++i) m.keep[i] = *rc::gen::inRange<TensorMask>(0, 8);
  m.keep[2] = 7;
  const Workload w = gemm(size[0], size[1], size[2]);
  const Result<std::string> text = write_timeloop_mapping(m, w, a);
  RC_ASSERT(text.ok());
  const Result<Mapping> back = read(*text, w, a);
  if (!back) RC_FAIL(*text + to_string(back.errors()));
  RC_ASSERT(*back == m);
}

TEST(TimeloopMappingErrors, SayWhereAndWhat) {
  const std::string rest = "- {target: DRAM, type: temporal, factors: K0 M0 N0}\n";
  const auto one = [&](const std::string& directive) { return nest("mapping:\n- {" + directive + "}\n" + rest); };
  ASSERT_THAT(one("target: L1, type: temporal"), HasSubstr("DRAM.t"));
  const std::vector<std::pair<std::string, std::string>> cases{
      {"target: L2, type: temporal", "map.yaml:2: mapping[0].target: target = L2, must be L1, GLB or DRAM"},
      {"target: DRAAM, type: temporal", "did you mean 'DRAM'?"},
      {"target: 3, type: temporal", "target = 3, must be"},
      {"type: temporal", "missing key 'target'"},
      {"target: L1", "missing key 'type'"},
      {"target: L1, type: temporel",
       "type = temporel, must be temporal, spatial, datatype, dataspace or bypass, did you "
       "mean 'temporal'?"},
      {"target: L1, type: skew", "type = skew, must be"},
      {"target: L1, type: temporal, factor: K4", "unknown key 'factor', did you mean 'factors'?"},
      {"target: L1, type: temporal, split: 1", "unknown key 'split'"},
      {"target: L1, type: temporal, factors: J4", "unknown dimension 'J', must be M, N or K"},
      {"target: L1, type: temporal, factors: K<=4", "K: a mapping's factors are exact, not bounds"},
      {"target: L1, type: temporal, factors: K4 K2", "K has two factors"},
      {"target: L1, type: temporal, factors: K=-4", "has no value"},
      {"target: L1, type: temporal, factors: \"K=4,5\"", "K=4,5: the last tile has 5 iterations, must be from 1 to 4"},
      {"target: L1, type: temporal, factors: \"K=4,0\"", "must be from 1 to 4"},
      {"target: L1, type: temporal, factors: \"K=4,2\"", "K=0 cannot be worked out beside residual factors"},
      {"target: L1, type: temporal, factors: K0", "K has factor 0, the whole dimension, twice"},
      {"target: L1, type: temporal, factors: K3", "K=0: the other factors give 3, which does not divide the size 16"},
      {"target: L1, type: temporal, permutation: KJ", "unknown dimension 'J'"},
      {"target: L1, type: temporal, permutation: KK", "dimension 'K' is named twice"},
      {"target: DRAM, type: temporal", "DRAM has two temporal directives, the first in line 2"},
      {"target: GLB, type: spatial, factors: K4, split: -1", "split = -1, must be an integer of at least 0"},
      {"target: GLB, type: spatial, factors: K16 M2", "factors along X need 32, the fan-out below GLB has 16"},
      {"target: L1, type: spatial, factors: K2", "factors along X need 2, the fan-out below L1 has 1"},
      {"target: L1, type: bypass, keep: [D]", "unknown tensor 'D', must be A, B or Z"},
      {"target: L1, type: bypass, keep: [A], bypass: [A]", "A is both kept and bypassed by L1"},
      {"target: DRAM, type: bypass, bypass: [A]", "the outermost level must keep every tensor"},
      {"target: L1, type: temporal, no_temporal_reuse: [A]", "changes how accesses are counted"},
  };
  for (const auto& [directive, message] : cases) EXPECT_THAT(one(directive), HasSubstr(message)) << directive;
  EXPECT_THAT(nest("mapping: 4"), HasSubstr("must be a list of directives"));
  EXPECT_THAT(nest("mapping: [4]"), HasSubstr("must be a map"));
  EXPECT_THAT(nest("[{target: L1, type: temporal, factors: K4}]"),
              HasSubstr("the factors of K must multiply to its size 16, they give 4"));
  EXPECT_THAT(nest("[{target: GLB, type: spatial, factors: \"K=16,8\"}, {target: L1, type: temporal, factors: M8 N4}]"),
              HasSubstr("needs a loop over K outside it"));
}

TEST(TimeloopMappingErrors, WhatTheFormatCannotSay) {
  const Workload w = gemm(8, 4, 16);
  const Architecture a = machine("edge_unified");
  Mapping m;
  m.level_count = 3;
  m.keep = {7, 7, 7};
  m.add(LoopKind::SpatialX, 1, 2, 4);
  m.add(LoopKind::SpatialY, 1, 2, 4);
  m.add(LoopKind::Temporal, 2, 0, 8);
  m.add(LoopKind::Temporal, 2, 1, 4);
  EXPECT_THAT(to_string(write_timeloop_mapping(m, w, a).errors()), HasSubstr("GLB: K is on both axes of the fan-out"));
  Mapping nowhere;
  nowhere.level_count = 3;
  nowhere.add(LoopKind::SpatialX, 0, 2, 16);
  EXPECT_THAT(to_string(write_timeloop_mapping(nowhere, w, a).errors()), HasSubstr("there is no fan-out"));
}

TEST(TimeloopMappingErrors, MoreLoopsThanAMappingHolds) {
  Workload w = gemm(512, 512, 512);
  for (const char* name : {"a", "b", "c", "d", "e"}) w.dimensions.push_back({name, 512});
  Architecture a = machine("edge_unified");
  a.levels.resize(9);
  std::string text;
  for (std::size_t i = 0; i < 9; ++i) {
    a.levels[i].name = fmt::format("L{}", i);
    text += fmt::format("- {{target: L{}, type: temporal, factors: M2 N2 K2 a2 b2 c2 d2 e2}}\n", i);
  }
  EXPECT_THAT(to_string(read(text, w, a).errors()), HasSubstr("more than 64 loops"));
}

}  // namespace
}  // namespace heliolite::timeloop_mapping_test
