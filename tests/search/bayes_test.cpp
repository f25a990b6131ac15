// Strategy bayes: its parts against numbers computed elsewhere and against definitions, the decoder against the
// mapspace, the search against random mappings and the proven optimum.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <set>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/mapping_check.h"
#include "engine/search/bayes/bayes_search.h"
#include "engine/search/bayes/decoder.h"
#include "engine/search/bayes/gaussian_process.h"
#include "engine/search/layer_search.h"
#include "engine/search/map.h"
#include "tests/support/load.h"
#include "tests/support/random_problem.h"

namespace heliolite::bayes_test {
namespace {

using namespace heliolite::testing;  // NOLINT(google-build-using-namespace)
using ::testing::DoubleNear;
using ::testing::HasSubstr;

SearchOptions options_of(Strategy strategy, Objective objective = Objective::Edp) {
  SearchOptions out;
  out.strategy = strategy;
  out.objective = objective;
  return out;
}

// Four observations of two coordinates; the expected numbers below come from the textbook's formulas in another
// language.
std::vector<Observation> four(bool two_tasks) {
  const u32 other = two_tasks ? 1 : 0;
  return {{{.1, .2}, 0, 1}, {{.4, .9}, 0, .2}, {{.7, .3}, other, -.5}, {{.9, .8}, other, .7}};
}

KernelParameters parameters_of_four() {
  KernelParameters out;
  out.length = Eigen::Vector2d(.5, .8);
  out.variance = 1.3;
  out.noise = 1e-4;
  return out;
}

TEST(GaussianProcess, IsThatOfTheTextbook) {
  GaussianProcess gp({false, false});
  gp.condition(four(false), parameters_of_four());
  EXPECT_NEAR(gp.log_likelihood(), -5.315211056, 1e-8);
  const double alpha[] = {1.43503828, -0.40499281, -2.0003391, 1.829955};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(gp.weights_of_values()[i], alpha[i], 1e-6);
  const Prediction a = gp.predict(std::vector{.5, .5}), b = gp.predict(std::vector{.6, .1});
  EXPECT_NEAR(a.mean, -0.10395945, 1e-7);
  EXPECT_NEAR(a.deviation, 0.35558774, 1e-7);
  EXPECT_NEAR(b.mean, -0.51741316, 1e-7);
  EXPECT_NEAR(b.deviation, 0.35330112, 1e-7);
  EXPECT_NEAR(expected_improvement(a, -.5), 0.0237436, 1e-6);
  EXPECT_NEAR(expected_improvement(b, -.5), 0.1498245, 1e-6);
}

TEST(GaussianProcess, OfTwoTasksIsThatOfTheTextbook) {
  GaussianProcess gp({false, false}, 2);
  KernelParameters p = parameters_of_four();
  p.weight = Eigen::Vector2d(1, .8);
  p.own = Eigen::Vector2d(.1, .2);
  gp.condition(four(true), p);
  const double mean[] = {-0.01275509, -0.35471693, -0.20654936, -0.58280473};
  const double deviation[] = {0.43989886, 0.58774402, 0.38162217, 0.29288027};
  for (u32 k = 0; k < 4; ++k) {
    const Prediction found = gp.predict(k % 2 == 0 ? std::vector{.5, .5} : std::vector{.6, .1}, k / 2);
    EXPECT_NEAR(found.mean, mean[k], 1e-6) << k;
    EXPECT_NEAR(found.deviation, deviation[k], 1e-6) << k;
  }
}

// log p(y | parameters) plus the log prior of the lengths, without its constant.
double posterior(GaussianProcess& gp, const std::vector<Observation>& observations, const KernelParameters& p) {
  gp.condition(observations, p);
  double out = gp.log_likelihood();
  for (const double l : p.length) out -= 0.5 * std::log(l) * std::log(l);
  return out;
}

TEST(GaussianProcess, ItsGradientIsThatOfFiniteDifferences) {
  for (const bool two : {false, true}) {
    GaussianProcess gp({false, false}, two ? 2 : 1);
    KernelParameters p = parameters_of_four();
    p.weight = Eigen::Vector2d(.9, .7);
    p.own = Eigen::Vector2d(.3, .2);
    p.noise = 1e-2;
    gp.condition(four(two), p);
    const Eigen::VectorXd gradient = gp.gradient();
    ASSERT_EQ(gradient.size(), two ? 8 : 4);
    for (int k = 0; k < gradient.size(); ++k) {
      if (two && k == 2) continue;  // the variance of one task plays no part
      constexpr double kStep = 1e-5;
      double side[2];
      for (int s = 0; s < 2; ++s) {
        KernelParameters q = p;
        const double step = s == 0 ? -kStep : kStep;
        double* const at[] = {&q.length[0], &q.length[1], &q.variance, &q.noise,
                              &q.weight[0], &q.weight[1], &q.own[0],   &q.own[1]};
        if (k == 4 || k == 5) *at[k] += step;
        else *at[k] *= std::exp(step);
        side[s] = posterior(gp, four(two), q);
      }
      EXPECT_NEAR(gradient[k], (side[1] - side[0]) / (2 * kStep), 1e-4) << two << " " << k;
    }
  }
}

TEST(GaussianProcess, OfCategoriesKnowsOnlyWhetherTheyAreTheSame) {
  GaussianProcess gp({true});
  gp.condition({{{0}, 0, 1}, {{1}, 0, -1}}, gp.start());
  EXPECT_DOUBLE_EQ(gp.predict(std::vector{2.0}).mean, gp.predict(std::vector{7.0}).mean);
  EXPECT_NEAR(gp.predict(std::vector{0.0}).mean, 1, 1e-3);
}

TEST(SobolSequence, EveryCoordinateFillsEveryIntervalOnce) {
  SobolSequence sequence(40, 5);
  std::vector<std::set<int>> cells(40);
  for (int k = 0; k < 64; ++k) {
    const auto point = sequence.next();
    for (std::size_t d = 0; d < 40; ++d) {
      EXPECT_TRUE(point[d] > 0 && point[d] < 1);
      cells[d].insert(static_cast<int>(point[d] * 64));
    }
  }
  for (const auto& cell : cells) EXPECT_EQ(cell.size(), 64u);
}

TEST(SobolSequence, SeedsGiveOtherPoints) {
  EXPECT_NE(SobolSequence(3, 1).next(), SobolSequence(3, 2).next());
  EXPECT_EQ(SobolSequence(3, 1).next(), SobolSequence(3, 1).next());
}

// A prepared layer of the strategy.
LayerSearch prepared(const std::string& machine, const std::string& layer, SearchOptions options = {}) {
  options.strategy = Strategy::Bayes;
  auto search = LayerSearch::create(workload(layer), testing::machine(machine), options);
  EXPECT_TRUE(search.ok()) << machine << " " << layer;
  return *std::move(search);
}

// Whether mapping by mapping all is legal, of random points.
void expect_legal(const std::string& machine, const std::string& layer, const SearchOptions& options, int points) {
  const LayerSearch search = prepared(machine, layer, options);
  const LayerProblem& p = search.problem();
  const MappingDecoder decoder(p.space, p.model, search.levels().orders(), options.bayes.encoding);
  ASSERT_TRUE(decoder.possible());
  SobolSequence sequence(std::max<std::size_t>(1, decoder.features().size()), 3);
  for (int k = 0; k < points; ++k) {
    auto point = sequence.next();
    point.resize(decoder.features().size());
    const Mapping m = decoder.decode(point);
    ASSERT_THAT(to_string(check(m, p.workload, p.architecture)), "") << machine << " " << layer;
    ASSERT_THAT(to_string(violations(p.space, m)), "") << machine << " " << layer;
    ASSERT_EQ(p.model.evaluate(m).verdict, Verdict::Fits) << machine << " " << layer;
  }
}

TEST(Decoder, EveryPointIsALegalMapping) {
  for (const std::string& machine : architecture_preset_names())
    for (const char* layer : {"conv:n=2,c=12,k=20,p=7,q=7,r=3,s=3", "gemm:64x30x128", "mttkrp:i=8,j=12,k=10,l=30"})
      for (const OrderEncoding encoding : {OrderEncoding::Scores, OrderEncoding::Categorical}) {
        SearchOptions options;
        options.bayes.encoding = encoding;
        expect_legal(machine, layer, options, 20);
      }
  SearchOptions open, free;
  open.open = free.free = true;
  for (const char* machine : {"eyeriss", "simba"}) expect_legal(machine, "resnet18/conv3_x", open, 100);
  expect_legal("eyeriss", "resnet18/conv3_x", free, 100);
}

// With a random aspect ratio every tile that cannot grow turns up, and no other.
TEST(Decoder, ReachesEveryLargestTile) {
  Rng rng(7);
  Architecture a;
  while (a.levels.size() != 2) a = random_architecture(rng, {.max_levels = 2});
  for (StorageLevel& level : a.levels) {
    const std::string name = level.name;
    level = StorageLevel();
    level.name = name;
    level.keep.keep = {"all"};
  }
  a.levels[0].entries = 40;
  a.compute.instances = a.compute.mesh_x = 1;
  SearchOptions options;
  options.strategy = Strategy::Bayes;
  const auto search = LayerSearch::create(workload("gemm:8x8x8"), a, options);
  ASSERT_TRUE(search.ok());
  const LayerProblem& p = search->problem();
  const MappingDecoder decoder(p.space, p.model, search->levels().orders(), OrderEncoding::Scores);
  const auto fits = [](u64 m, u64 n, u64 k) { return m <= 8 && n <= 8 && k <= 8 && m * n + m * k + k * n <= 40; };
  std::set<std::array<u64, 3>> largest, reached;
  for (const u64 m : {1, 2, 4, 8})
    for (const u64 n : {1, 2, 4, 8})
      for (const u64 k : {1, 2, 4, 8})
        if (fits(m, n, k) && !fits(2 * m, n, k) && !fits(m, 2 * n, k) && !fits(m, n, 2 * k)) largest.insert({m, n, k});
  SobolSequence sequence(decoder.features().size(), 1);
  for (int k = 0; k < 2000; ++k) {
    const Mapping m = decoder.decode(sequence.next());
    std::array<u64, 3> tile{1, 1, 1};
    for (const Loop& loop : m.loops())
      if (loop.level == 0) tile[loop.dimension] *= loop.end;
    reached.insert(tile);
  }
  for (const auto& tile : largest) EXPECT_TRUE(reached.contains(tile)) << tile[0] << " " << tile[1] << " " << tile[2];
  for (const auto& [m, n, k] : reached) EXPECT_TRUE(fits(m, n, k));
}

// Branin's function on the unit square: its least value is 0.397887.
double branin(std::span<const double> u) {
  const double x = 15 * u[0] - 5, y = 15 * u[1], pi = std::numbers::pi;
  const double a = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
  return a * a + 10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10;
}

TEST(Acquisition, FindsTheMinimumOfBraninsFunction) {
  int found = 0;
  for (u64 seed = 1; seed <= 3; ++seed) {
    SobolSequence start(2, seed), sequence(4, seed);
    GaussianProcess gp({false, false});
    std::vector<Observation> seen;
    double best = 1e9;
    std::vector<double> place;
    const auto ask = [&](const std::vector<double>& at) {
      seen.push_back({at, 0, branin(at) / 50});
      if (branin(at) < best) best = branin(at), place = at;
    };
    for (int k = 0; k < 8; ++k) ask(start.next());
    for (int k = 0; k < 32; ++k) {
      if (k % 4 == 0) gp.fit(seen, 2, 40);
      else gp.condition(seen, gp.parameters());
      const auto score = [&](std::span<const double> at) { return expected_improvement(gp.predict(at), best / 50); };
      const std::vector<std::vector<double>> near{place};
      ask(maximise(score, sequence, near, 3).front().point);
    }
    found += best < 0.397887 * 1.01 ? 1 : 0;
  }
  EXPECT_EQ(found, 3);
}

MappingResult searched(const std::string& machine, const std::string& layer, SearchOptions options) {
  const auto result = map_workload(workload(layer), testing::machine(machine), options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.errors()));
  return *result;
}

TEST(Bayes, ReachesInTwentyMappingsWhatRandomDoesInFourThousand) {
  const std::string layer = "gemm:64x512x128";
  const double optimum = searched("gemmini", layer, options_of(Strategy::Exact, Objective::Energy)).value;
  double random = 0, bayes = 0;
  for (u64 seed = 1; seed <= 3; ++seed) {
    SearchOptions options = options_of(Strategy::Random, Objective::Energy);
    options.seed = seed;
    options.sampling.victory = 1'000'000;
    options.budget_evaluations = 4000;
    random += searched("gemmini", layer, options).value / 3;
    options.strategy = Strategy::Bayes;
    options.sampling.victory = SearchOptions().sampling.victory;
    options.budget_evaluations = 20;
    const MappingResult found = searched("gemmini", layer, options);
    EXPECT_LE(found.statistics.evaluated, 20u);
    EXPECT_GE(found.value, optimum);
    bayes += found.value / 3;
  }
  EXPECT_LE(bayes, random);
  EXPECT_LE(bayes, 1.01 * optimum);
}

TEST(Bayes, IsTheSameForASeedOnAnyNumberOfThreads) {
  SearchOptions options = options_of(Strategy::Bayes);
  options.threads = 1;
  options.budget_evaluations = 20;
  const MappingResult one = searched("eyeriss", "resnet18/conv3_x", options);
  options.threads = 8;
  const MappingResult eight = searched("eyeriss", "resnet18/conv3_x", options);
  EXPECT_EQ(one.mapping, eight.mapping);
  EXPECT_EQ(one.statistics.evaluated, eight.statistics.evaluated);
}

// Several at a time, priced side by side: a little less is learned from as many mappings.
TEST(Bayes, ChoosesBatches) {
  SearchOptions options;
  options.strategy = Strategy::Bayes;
  options.objective = Objective::Energy;
  options.budget_evaluations = 42;  // the last batch is cut
  std::vector<double> values;
  for (const u64 batch : {1, 8, 8}) {
    options.bayes.batch = batch;
    options.threads = values.size() == 1 ? 8 : 1;
    const auto found = map_workload(workload("gemm:64x512x128"), machine("gemmini"), options);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->statistics.evaluated, 42u);
    values.push_back(found->value);
  }
  EXPECT_LT(values[1], 1.1 * values[0]);
  EXPECT_EQ(values[1], values[2]);
}

