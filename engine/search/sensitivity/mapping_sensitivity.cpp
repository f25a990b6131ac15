#include "engine/search/sensitivity/mapping_sensitivity.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/bayes/bayes_search.h"
#include "engine/search/bayes/decoder.h"
#include "engine/search/bayes/gaussian_process.h"
#include "engine/search/layer_search.h"

namespace heliolite {
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
    add(SensitivityGroup::Level, space.level_names[at(i)], [i](const Feature& f) { return f.level == i; });
  for (int d = 0; d < space.dimension_count; ++d)
    add(SensitivityGroup::Dimension, space.dimension_names[at(d)], [d](const Feature& f) { return f.dimension == d; });
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
  SearchOptions bayes = options;
  bayes.strategy = Strategy::Bayes;
  const auto search = LayerSearch::create(workload, architecture, bayes);
  if (!search) return search.errors();
  const LayerProblem& problem = search->problem();
  const MappingDecoder decoder(problem.space, problem.model, search->levels().orders(), options.encoding);
  if (!decoder.possible()) return perfect_factor_conflicts(problem.space);

  std::optional<GaussianProcess> learned;
  if (options.from) learned = surrogate(decoder.features(), *options.from);
  constexpr double kUnfit = 100;  // times the mapping of the largest tiles
  std::atomic<u64> unfit = 0;
  const auto logarithm = [&](const Evaluation& e) { return std::log(objective_number(options.objective, e.cost)); };
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
