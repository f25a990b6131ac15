#include "engine/search/study/bench_analysis.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"

namespace heliolite {
namespace {

std::vector<std::string> mappers(const std::vector<BenchRow>& rows, bool ours_only) {
  std::vector<std::string> out;
  for (const BenchRow& row : rows)
    if (!(ours_only && row.external) && std::ranges::find(out, row.strategy) == out.end()) out.push_back(row.strategy);
  return out;
}

bool same_place(const BenchRow& a, const BenchRow& b) { return a.machine == b.machine && a.layer == b.layer; }

double mean_of_logarithms(const std::vector<double>& logs) {
  return sum_of<double>(logs) / static_cast<double>(logs.size());
}

}  // namespace

std::optional<double> proven_optimum(const std::vector<BenchRow>& rows, const BenchRow& of) {
  for (const BenchRow& row : rows)
    if (same_place(row, of) && row.status == Status::Optimal) return row.value;
  return std::nullopt;
}

Arrivals arrivals(const BenchRow& row, double optimum) {
  Arrivals out;
  for (const TracePoint& point : row.trace)
    for (std::size_t k = 0; k < kNear.size(); ++k)
      if (!out[k] && point.value <= optimum * (1 + kNear[k] + kSameValue)) out[k] = {point.evaluated, point.seconds};
  return out;
}

std::vector<ArrivalSummary> arrival_summaries(const std::vector<BenchRow>& rows) {
  std::vector<ArrivalSummary> out;
  for (const std::string& mapper : mappers(rows, true)) {
    ArrivalSummary summary{.strategy = mapper};
    std::array<std::vector<double>, kNear.size()> evaluated, seconds;
    for (const BenchRow& row : rows) {
      if (row.strategy != mapper || row.external) continue;
      const std::optional<double> optimum = proven_optimum(rows, row);
      if (!optimum) continue;
      ++summary.layers;
      const Arrivals at = arrivals(row, *optimum);
      for (std::size_t k = 0; k < kNear.size(); ++k) {
        if (!at[k]) continue;
        evaluated[k].push_back(static_cast<double>(at[k]->evaluated));
        seconds[k].push_back(at[k]->seconds);
      }
    }
    for (std::size_t k = 0; k < kNear.size(); ++k)
      if (!seconds[k].empty()) summary.near[k] = {seconds[k].size(), median(evaluated[k]), median(seconds[k])};
    out.push_back(std::move(summary));
  }
  return out;
}

double PerformanceProfile::share_within(double ratio) const {
  double share = 0;
  for (const Step& step : steps)
    if (step.ratio <= ratio * (1 + kSameValue)) share = step.share;
  return share;
}

std::vector<PerformanceProfile> profiles(const std::vector<BenchRow>& rows) {
  std::vector<PerformanceProfile> out;
  for (const std::string& mapper : mappers(rows, false)) {
    std::vector<double> ratios;
    double all = 0;
    for (const BenchRow& row : rows) {
      if (row.strategy != mapper) continue;
      ++all;
      if (row.ratio_to_best) ratios.push_back(*row.ratio_to_best);
    }
    std::ranges::sort(ratios);
    PerformanceProfile profile{mapper, {}};
    for (std::size_t k = 0; k < ratios.size(); ++k) {
      const double share = static_cast<double>(k + 1) / all;
      if (!profile.steps.empty() && profile.steps.back().ratio == ratios[k]) profile.steps.back().share = share;
      else profile.steps.push_back({ratios[k], share});
    }
    out.push_back(std::move(profile));
  }
  return out;
}

MeanRatio geometric_mean(const std::vector<double>& ratios) {
  if (ratios.empty()) return {};
  const std::vector<double> logs = mapped(ratios, [&](const double r) { return std::log(r); });
  std::mt19937_64 random(1);
  std::vector<double> means, sample(logs.size());
  for (int k = 0; k < kMeanResamples; ++k) {
    for (double& x : sample) x = logs[random() % logs.size()];
    means.push_back(mean_of_logarithms(sample));
  }
  std::ranges::sort(means);
  constexpr std::size_t kCut = kMeanResamples / 40;  // 2.5 % at either end
  return {std::exp(mean_of_logarithms(logs)), std::exp(means[kCut]), std::exp(means[kMeanResamples - 1 - kCut])};
}

Comparison compare(const std::vector<BenchRow>& rows, const std::string& of, const std::string& over) {
  Comparison out{.of = of, .over = over};
  std::vector<double> values, seconds;
  for (const BenchRow& a : rows) {
    if (a.strategy != of || !a.value) continue;
    const auto b = std::ranges::find_if(
        rows, [&](const BenchRow& row) { return row.strategy == over && row.value && same_place(a, row); });
    if (b == rows.end()) continue;
    const double ratio = *a.value / *b->value;
    values.push_back(ratio);
    out.better += ratio < 1 - kSameValue ? 1 : 0;
    out.worse += ratio > 1 + kSameValue ? 1 : 0;
    if (a.seconds && b->seconds && *a.seconds > 0 && *b->seconds > 0) seconds.push_back(*a.seconds / *b->seconds);
  }
  out.layers = values.size();
  out.value = geometric_mean(values);
  if (!seconds.empty() && seconds.size() == values.size()) out.seconds = geometric_mean(seconds);
  return out;
}

std::vector<Comparison> comparisons(const std::vector<BenchRow>& rows) {
  std::vector<Comparison> out;
  const std::vector<std::string> all = mappers(rows, false);
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = a + 1; b < all.size(); ++b) out.push_back(compare(rows, all[a], all[b]));
  return out;
}

std::vector<RandomVerdict> against_random(const std::vector<BenchRow>& rows, const std::string& random) {
  std::vector<RandomVerdict> out;
  const std::vector<std::string> all = mappers(rows, false);
  if (std::ranges::find(all, random) == all.end()) return out;
  for (const std::string& mapper : all) {
    if (mapper == random) continue;
    RandomVerdict one{.against = compare(rows, mapper, random)};
    if (one.against.layers > 0) {
      if (one.against.value.high < 1) one.verdict = AgainstRandom::Better;
      if (one.against.value.low > 1) {
        const bool slower = one.against.seconds && one.against.seconds->low > 1;
        one.verdict = slower ? AgainstRandom::SlowerAndWorse : AgainstRandom::Worse;
      }
    }
    out.push_back(std::move(one));
  }
  return out;
}

BenchAnalysis analyze(const BenchSuite& suite, const std::vector<BenchRow>& rows) {
  BenchAnalysis out{arrival_summaries(rows), profiles(rows), comparisons(rows), {}, judge_published(suite, rows)};
  const auto random = std::ranges::find_if(
      suite.strategies, [](const BenchStrategy& s) { return s.options.strategy == Strategy::Random; });
  if (random != suite.strategies.end()) out.against_random = against_random(rows, random->label);
  return out;
}

}  // namespace heliolite
