#include "engine/search/sensitivity/sobol_indices.h"

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/baseline/split_mix.h"
#include "engine/search/bayes/sobol_sequence.h"
#include "engine/search/core/parallel.h"

namespace heliolite {
namespace {

constexpr std::size_t kResamples = 200;
constexpr std::size_t kSamplesOfTask = 64;  // samples in a task

// Of a sample: f at a point of A and at one of B, and for each group where A has its inputs from B.
struct Row {
  double a = 0, b = 0;
  std::vector<double> mixed;
};

struct Sums {
  double first = 0, total = 0, value = 0, square = 0;
};

SobolIndex ratio(const Sums& sums, double n) {
  const double mean = sums.value / (2 * n), variance = sums.square / (2 * n) - mean * mean;
  SobolIndex out;
  if (variance <= 0) return out;
  out.first.value = sums.first / n / variance;
  out.total.value = sums.total / (2 * n) / variance;
  return out;
}

// `offset` is taken from the values: the estimate of the first order is better when their mean is near 0.
void add(Sums& sums, const Row& row, std::size_t group, double offset) {
  const double a = row.a - offset, b = row.b - offset, mixed = row.mixed[group] - offset;
  sums.first += b * (mixed - a);
  sums.total += (a - mixed) * (a - mixed);
  sums.value += a + b;
  sums.square += a * a + b * b;
}

void set_interval(Estimate& estimate, std::vector<double>& resampled) {
  std::ranges::sort(resampled);
  estimate.low = resampled[kResamples / 40];
  estimate.high = resampled[kResamples - 1 - kResamples / 40];
}

SobolIndex index_of(std::span<const Row> rows, std::size_t group, double mean, u64 seed) {
  const auto n = static_cast<double>(rows.size());
  Sums all;
  for (const Row& row : rows) add(all, row, group, mean);
  SobolIndex out = ratio(all, n);
  std::vector<double> first, total;
  for (std::size_t r = 0; r < kResamples; ++r) {
    SplitMix random(seed, r);
    Sums sums;
    for (std::size_t k = 0; k < rows.size(); ++k) add(sums, rows[random.below(rows.size())], group, mean);
    const SobolIndex again = ratio(sums, n);
    first.push_back(again.first.value);
    total.push_back(again.total.value);
  }
  set_interval(out.first, first);
  set_interval(out.total, total);
  return out;
}

}  // namespace

SobolAnswer sobol_indices(const std::function<double(std::span<const double>)>& f, const SobolQuestion& question) {
  // Step 1. A and B: the halves of points of twice as many dimensions.
  const std::size_t d = question.inputs;
  std::vector<std::vector<double>> points;
  SobolSequence sequence(std::max<std::size_t>(1, 2 * d), question.seed);
  for (std::size_t k = 0; k < question.samples; ++k) points.push_back(sequence.next());

  // Step 2. All values.
  std::vector<Row> rows(question.samples);
  parallel_for((rows.size() + kSamplesOfTask - 1) / kSamplesOfTask, question.threads, [&](std::size_t chunk) {
    for (std::size_t k = chunk * kSamplesOfTask; k < std::min(rows.size(), (chunk + 1) * kSamplesOfTask); ++k) {
      const std::span<const double> a(points[k].data(), d), b(points[k].data() + d, d);
      rows[k].a = f(a);
      rows[k].b = f(b);
      for (const auto& group : question.groups) {
        std::vector<double> mixed(a.begin(), a.end());
        for (const std::size_t input : group) mixed[input] = b[input];
        rows[k].mixed.push_back(f(mixed));
      }
    }
  });

  // Step 3. The indices.
  SobolAnswer out;
  out.evaluations = question.samples * (question.groups.size() + 2);
  const auto n = static_cast<double>(rows.size());
  for (const Row& row : rows) out.mean += (row.a + row.b) / (2 * n);
  for (const Row& row : rows)
    out.variance += ((row.a - out.mean) * (row.a - out.mean) + (row.b - out.mean) * (row.b - out.mean)) / (2 * n);
  out.index.resize(question.groups.size());
  parallel_for(out.index.size(), question.threads,
               [&](std::size_t g) { out.index[g] = index_of(rows, g, out.mean, question.seed); });
  return out;
}

}  // namespace heliolite
