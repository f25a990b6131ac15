// Strategy cosa: its programs say what the paper's formulas say of every mapping, and the solver finds their least.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/model/compiled.h"
#include "engine/search/cosa/cosa_search.h"
#include "engine/search/cosa/mip.h"
#include "engine/search/layer_search.h"
#include "engine/search/map.h"
#include "engine/space/footprint.h"
#include "tests/support/load.h"
#include "tests/support/search_problem.h"

namespace heliolite::cosa_test {
namespace {

using namespace heliolite::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

SearchOptions cosa(CosaVariant variant) {
  SearchOptions options;
  options.strategy = Strategy::Cosa;
  options.cosa.variant = variant;
  options.threads = 1;
  return options;
}

MappingResult mapped(const Workload& w, const Architecture& a, const SearchOptions& options) {
  const auto result = map_workload(w, a, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.errors()));
  return *result;
}

class Cosa : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_mip_solver()) GTEST_SKIP() << "built without CBC";
  }
};

// The published objective of a mapping, read off its loops; infinite where a tile is larger than its share.
class Formula {
 public:
  Formula(const Workload& w, const Architecture& a, bool ordered)
      : w_(w), compiled_(w, a), space_(*resolve(w, a)), ordered_(ordered) {
    for (int i = 0; i + 1 < space_.level_count(); ++i)
      if (space_.levels[i].temporal.allowed != 0) buffer_ = i;
  }

  double operator()(const Mapping& m) const {
    const int outermost = m.level_count - 1;
    double cycles = 0, room = 0, traffic = 0;
    for (const Loop& l : m.loops()) cycles += l.is_spatial() ? 0 : std::log2(l.end);
    for (int i = 0; i <= outermost; ++i) {
      const Extents tile = tile_of(m, i);
      for (const int v : bits(m.keep[i])) {
        const double words = static_cast<double>(box_words(compiled_.tensor[v], tile));
        if (!compiled_.level[i].holds_all() &&
            words * std::popcount(m.keep[i]) > static_cast<double>(compiled_.level[i].room))
          return kUnlimited;
        if (i < buffer_) room += std::log2(words);
      }
    }
    for (int v = 0; v < compiled_.tensor_count; ++v) traffic += traffic_of(m, v, outermost);
    return 10 * cycles + traffic - 0.1 * room;
  }

 private:
  static Extents tile_of(const Mapping& m, int level) {
    Extents tile = unit_extents();
    for (const Loop& l : m.loops())
      if (l.level <= level) tile[l.dimension] *= l.end;
    return tile;
  }

  double traffic_of(const Mapping& m, int v, int outermost) const {
    double sum = 0;
    bool moved = false, kept = false;
    for (int i = buffer_; i >= 0 && i < outermost; ++i) kept = kept || m.keeps(i, v);
    int level = -1;
    for (const Loop& l : m.loops()) {
      const double size = std::log2(l.end);
      const bool moves = contains(compiled_.tensor[v].indexing, l.dimension);
      if (l.level < buffer_ && moves) sum += 0.99 * (0.8 + 0.04 * l.level) * size;
      if (l.level >= buffer_ && l.level < outermost && buffer_ >= 0 && l.is_spatial() && moves) sum += 0.99 * size;
      if (l.is_spatial() || (l.level != buffer_ && l.level != outermost)) continue;
      if (l.level == outermost && !ordered_) {
        sum += (w_.tensors[v].role == Role::Weight ? 1.01 : 1) * size;
        continue;
      }
      if (l.level == outermost && level != outermost && kept) moved = false;
      level = l.level;
      moved = moved || moves;
      if (moved) sum += size;
    }
    return sum;
  }

  const Workload& w_;
  Compiled compiled_;
  Mapspace space_;
  bool ordered_;
  int buffer_ = -1;
};

