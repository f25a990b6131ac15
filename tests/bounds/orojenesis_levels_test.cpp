// No mapping of any workload on any machine moves less across any boundary than the nested curve says.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <span>

#include "arch/check.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/model/cost_model.h"
#include "engine/search/map.h"
#include "tests/support/load.h"
#include "tests/support/part_of_cases.h"
#include "tests/support/random_problem.h"
#include "workloads/workload_yaml.h"

namespace heliolite::orojenesis_levels_test {
namespace {

using testing::machine;
using testing::Rng;

// Every level's pair on or above the curve, for what the mapping uses and for what the machine has. All in units, which
// are words where no tensor states a size.
void expect_above(const NestedCurve& curve, const Workload& w, const Architecture& a, const Breakdown& b,
                  const std::string& what) {
  const WordUnit unit = boundary_unit(w, a);
  const auto walls = boundaries(a, w, unit);
  const auto pairs = crossings(b, unit.sizes(w));
  ASSERT_EQ(walls.size(), pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const u64 least = curve.at(pairs[i].words)->accesses;
    EXPECT_GE(pairs[i].accesses, least) << what << ", level " << walls[i].level << ", " << pairs[i].words << " words";
    if (walls[i].capacity_words) {
      EXPECT_LE(pairs[i].words, *walls[i].capacity_words) << what << ", " << walls[i].level;
    }
  }
}

// With halos the windows of neighbouring tiles may leave less between them than there are words.
TEST(OrojenesisLevels, EveryDistinctWordCrossesOnce) {
  const auto curve = nested_curve(testing::workload("resnet18/conv2_x"));
  ASSERT_TRUE(curve.ok());
  const u64 distinct = 58u * 58 * 64 + 9 * 64 * 64 + 56 * 56 * 64;
  EXPECT_EQ(distinct, 452'864u);
  EXPECT_EQ(curve->at(92'256)->accesses, distinct);
}

TEST(OrojenesisLevels, EveryPresetMappedOnMachinesLiesAbove) {
  const std::vector<Architecture> machines{machine("eyeriss"), machine("edge_unified"), machine("snowcat"),
                                           machine("simba")};
  SearchOptions options;
  options.strategy = Strategy::Sunstone;
  options.objective = Objective::Energy;
  const std::vector<std::string> presets = workload_preset_names();
  for (std::size_t n = 0; n < presets.size(); n += testing::one_case_in(9)) {
    const auto network = load_network(presets[n]);
    ASSERT_TRUE(network.ok());
    std::vector<NestedCurve> curves;
    for (const Layer& layer : network->layers) {
      const auto curve = nested_curve(layer.workload);
      ASSERT_TRUE(curve.ok()) << to_string(curve.errors());
      curves.push_back(*curve);
    }
    const bool large = network->layers.size() > 12;  // one machine is enough for these
    for (const Architecture& a : std::span(machines).first(large ? 1 : machines.size())) {
      const auto mapped = map_network(*network, a, options);
      ASSERT_TRUE(mapped.ok());
      for (std::size_t k = 0; k < curves.size(); ++k) {
        const MappingResult& r = mapped->layers[k].result;
        if (r.status == Status::Infeasible) continue;
        const Workload& w = network->layers[k].workload;
        expect_above(curves[k], w, a, CostModel(w, a).explain(r.mapping), fmt::format("{} on {}", w.name, a.name));
      }
    }
  }
}

TEST(OrojenesisLevels, RandomMappingsLieAbove) {
  Rng rng(11);
  for (int i = 0; i < 1500; ++i) {
    testing::RandomOptions shape;
    shape.max_size = i % 2 == 0 ? 12 : 24;
    const Workload w = testing::random_workload(rng, shape);
    const Architecture a = testing::random_architecture(rng, shape);
    if (!check(w).empty() || !check(a).empty()) continue;
    const auto curve = nested_curve(w);
    ASSERT_TRUE(curve.ok());
    for (int k = 0; k < 20; ++k) {
      const Mapping m = testing::random_mapping(rng, w, a, shape);
      expect_above(*curve, w, a, CostModel(w, a).explain(m), fmt::format("problem {}", i));
      if (HasFailure()) return;
    }
  }
}

// Tensors with and without sizes on levels whose words differ: in bytes or bits, whatever fits is inside.
TEST(OrojenesisLevels, RandomMappingsOfSizedWordsLieAbove) {
  testing::RandomOptions shape;
  shape.max_size = 12;
  shape.capacities = true;
  shape.word_bits = true;
  int fit = 0;
  for (u64 i = 0; i < 1500; ++i) {
    const testing::RandomProblem p = testing::random_problem(7000 + i, shape);
    const CostModel model(p.workload, p.architecture);
    if (model.evaluate(p.mapping).verdict != Verdict::Fits) continue;
    const WordUnit unit = boundary_unit(p.workload, p.architecture);
    const auto curve = nested_curve(p.workload, {.word_size = unit.sizes(p.workload)});
    ASSERT_TRUE(curve.ok()) << to_string(curve.errors());
    expect_above(*curve, p.workload, p.architecture, model.explain(p.mapping), fmt::format("problem {}", i));
    if (HasFailure()) return;
    ++fit;
  }
  EXPECT_GT(fit, 300);
}

// A level for each nested tensor, with the loops from its tile to the next: the curve's points are mappings' pairs.
TEST(OrojenesisLevels, PlainEinsumsReachTheirCurve) {
  for (const char* text : {"gemm:8x12x6", "gemm:16x16x16", "mttkrp:4x4x6x4", "sddmm:8x6x4", "tcl:4x2x4x2x4x2"}) {
    const Workload w = testing::workload(text);
    const auto curve = nested_curve(w);
    ASSERT_TRUE(curve.ok());
    for (const auto& point : curve->points()) {
      const Nesting& how = point.how;
      Architecture a;
      a.levels.resize(how.count + 1u);
      Mapping m;
      m.level_count = static_cast<u8>(how.count + 1);
      Extents inside;
      inside.fill(1);
      for (std::size_t k = 0; k <= how.count; ++k) {
        a.levels[k].name = fmt::format("L{}", k);
        const bool store = k == how.count;
        for (std::size_t d = 0; d < w.dimensions.size(); ++d) {
          const u32 tile = store ? static_cast<u32>(w.dimensions[d].size) : how.tile[k][d];
          m.add(LoopKind::Temporal, static_cast<int>(k), static_cast<int>(d), tile / inside[d]);
          inside[d] = tile;
        }
        m.keep[k] = static_cast<TensorMask>(store ? (1u << w.tensors.size()) - 1 : 1u << how.tensor[k]);
      }
      if (how.count == 0) continue;
      const Crossing pair = crossings(CostModel(w, a).explain(m)).back();
      EXPECT_EQ(pair.words, point.buffer) << text;
      EXPECT_EQ(pair.accesses, point.accesses) << text << " " << point.buffer;
    }
  }
}

// Maximal effectual buffer and peak intensity of a GEMM: section on GEMMs of Huang et al.
TEST(OrojenesisLevels, GemmEndsAtItsSmallestOperandAndRank) {
  for (const auto& [m, n, k] : {std::array<u64, 3>{1024, 1024, 1024}, {64, 512, 128}, {4096, 16, 64}, {12, 30, 7}}) {
    const auto curve = nested_curve(testing::workload(fmt::format("gemm:{}x{}x{}", m, n, k)));
    ASSERT_TRUE(curve.ok());
    EXPECT_EQ(curve->points().back().buffer, std::min({m * n, m * k, k * n}) + std::min({m, n, k}) + 1);
    EXPECT_EQ(curve->points().back().accesses, m * n + m * k + k * n);
  }
}

// What Timeloop counts of one shared buffer is never below, with and without imperfect tiles; executions are compared
// with both curves in orojenesis_test.cpp.
TEST(OrojenesisLevels, OneBufferLiesAbove) {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const Workload w = testing::random_workload(rng);
    if (!check(w).empty()) continue;
    OrojenesisOptions options{.words = WordCount::Timeloop};
    options.imperfect = i % 2 == 1;
    options.partial_sums = i % 3 == 0 ? PartialSums::WriteOnly : PartialSums::ReadBack;
    const auto one = one_buffer_curve(w, options);
    const auto nested = nested_curve(w, options);
    ASSERT_TRUE(one.ok() && nested.ok());
    for (const auto& point : one->points()) EXPECT_LE(nested->at(point.buffer)->accesses, point.accesses) << i;
  }
}

}  // namespace
}  // namespace heliolite::orojenesis_levels_test
