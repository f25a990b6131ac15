#include "engine/search/sensitivity/mapping_sensitivity.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/split_mix.h"
#include "engine/search/bayes/decoder.h"
#include "engine/search/bayes/gaussian_process.h"
#include "engine/search/core/parallel.h"
#include "engine/search/layer_search.h"

namespace heliolite {
namespace {

constexpr std::size_t kResamples = 200;
constexpr std::size_t kSamplesOfTask = 64;  // samples in a task

// The values of a sample: f at a point of A and at one of B, for each group where A has its inputs from B, and for each
// paired one where B has its inputs from A.
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

// What a pair explains in addition to its two groups: where A has the inputs of one of them from B, and B those of the
// other from A, just the other's are the same, and the product tells the part of both and of each.
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

namespace {

struct Group {
  SensitivityGroup kind;
  std::string name;
  std::vector<std::size_t> features;
};

// Each feature, then those of a level, of a dimension, and all orders.
std::vector<Group> groups_of(const std::vector<Feature>& features, const Mapspace& space) {
  std::vector<Group> out;
  const auto add = [&](SensitivityGroup kind, const std::string& name, auto belongs) {
    Group group{kind, name, {}};
    for (std::size_t k = 0; k < features.size(); ++k)
      if (belongs(features[k])) group.features.push_back(k);
    if (!group.features.empty()) out.push_back(std::move(group));
  };
  for (std::size_t k = 0; k < features.size(); ++k) out.push_back({SensitivityGroup::Feature, features[k].name, {k}});
  for (int i = space.level_count(); i-- > 0;)
    add(SensitivityGroup::Level, space.level_names[i], [i](const Feature& f) { return f.level == i; });
  for (int d = 0; d < space.dimension_count; ++d)
    add(SensitivityGroup::Dimension, space.dimension_names[d], [d](const Feature& f) { return f.dimension == d; });
  add(SensitivityGroup::Orders, "all loop orders",
      [](const Feature& f) { return f.kind == FeatureKind::Score || f.kind == FeatureKind::Order; });
  return out;
}

// The process of all mappings that were learned, categories by number.
GaussianProcess surrogate(const std::vector<Feature>& features, const std::vector<LearnedTask>& tasks) {
  constexpr int kStarts = 5, kAscent = 60;
  std::vector<bool> categorical;
  for (const Feature& f : features) categorical.push_back(f.categorical());
  std::vector<Observation> observations;
  for (const LearnedTask& task : tasks)
    for (std::size_t k = 0; k < task.point.size(); ++k)
      observations.push_back({.x = coordinates(features, task.point[k]), .y = task.value[k]});
  GaussianProcess out(std::move(categorical));
  out.fit(std::move(observations), kStarts, kAscent);
  return out;
}

}  // namespace

Result<MappingSensitivity> mapping_sensitivity(const Workload& workload, const Architecture& architecture,
                                               const SearchOptions& options, std::size_t samples, bool pairs) {
  if (Diagnostics errors = objective_complaints(options.objective, architecture); !errors.empty()) return errors;
  if (Diagnostics errors = of_layers_only(asked_objective(options), "sensitivity"); !errors.empty()) return errors;
  SearchOptions bayes = options;
  bayes.strategy = Strategy::Bayes;
  const auto search = LayerSearch::create(workload, architecture, bayes);
  if (!search) return search.errors();
  const LayerProblem& problem = search->problem();
  const MappingDecoder decoder(problem.space, problem.model, search->levels().orders(), options.bayes.encoding);
  if (!decoder.possible()) return perfect_factor_conflicts(problem.space);

  std::optional<GaussianProcess> learned;
  if (options.bayes.from) learned = surrogate(decoder.features(), *options.bayes.from);
  constexpr double kUnfit = 100;  // times the mapping of the largest tiles
  std::atomic<u64> unfit = 0;
  const double factor = machine_factor(options.objective, architecture, workload);
  const auto logarithm = [&](const Evaluation& e) {
    return std::log(objective_number(options.objective, e.cost) * factor);
  };
  const Evaluation largest =
      problem.model.evaluate(decoder.decode(std::vector<double>(decoder.features().size(), 1.0)));
  if (largest.verdict != Verdict::Fits)
    return Diagnostic{"", 0, problem.space.level_names[largest.level], "has no room for the smallest tile"};
  const auto value = [&](std::span<const double> point) {
    if (learned) return learned->predict(coordinates(decoder.features(), point)).mean;
    const Evaluation e = problem.evaluate(decoder.decode(point));
    if (e.verdict == Verdict::Fits) return logarithm(e);
    ++unfit;
    return logarithm(largest) + std::log(kUnfit);
  };
  const std::vector<Group> groups = groups_of(decoder.features(), problem.space);
  SobolQuestion question{.inputs = decoder.features().size(),
                         .groups = {},
                         .paired = pairs ? decoder.features().size() : 0,
                         .samples = samples,
                         .seed = options.seed,
                         .threads = options.threads};
  for (const Group& group : groups) question.groups.push_back(group.features);
  const SobolAnswer answer = sobol_indices(value, question);

  MappingSensitivity out;
  out.mean = answer.mean;
  out.variance = answer.variance;
  out.evaluations = answer.evaluations;
  out.unfit = unfit;
  for (const SobolPair& pair : answer.pairs)  // groups of single features come first
    out.pairs.push_back({groups[pair.a].name, groups[pair.b].name, pair.second});
  std::ranges::stable_sort(out.pairs, std::greater(), [](const PairSensitivity& p) { return p.second.value; });
  for (std::size_t g = 0; g < groups.size(); ++g) out.rows.push_back({groups[g].kind, groups[g].name, answer.index[g]});
  std::ranges::stable_sort(out.rows, [](const FeatureSensitivity& a, const FeatureSensitivity& b) {
    return std::pair(a.group, -a.index.total.value) < std::pair(b.group, -b.index.total.value);
  });
  return out;
}

}  // namespace heliolite