// On random machines and shapes the program's optimum is the least of the formula over all mappings; tiles that slide
// are counted as they are.
TEST_F(Cosa, FindsTheLeastOfThePublishedFormulas) {
  int solved = 0, sliding = 0;
  for (u64 seed = 1; solved < 10 || sliding < 3; ++seed) {
    Rng rng(seed);
    const SearchProblem p = testing::detail::random_pair(rng, {.open_keep = false});
    if (!check(p.workload).empty() || !check(p.architecture).empty()) continue;
    const CostModel model(p.workload, p.architecture);
    const CosaVariant variant = seed % 2 == 0 ? CosaVariant::Published : CosaVariant::Ordered;
    const Formula formula(p.workload, p.architecture, variant == CosaVariant::Ordered);
    double least = kUnlimited;
    OracleOptions every{.limit = 800, .innermost_orders = true};
    every.price = [&](const Mapping& m) {
      least = std::min(least, formula(m));
      return model.evaluate(m);
    };
    const auto all = enumerate_mapspace(p.workload, p.architecture, every);
    if (!all || all->mappings < 8) continue;
    const MappingResult found = mapped(p.workload, p.architecture, cosa(variant));
    ASSERT_TRUE(found.mip) << seed;
    EXPECT_TRUE(found.mip->proven) << seed;
    ASSERT_EQ(found.mip->found, std::isfinite(least)) << seed << " " << name(variant);
    if (!found.mip->found) continue;
    EXPECT_NEAR(found.mip->objective, least, 1e-4) << seed << " " << name(variant);
    EXPECT_NEAR(formula(found.mapping), least, 1e-4) << seed << " " << name(variant);
    EXPECT_EQ(found.mip->solves, 1U) << seed;  // no answer that does not fit
    ++solved;
    sliding += std::ranges::any_of(model.compiled().tensor, [](const auto& t) { return t.sliding; }) ? 1 : 0;
  }
}

// N = 3, K = 2 x 2, C = 2: one K inside the buffer, the other across its fan-out, C then N over time.
TEST_F(Cosa, CountsTheWordsOfTheSmallExample) {
  const Workload w =
      make_workload("mini", {{"N", 3}, {"K", 4}, {"C", 2}}, {{"O", "N,K"}, {"I", "N,C"}, {"W", "K,C", Role::Weight}});
  Architecture a;
  for (const char* name : {"Inner", "Buffer", "DRAM"}) {
    a.levels.emplace_back().name = name;
    a.levels.back().keep.keep = {"all"};
  }
  a.levels[1].fanout_x = 2;
  a.levels[0].instances = a.levels[0].mesh_x = a.compute.instances = a.compute.mesh_x = 2;
  a.levels[0].constraints.temporal.factors = {
      {"K", Relation::Equal, 2}, {"N", Relation::Equal, 1}, {"C", Relation::Equal, 1}};
  a.levels[1].constraints.temporal.factors = {
      {"N", Relation::Equal, 3}, {"C", Relation::Equal, 2}, {"K", Relation::Equal, 1}};
  a.levels[1].constraints.temporal.order = {"C", "N"};
  a.levels[1].constraints.spatial.factors = {{"K", Relation::Equal, 2}};
  SearchOptions options = cosa(CosaVariant::Published);
  options.cosa.weights = {0, 1, 0};
  const double refetches = std::log2(6) + std::log2(6) + std::log2(3);  // of W, of I, and of O, which C does not move
  const MappingResult found = mapped(w, a, options);
  ASSERT_TRUE(found.mip && found.mip->found);
  EXPECT_NEAR(found.mip->objective, 0.99 * 0.8 * (1 + 0 + 1) + 0.99 * (1 + 0 + 1) + refetches, 1e-6);
}

// docs/cosa.md says where these numbers come from and what differs.
TEST_F(Cosa, AgreesWithSolvedLayers) {
  const Workload layer = workload("resnet50/conv4_xa");
  const MappingResult found = mapped(layer, machine("simba"), cosa(CosaVariant::Published));
  ASSERT_TRUE(found.mip && found.mip->proven);
  EXPECT_NEAR(found.mip->objective, 200.9098, 1e-3);
  EXPECT_EQ(found.mip->integers, 70U);
  EXPECT_LT(found.value, 1.11 * 3.68314e12);  // of the optimum; 1.103 with another answer of the same objective
  EXPECT_EQ(found.status, Status::Bounded);
}

