// How far mappings are from the least data movement: never below it, exactly at it where that is known.
#include "engine/bounds/curve/movement_distance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <thread>
#include <vector>

#include "engine/search/map.h"
#include "tests/support/load.h"
#include "tests/support/part_of_cases.h"
#include "tests/support/search_problem.h"
#include "workloads/workload_yaml.h"

namespace heliolite::movement_distance_test {
namespace {

using ::testing::HasSubstr;
using testing::machine;

// One unit, a buffer of `words` and a store outside it.
Architecture buffered(u64 words) {
  Architecture a;
  a.levels.resize(2);
  a.levels[0].name = "Buf";
  a.levels[0].entries = words;
  a.levels[1].name = "DRAM";
  return a;
}

MappingResult mapped(const Workload& workload, const Architecture& architecture, SearchOptions options) {
  const auto result = map_workload(workload, architecture, options);
  EXPECT_TRUE(result.ok());
  return *result;
}

TEST(MovementDistance, OfAProductWhoseOperandsFitIsOne) {
  const Workload w = testing::workload("gemm:4x6x8");
  const Architecture a = buffered(4 * 6 + 6 * 8 + 4 * 8);
  Mapping m;  // everything in the buffer at once
  m.level_count = 2;
  for (int d = 0; d < 3; ++d) m.add(LoopKind::Temporal, 0, d, w.dimensions[static_cast<std::size_t>(d)].size);
  m.keep[0] = m.keep[1] = 0b111;
  const auto levels = MovementBound().distances(w, a, m);
  ASSERT_TRUE(levels.ok()) << to_string(levels.errors());
  ASSERT_EQ(levels->size(), 1u);
  const LevelDistance& only = levels->front();
  EXPECT_EQ(only.bound.boundary.level, "Buf");
  EXPECT_EQ(only.bound.boundary.capacity_words, 104u);
  EXPECT_EQ(only.mapping.words, 104u);
  EXPECT_EQ(only.mapping.accesses, 104u);
  EXPECT_EQ(only.bound.least, 104u);
  EXPECT_EQ(only.least_for_held, 104u);
  EXPECT_EQ(only.ratio(), 1);
}

// All loops outside: a tile of one word of each tensor.
TEST(MovementDistance, CountsWhatAMappingWithoutReuseMoves) {
  const Workload w = testing::workload("gemm:4x6x8");
  const Architecture a = buffered(104);
  Mapping m;
  m.level_count = 2;
  for (int d = 0; d < 3; ++d) m.add(LoopKind::Temporal, 1, d, w.dimensions[static_cast<std::size_t>(d)].size);
  m.keep[0] = m.keep[1] = 0b111;
  const auto levels = MovementBound().distances(w, a, m);
  ASSERT_TRUE(levels.ok());
  const LevelDistance& only = levels->front();
  EXPECT_EQ(only.mapping.words, 3u);
  EXPECT_GT(only.ratio(), 1);
  EXPECT_GE(only.mapping.accesses, only.least_for_held);
  EXPECT_GT(only.least_for_held, only.bound.least) << "three words allow less than 104";
}

TEST(MovementDistance, IsNotKnownOfImperfectMappingsAndOddEinsums) {
  const Architecture a = buffered(64);
  Mapping m;
  m.level_count = 2;
  m.keep[0] = m.keep[1] = 0b111;
  MovementBound bound;
  Mapping ragged = m;
  ragged.add(LoopKind::Temporal, 1, 0, 3, 2);
  const auto imperfect = bound.distances(testing::workload("gemm:5x1x1"), a, ragged);
  ASSERT_FALSE(imperfect.ok());
  EXPECT_THAT(imperfect.errors().front().message, HasSubstr("do not divide the sizes"));

  const Workload odd = testing::workload("tcl:48x48x48x48x48x48");
  for (u8 d = 0; d < 6; ++d) m.add(LoopKind::Temporal, 1, d, 48);
  for (int again = 0; again < 2; ++again) {
    const auto many = bound.distances(odd, a, m);
    ASSERT_FALSE(many.ok());
    EXPECT_THAT(many.errors().front().message, HasSubstr("too many nested tiles"));
  }
}

TEST(MovementDistance, AMachineOfOneLevelHasNoBoundary) {
  Architecture a;
  a.levels.resize(1);
  a.levels[0].name = "DRAM";
  const Workload w = testing::workload("gemm:2x2x2");
  Mapping m;
  m.level_count = 1;
  for (int d = 0; d < 3; ++d) m.add(LoopKind::Temporal, 0, d, 2);
  m.keep[0] = 0b111;
  const auto levels = MovementBound().distances(w, a, m);
  ASSERT_TRUE(levels.ok());
  EXPECT_TRUE(levels->empty());
}

void expect_not_below(MovementBound& bound, const Workload& w, const Architecture& a, const MappingResult& r,
                      const std::string& what) {
  if (r.status == Status::Infeasible) return;
  const auto levels = bound.distances(w, a, r.mapping);
  ASSERT_TRUE(levels.ok()) << to_string(levels.errors());
  ASSERT_EQ(levels->size(), a.levels.size() - 1);
  for (const LevelDistance& level : *levels) {
    EXPECT_GE(level.ratio(), 1) << what << ", " << level.bound.boundary.level;
    EXPECT_GE(level.mapping.accesses, level.least_for_held) << what;
    EXPECT_GE(level.least_for_held, level.bound.least) << what << ": the mapping holds more than there is room for";
  }
}

TEST(MovementDistance, IsAtLeastOneForWhatSearchesFind) {
  for (u64 i = 0; i < 40; ++i) {
    const testing::SearchProblem problem = testing::random_search_problem(900 + i);
    MovementBound bound;
    for (const char* strategy : {"random", "exhaustive"}) {
      SearchOptions options;
      options.strategy = *parse_strategy(strategy);
      if (options.strategy == Strategy::Random) options.sampling.victory = 50;
      options.objective = i % 2 == 0 ? Objective::Energy : Objective::Delay;
      const MappingResult r = mapped(problem.workload, problem.architecture, options);
      expect_not_below(bound, problem.workload, problem.architecture, r, fmt::format("{} of problem {}", strategy, i));
    }
  }
}

// In bytes or bits where tensors state sizes.
TEST(MovementDistance, IsAtLeastOneForWordsOfAnySize) {
  for (u64 i = 0; i < 40; ++i) {
    testing::SearchProblemOptions sized;
    sized.word_bits = true;
    const testing::SearchProblem problem = testing::random_search_problem(1900 + i, sized);
    MovementBound bound;
    SearchOptions options;
    options.strategy = Strategy::Random;
    options.sampling.victory = 50;
    const MappingResult r = mapped(problem.workload, problem.architecture, options);
    expect_not_below(bound, problem.workload, problem.architecture, r, fmt::format("problem {}", i));
  }
}

// The first layer of every preset; orojenesis_levels_test.cpp has all layers on some of the machines.
TEST(MovementDistance, IsAtLeastOneOnEveryMachine) {
  SearchOptions options;
  options.strategy = Strategy::Sunstone;
  MovementBound bound;
  std::vector<Workload> workloads;
  for (const std::string& preset : workload_preset_names()) {
    const auto network = load_network(preset);
    ASSERT_TRUE(network.ok()) << to_string(network.errors());
    workloads.push_back(network->layers.front().workload);
  }
  std::size_t first = 0;
  for (const std::string& preset : architecture_preset_names()) {
    const Architecture a = machine(preset);
    const u64 step = testing::one_case_in(6);
    for (std::size_t k = first++ % step; k < workloads.size(); k += step) {
      const Workload& w = workloads[k];
      expect_not_below(bound, w, a, mapped(w, a, options), w.name + " on " + preset);
    }
  }
}

TEST(MovementDistance, SharesCurvesBetweenThreads) {
  const Architecture a = machine("eyeriss");
  const Workload w = testing::workload("gemm:64x96x128");
  SearchOptions options;
  options.strategy = Strategy::Sunstone;
  const MappingResult r = mapped(w, a, options);
  MovementBound bound;
  std::vector<double> ratios(4);
  std::vector<std::thread> threads;
  for (double& ratio : ratios) threads.emplace_back([&] { ratio = bound.distances(w, a, r.mapping)->back().ratio(); });
  for (std::thread& thread : threads) thread.join();
  for (const double ratio : ratios) EXPECT_EQ(ratio, ratios[0]);
}

}  // namespace
}  // namespace heliolite::movement_distance_test