TEST(Bayes, FindsTheOnlyMappingOfALayerWithoutChoices) {
  const MappingResult found = searched("gemmini", "gemm:1x1x1", options_of(Strategy::Bayes));
  EXPECT_NE(found.status, Status::Infeasible);
}

// What 30 mappings on one machine taught is worth much on another of the same levels.
TEST(Bayes, BeginsWithWhatIsLearned) {
  const std::string layer = "gemm:64x512x128";
  SearchOptions options = options_of(Strategy::Bayes, Objective::Energy);
  options.budget_evaluations = 30;
  options.bayes.learn = std::make_shared<LearnedTasks>();
  searched("edge_unified", layer, options);
  const std::vector<LearnedTask> learned = options.bayes.learn->take();
  ASSERT_EQ(learned.size(), 1u);
  EXPECT_EQ(learned[0].point.size(), learned[0].value.size());

  const std::string path = (std::filesystem::temp_directory_path() / "heliolite_learned_test.yaml").string();
  std::ofstream(path) << learned_text(learned);
  SearchOptions loaded;
  const Diagnostics errors = load_learned(path, loaded);
  std::filesystem::remove(path);
  ASSERT_TRUE(errors.empty()) << to_string(errors);
  EXPECT_EQ(learned_text(*loaded.bayes.from), learned_text(learned));

  options.bayes.learn = nullptr;
  options.seed = 7;
  options.budget_evaluations = 3;
  const double cold = searched("edge_unified", layer, options).value;
  options.bayes.from = loaded.bayes.from;
  for (const Transfer transfer : {Transfer::Features, Transfer::Tasks}) {
    options.bayes.transfer = transfer;
    EXPECT_LT(searched("edge_unified", layer, options).value, cold) << name(transfer);
  }
}

TEST(Bayes, RefusesWhatItCannotLearnFrom) {
  LearnedTask task;
  task.objective = "delay";
  SearchOptions options = options_of(Strategy::Bayes);
  const auto complaint = [&] {
    options.bayes.from = std::make_shared<const std::vector<LearnedTask>>(1, task);
    const auto result = map_workload(workload("gemm:8x8x8"), testing::machine("gemmini"), options);
    return result.ok() ? std::string() : to_string(result.errors());
  };
  EXPECT_THAT(complaint(), HasSubstr("was learned for objective delay, asked is edp"));
  task.objective = "edp";
  task.feature = {"Nowhere tile K"};
  task.choices = {0};
  EXPECT_THAT(complaint(), HasSubstr("has as feature 1 Nowhere tile K"));
  options.bayes.from = nullptr;
  options.strategy = Strategy::Random;
  options.bayes.learn = std::make_shared<LearnedTasks>();
  EXPECT_THAT(complaint(), HasSubstr("random learns nothing"));
}

}  // namespace
}  // namespace heliolite::bayes_test
