// Sobol's indices against functions whose indices are known, and of mappings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "engine/search/sensitivity/mapping_sensitivity.h"
#include "tests/support/load.h"

namespace heliolite::sensitivity_test {
namespace {

using namespace heliolite::testing;  // NOLINT(google-build-using-namespace)

void expect_indices(const std::function<double(std::span<const double>)>& f, std::vector<double> first,
                    std::vector<double> total) {
  SobolQuestion question;
  question.inputs = first.size();
  for (std::size_t k = 0; k < first.size(); ++k) question.groups.push_back({k});
  const SobolAnswer answer = sobol_indices(f, question);
  EXPECT_EQ(answer.evaluations, 8192 * (first.size() + 2));
  for (std::size_t k = 0; k < first.size(); ++k) {
    const SobolIndex& index = answer.index[k];
    EXPECT_NEAR(index.first.value, first[k], 0.02) << k;
    EXPECT_NEAR(index.total.value, total[k], 0.02) << k;
    EXPECT_LE(index.first.low, index.first.value) << k;
    EXPECT_GE(index.first.high, index.first.value) << k;
  }
}

// Ishigami's function with a = 7, b = 0.1 (Saltelli et al., Global Sensitivity Analysis, 2008, section 4.6).
TEST(Sobol, IndicesOfIshigamisFunction) {
  const auto f = [](std::span<const double> u) {
    const auto x = [&](std::size_t k) { return std::numbers::pi * (2 * u[k] - 1); };
    return std::sin(x(0)) + 7 * std::pow(std::sin(x(1)), 2) + 0.1 * std::pow(x(2), 4) * std::sin(x(0));
  };
  expect_indices(f, {.313905, .442411, 0}, {.557589, .442411, .243684});
  // The first input and the third explain together what neither of the others does, and all that the third one does.
  const SobolAnswer pairs = sobol_indices(f, {.inputs = 3, .groups = {{0}, {1}, {2}, {0, 2}}, .paired = 3});
  EXPECT_EQ(pairs.evaluations, 8192u * (4 + 3 + 2));
  ASSERT_EQ(pairs.pairs.size(), 3u);
  for (const SobolPair& pair : pairs.pairs) {
    EXPECT_NEAR(pair.second.value, pair.a == 0 && pair.b == 2 ? .243684 : 0, 0.02) << pair.a << " " << pair.b;
    EXPECT_LE(pair.second.low, pair.second.value);
    EXPECT_GE(pair.second.high, pair.second.value);
  }
}

// The function of Sobol with a = 0, 1, 4.5, 9 (the same, section 4.7).
TEST(Sobol, IndicesOfSobolsFunction) {
  constexpr std::array<double, 4> a{0, 1, 4.5, 9};
  const auto f = [&](std::span<const double> u) {
    double out = 1;
    for (std::size_t k = 0; k < 4; ++k) out *= (std::abs(4 * u[k] - 2) + a[k]) / (1 + a[k]);
    return out;
  };
  expect_indices(f, {.716493, .179123, .023686, .007165}, {.787370, .242268, .034327, .010463});
}

TEST(Sobol, AConstantHasNoIndices) {
  const SobolAnswer answer =
      sobol_indices([](std::span<const double>) { return 3.0; }, {.inputs = 2, .groups = {{0}, {0, 1}}, .samples = 64});
  for (const SobolIndex& index : answer.index) EXPECT_EQ(index.total.value, 0);
  EXPECT_EQ(answer.mean, 3);
}

TEST(MappingSensitivity, GroupsExplainWhatTheirFeaturesDo) {
  SearchOptions options;
  options.objective = Objective::Energy;
  options.threads = 1;
  const auto found = mapping_sensitivity(workload("gemm:64x512x128"), machine("gemmini"), options, 1024);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->unfit, 0u);
  double most = 0, level = 0;
  for (const FeatureSensitivity& row : found->rows) {
    if (row.group == SensitivityGroup::Feature) most = std::max(most, row.index.total.value);
    if (row.group == SensitivityGroup::Level) level = std::max(level, row.index.total.value);
  }
  EXPECT_GT(most, 0.1);
  EXPECT_GE(level, most - 0.05);
  options.threads = 2;
  const auto again = mapping_sensitivity(workload("gemm:64x512x128"), machine("gemmini"), options, 1024);
  for (std::size_t k = 0; k < found->rows.size(); ++k)
    EXPECT_EQ(found->rows[k].index.total.value, again->rows[k].index.total.value);
}

}  // namespace
}  // namespace heliolite::sensitivity_test