// The answer costs the program no more than the mapping that it begins with, also when the solver has no time.
TEST_F(Cosa, BeginsWithAMapping) {
  for (const CosaVariant variant : {CosaVariant::Published, CosaVariant::Ordered, CosaVariant::Convex}) {
    SearchOptions options = cosa(variant);
    options.cosa.warm_start = true;
    options.budget_seconds = 0.5;
    const MappingResult found = mapped(workload("resnet50/conv3_xb"), machine("simba"), options);
    ASSERT_TRUE(found.mip && found.mip->start) << name(variant);
    EXPECT_LE(found.mip->objective, *found.mip->start + 1e-9) << name(variant);
    EXPECT_NE(found.status, Status::Infeasible) << name(variant);
  }
}

// 11 and 13 have no tiles; 12 and 14 do.
TEST_F(Cosa, PadsSizesWithoutDivisors) {
  SearchOptions options = cosa(CosaVariant::Published);
  options.cosa.pad = true;
  EXPECT_THAT(to_string(map_workload(workload("gemm:7x11x13"), machine("gemmini"), options).errors()),
              HasSubstr("--factors any"));
  options.factors = Factors::Any;
  const auto search = LayerSearch::create(workload("gemm:11x13x26"), machine("gemmini"), options);
  ASSERT_TRUE(search.ok());
  const LayerAnswer found = search->search(SearchBudget(options));
  ASSERT_TRUE(found.found);
  EXPECT_FALSE(found.mapping.is_perfect());
  EXPECT_THAT(*search->cosa_program(), HasSubstr("all_N_7"));  // of 14, not of 13
}

// How close it came, on average: what was found to the optimum, and to the bound.
struct Closeness {
  double of_optimum = 0, of_bound = 0;
};

// Of twelve random machines and shapes whose tiles are products, from this seed on, for every objective.
Closeness expect_bounds_below_optima(u64 first, bool word_bits) {
  int solved = 0;
  double ratios = 0, gaps = 0;
  for (u64 seed = first; solved < 12; ++seed) {
    Rng rng(seed);
    const SearchProblem p = testing::detail::random_pair(rng, {.word_bits = word_bits});
    if (!check(p.workload).empty() || !check(p.architecture).empty()) continue;
    const Compiled c(p.workload, p.architecture);
    if (std::ranges::any_of(c.tensor, [](const auto& t) { return t.term_count > 0; })) continue;
    const auto all = enumerate_mapspace(p.workload, p.architecture, {.limit = 4000});
    if (!all || all->mappings < 8) continue;
    SearchOptions options = cosa(CosaVariant::Convex);
    options.objective = static_cast<Objective::Kind>(seed % 4);
    const MappingResult found = mapped(p.workload, p.architecture, options);
    EXPECT_EQ(found.status != Status::Infeasible, all->legal > 0) << seed;
    if (all->legal == 0 || found.status == Status::Infeasible) continue;
    const double optimum = objective_number(options.objective, all->best[at(options.objective)].cost);
    EXPECT_LE(found.lower_bound, optimum) << seed << " " << name(options.objective);
    EXPECT_GE(found.value, optimum * (1 - 1e-9)) << seed;
    ratios += found.value / optimum, gaps += found.value / found.lower_bound;
    ++solved;
  }
  return {ratios / solved, gaps / solved};
}

// The second certificate.
TEST_F(Cosa, TheConvexBoundIsNeverAboveTheOptimum) {
  const Closeness close = expect_bounds_below_optima(100, false);
  EXPECT_LT(close.of_optimum, 1.01);  // 1.002
  EXPECT_LT(close.of_bound, 1.15);    // 1.105: where it is large, mostly the blocks that a bound does not round up
}

