#include "engine/search/sensitivity/sobol_indices.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/split_mix.h"
#include "engine/search/bayes/sobol_sequence.h"
#include "engine/search/core/parallel.h"

namespace heliolite {
namespace {

constexpr std::size_t kResamples = 200;
constexpr std::size_t kSamplesOfTask = 64;  // samples in a task

// Of a sample: f at a point of A and at one of B, for each group where A has its inputs from B, and for each paired one
// where B has its inputs from A.
struct Row {
  double a = 0, b = 0;
  std::vector<double> mixed, swapped;
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

// What a pair explains beside its two groups: where A has the inputs of one of them from B, and B those of the other
// from A, just the other's are the same, and the product tells the part of both and of each.
double second_order(std::span<const Row> rows, const SobolPair& pair, double mean,
                    std::span<const std::size_t> chosen) {
  Sums first, other;
  double products = 0;
  for (const std::size_t k : chosen) {
    const Row& row = rows[k];
    add(first, row, pair.a, mean);
    add(other, row, pair.b, mean);
    const auto product = [&](std::size_t a, std::size_t b) { return (row.swapped[a] - mean) * (row.mixed[b] - mean); };
    products += (product(pair.a, pair.b) + product(pair.b, pair.a)) / 2 - (row.a - mean) * (row.b - mean);
  }
  const auto n = static_cast<double>(chosen.size());
  const double average = first.value / (2 * n), variance = first.square / (2 * n) - average * average;
  if (variance <= 0) return 0;
  return products / n / variance - ratio(first, n).first.value - ratio(other, n).first.value;
}

void set_second_order(std::span<const Row> rows, SobolPair& pair, double mean, u64 seed) {
  std::vector<std::size_t> chosen(rows.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  pair.second.value = second_order(rows, pair, mean, chosen);
  std::vector<double> resampled;
  for (std::size_t r = 0; r < kResamples; ++r) {
    SplitMix random(seed, r);
    for (std::size_t& k : chosen) k = random.below(rows.size());
    resampled.push_back(second_order(rows, pair, mean, chosen));
  }
  set_interval(pair.second, resampled);
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
      const auto with_inputs_of = [&](std::size_t group, std::span<const double> own, std::span<const double> its) {
        std::vector<double> point(own.begin(), own.end());
        for (const std::size_t input : question.groups[group]) point[input] = its[input];
        return f(point);
      };
      for (std::size_t g = 0; g < question.groups.size(); ++g) rows[k].mixed.push_back(with_inputs_of(g, a, b));
      for (std::size_t g = 0; g < question.paired; ++g) rows[k].swapped.push_back(with_inputs_of(g, b, a));
    }
  });

  // Step 3. The indices.
  SobolAnswer out;
  out.evaluations = question.samples * (question.groups.size() + question.paired + 2);
  const auto n = static_cast<double>(rows.size());
  for (const Row& row : rows) out.mean += (row.a + row.b) / (2 * n);
  for (const Row& row : rows)
    out.variance += ((row.a - out.mean) * (row.a - out.mean) + (row.b - out.mean) * (row.b - out.mean)) / (2 * n);
  out.index.resize(question.groups.size());
  parallel_for(out.index.size(), question.threads,
               [&](std::size_t g) { out.index[g] = index_of(rows, g, out.mean, question.seed); });
  for (std::size_t a = 0; a < question.paired; ++a)
    for (std::size_t b = a + 1; b < question.paired; ++b) out.pairs.push_back({a, b, {}});
  parallel_for(out.pairs.size(), question.threads,
               [&](std::size_t k) { set_second_order(rows, out.pairs[k], out.mean, question.seed); });
  return out;
}

}  // namespace heliolite