TEST_F(Cosa, TheConvexBoundIsNeverAboveTheOptimumWithSizesOfWords) {
  const Closeness close = expect_bounds_below_optima(7'000, true);
  EXPECT_LT(close.of_optimum, 1.05);
  EXPECT_LT(close.of_bound, 1.5);
}

// Sizes that are the machine's change nothing.
TEST_F(Cosa, SizesOfTheMachineChangeNothing) {
  const Architecture eyeriss = machine("eyeriss");
  for (const CosaVariant variant : {CosaVariant::Published, CosaVariant::Ordered, CosaVariant::Convex}) {
    Workload gemm = workload("gemm:8x12x6");
    const MappingResult plain = mapped(gemm, eyeriss, cosa(variant));
    for (Tensor& t : gemm.tensors) t.word_bits = eyeriss.levels[0].word_bits;
    const MappingResult sized = mapped(gemm, eyeriss, cosa(variant));
    EXPECT_EQ(sized.mapping, plain.mapping) << name(variant);
    EXPECT_EQ(sized.cost, plain.cost) << name(variant);
    EXPECT_DOUBLE_EQ(sized.lower_bound, plain.lower_bound) << name(variant);
  }
}

TEST_F(Cosa, TheAnswerIsTheSameOnEveryRunAndForAllThreads) {
  const Network network{"two", {{workload("gemm:8x12x6"), 1}, {workload("conv:k=4,c=2,p=4,q=1,r=3,s=1"), 1}}};
  SearchOptions options = cosa(CosaVariant::Ordered);
  const auto once = map_network(network, machine("gemmini"), options);
  options.threads = 8;
  const auto again = map_network(network, machine("gemmini"), options);
  ASSERT_TRUE(once.ok() && again.ok());
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(once->layers[k].result.mapping, again->layers[k].result.mapping);
}

// Primes without divisors, dimensions of one, groups, strides, and a fan-out that admits nothing.
TEST_F(Cosa, MapsUnusualShapes) {
  for (const char* text : {"gemm:7x11x13", "gemm:1x1x1", "conv:k=1,c=1,p=11,q=7,r=7,s=7,stride=2",
                           "o[d,p] += i[d,2*p+r]*w[d,r]; d=6,p=8,r=3", "conv:k=4,c=1,p=6,q=6,r=3,s=3"})
    for (const char* name : {"simba", "gemmini"}) {
      const MappingResult found = mapped(workload(text), machine(name), cosa(CosaVariant::Published));
      if (found.status != Status::Infeasible) continue;
      EXPECT_FALSE(found.why_infeasible.empty()) << text << " on " << name;
    }
  Architecture closed = machine("gemmini");
  for (StorageLevel& level : closed.levels)
    level.constraints.spatial.allowed_x = level.constraints.spatial.allowed_y = std::vector<std::string>{};
  const MappingResult found = mapped(workload("gemm:16x16x16"), closed, cosa(CosaVariant::Published));
  ASSERT_NE(found.status, Status::Infeasible);
  for (const Loop& l : found.mapping.loops()) EXPECT_FALSE(l.is_spatial());
}

TEST_F(Cosa, ALimitOfTimeIsObeyed) {
  SearchOptions options = cosa(CosaVariant::Ordered);
  options.budget_seconds = 0.2;
  const MappingResult found = mapped(workload("resnet50/conv2_xb"), machine("simba"), options);
  EXPECT_LT(found.seconds, 2.0);  // sanitizers are slow
  if (found.mip && found.mip->proven) return;
  if (found.status == Status::Infeasible) EXPECT_THAT(to_string(found.why_infeasible), HasSubstr("within the budget"));
  else EXPECT_EQ(found.end, SearchEnd::Time);
}

TEST(CosaProgram, IsWrittenAsTextWithoutASolver) {
  const auto space = resolve(workload("gemm:6x4x4"), machine("gemmini"));
  ASSERT_TRUE(space.ok());
  const Workload w = workload("gemm:6x4x4");
  const Architecture a = machine("gemmini");
  const LayerProblem problem{w, a, cosa(CosaVariant::Published), *space, CostModel(w, a)};
  const std::string text = cosa_program_text(problem);
  for (const char* part :
       {"Minimize\n obj:", "Subject To\n", " all_M_3:", "Bounds\n", "General\n", "Binary\n", "\nEnd\n"})
    EXPECT_THAT(text, HasSubstr(part));
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
    EXPECT_LT(text.find('\n', begin) - begin, 200U);
}

TEST(CosaWeights, AreThreeNumbers) {
  EXPECT_EQ(parse_cosa_weights("10, 1,-0.1"), CosaWeights());
  EXPECT_EQ(to_text(CosaWeights()), "10,1,-0.1");
  for (const char* text : {"", "1", "1,2", "1,2,3,4", "1,2,x", "1,2,1e7", "nan,1,1"})
    EXPECT_FALSE(parse_cosa_weights(text)) << text;
}

}  // namespace
}  // namespace heliolite::cosa_test
