#include "engine/search/bayes/bayes_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "engine/search/bayes/gaussian_process.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/core/pricing.h"

namespace heliolite {
namespace {

constexpr int kFirstStarts = 5, kLaterStarts = 2;  // ascents of the likelihood
constexpr int kAscent = 40;                        // evaluations in each
constexpr double kRefits = 1.25;      // parameters are fitted again once the mappings have grown by this factor
constexpr int kRefine = 6;            // points of high expected improvement that climb
constexpr std::size_t kNear = 5;      // best points whose neighbours are looked at
constexpr int kPatience = 50;         // proposals in a row without a mapping not seen before
constexpr int kStartPatience = 1000;  // proposals in a row without a point to start from not seen before
constexpr double kOctaves = 8;        // this many octaves of a size or a capacity are one unit of its coordinate

// [name]: log2 of what a machine and a layer are described by.
std::map<std::string, double> task_coordinates(const LayerProblem& problem) {
  std::map<std::string, double> out;
  for (std::size_t d = 0; d < problem.space.dimension_count; ++d)
    out["size " + problem.space.dimension_names[d]] = std::log2(static_cast<double>(problem.space.size[d]));
  for (std::size_t i = 0; i < problem.space.levels.size(); ++i)
    if (const auto words = problem.architecture.levels[i].capacity_words())
      out["words " + problem.space.level_names[i]] = std::log2(static_cast<double>(*words));
  return out;
}

class BayesSearch {
 public:
  BayesSearch(const LayerProblem& problem, const OrdersByLevel& orders, const SearchBudget& budget)
      : problem_(problem),
        budget_(budget.limited() ? budget : budget.at_most(kBayesEvaluations)),
        pricing_(problem_, budget_),
        decoder_(problem_.space, problem_.model, orders, problem_.options.bayes.encoding),
        from_(problem_.options.bayes.from ? *problem_.options.bayes.from : std::vector<LearnedTask>{}),
        start_sequence_(std::max<std::size_t>(1, decoder_.features().size()), problem_.options.seed),
        sequence_(decoder_.features().size() + 2, problem_.options.seed + 1),
        process_(categorical(), static_cast<u32>(as_tasks() ? from_.size() + 1 : 1)) {
    if (problem_.options.evaluator.command.empty()) {
      const auto least = compulsory_cost(problem_.model, problem_.keep_range()).whole;
      floor_ = std::log(std::max(objective_number(problem_.options.objective, least), 1e-300));
    }
    mine_.coordinate = task_coordinates(problem_);
    recall();
  }

  LayerAnswer run(std::span<const Mapping> first) {
    if (!decoder_.possible()) return pricing_.answer();
    for (const Mapping& mapping : first)
      if (!over()) pricing_.price(mapping);
    choose(std::vector<double>(decoder_.features().size(), 1.0));
    u64 started = 1;
    for (int missed = 0; started < problem_.options.bayes.start && missed < kStartPatience && from_.empty() && !over();
         ++started) {
      missed = choose(start_sequence_.next()) ? 0 : missed + 1;
      if (batch_.size() >= problem_.options.bayes.batch) price_batch();
    }
    price_batch();
    for (int missed = 0; missed < kPatience && !over();) {
      for (u64 k = 0, most = problem_.options.bayes.batch; k < most && propose(); ++k) continue;
      missed = batch_.empty() ? missed + 1 : 0;
      price_batch();
    }
    remember();
    LayerAnswer answer = pricing_.answer();
    if (over()) answer.end = budget_.end(answer.statistics.evaluated);
    return answer;
  }

 private:
  bool as_tasks() const { return !from_.empty() && problem_.options.bayes.transfer == Transfer::Tasks; }
  // Learning takes longer than a look at the clock.
  bool over() { return budget_.over() || pricing_.over(); }

  // Which of the process' coordinates are categories. What describes machine and layer follows the features, where that
  // is learned from.
  std::vector<bool> categorical() {
    std::vector<bool> out;
    for (const Feature& f : decoder_.features()) out.push_back(f.categorical());
    if (from_.empty() || as_tasks()) return out;
    out.resize(out.size() + task_coordinates(problem_).size());
    return out;
  }

  // The coordinates of a point of a task: those of its features, then the task's own.
  std::vector<double> coordinates_of(std::span<const double> point, const LearnedTask& task) const {
    std::vector<double> out = coordinates(decoder_.features(), point);
    if (from_.empty() || as_tasks()) return out;
    for (const auto& [name, mine] : mine_.coordinate) {
      const auto its = task.coordinate.find(name);
      out.push_back((its == task.coordinate.end() ? mine : its->second) / kOctaves);
    }
    return out;
  }

  // Step 0: what other searches have learned.
  void recall() {
    for (std::size_t t = 0; t < from_.size(); ++t)
      for (std::size_t k = 0; k < from_[t].point.size(); ++k)
        recalled_.push_back({.x = coordinates_of(from_[t].point[k], from_[t]),
                             .task = as_tasks() ? static_cast<u32>(t + 1) : 0,
                             .y = from_[t].value[k]});
  }

  // Puts the mapping of a point into the batch, unless it was there before or there is no budget for it.
  bool choose(std::span<const double> point) {
    if (budget_.over() || !budget_.allows(pricing_.evaluated() + batch_.size() + 1)) return false;
    const Mapping mapping = decoder_.decode(point);
    if (!visited_.insert(mapping).second) return false;
    batch_.push_back(mapping);
    mine_.point.emplace_back(point.begin(), point.end());
    mine_.value.push_back(least_.value_or(0));  // until it is priced
    return true;
  }

  // Prices what is in the batch. A mapping that does not fit counts as the worst so far.
  void price_batch() {
    const std::size_t before = mine_.value.size() - batch_.size();
    const std::vector<Priced> priced = pricing_.price(batch_);
    for (std::size_t k = 0; k < priced.size(); ++k) {
      const double value = priced[k].legal ? std::log(priced[k].number) - floor_ : most_.value_or(0);
      mine_.value[before + k] = value;
      least_ = std::min(value, least_.value_or(value));
      most_ = std::max(value, most_.value_or(value));
    }
    batch_.clear();
  }

  // The best mappings come first.
  std::vector<std::size_t> ranked() const {
    std::vector<std::size_t> out(mine_.value.size());
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = k;
    std::ranges::stable_sort(out, {}, [&](std::size_t k) { return mine_.value[k]; });
    return out;
  }

  // Standardised observations; how values became them is kept in mean_ and deviation_.
  std::vector<Observation> observations(const std::vector<std::size_t>& rank) {
    std::vector<Observation> out = recalled_;
    std::vector<bool> chosen(rank.size(), rank.size() <= kMostObservations);
    for (std::size_t k = 0; k < rank.size() && rank.size() > kMostObservations; ++k)
      if (k < kMostObservations / 2 || rank[k] + kMostObservations / 2 >= rank.size()) chosen[rank[k]] = true;
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (chosen[k]) out.push_back({.x = coordinates_of(mine_.point[k], mine_), .y = mine_.value[k]});
    double sum = 0, squares = 0;
    const auto n = static_cast<double>(out.size());
    for (const Observation& o : out) sum += o.y;
    mean_ = sum / n;
    for (const Observation& o : out) squares += (o.y - mean_) * (o.y - mean_);
    deviation_ = std::max(std::sqrt(squares / n), 1e-9);
    for (Observation& o : out) o.y = (o.y - mean_) / deviation_;
    return out;
  }

  // Steps: 1. the process learns, 2. points of high expected improvement, 3. the first whose mapping is new. What is in
  // the batch already counts as if its cost were the least so far, the "constant liar" of Ginsbourger, Le Riche,
  // Carraro (in: Computational Intelligence in Expensive Optimization Problems, 2010): so the next is another region's.
  bool propose() {
    const std::vector<std::size_t> rank = ranked();
    std::vector<Observation> learned = observations(rank);
    if (learned.size() >= next_fit_ && batch_.empty()) {
      process_.fit(std::move(learned), next_fit_ == 0 ? kFirstStarts : kLaterStarts, kAscent,
                   [this] { return budget_.over(); });
      next_fit_ = static_cast<std::size_t>(static_cast<double>(recalled_.size() + mine_.value.size()) * kRefits) + 1;
    } else {
      process_.condition(std::move(learned), process_.parameters());
    }
    const double best = (mine_.value[rank.front()] - mean_) / deviation_;
    std::vector<std::vector<double>> near;
    for (std::size_t k = 0; k < std::min(kNear, rank.size()); ++k) near.push_back(mine_.point[rank[k]]);
    const auto score = [&](std::span<const double> point) {
      return expected_improvement(process_.predict(coordinates_of(point, mine_)), best);
    };
    for (const ScoredPoint& candidate : maximise(score, sequence_, near, kRefine))
      if (choose(candidate.point)) return true;
    return false;
  }

  void remember() {
    if (!problem_.options.bayes.learn) return;
    mine_.machine = problem_.architecture.name;
    mine_.workload = problem_.workload.name;
    mine_.objective = minimised(problem_.options);
    for (const Feature& f : decoder_.features()) mine_.feature.push_back(f.name), mine_.choices.push_back(f.choices);
    problem_.options.bayes.learn->add(mine_);
  }

  const LayerProblem& problem_;
  const SearchBudget budget_;
  Pricing pricing_;
  MappingDecoder decoder_;
  std::vector<LearnedTask> from_;
  SobolSequence start_sequence_, sequence_;
  GaussianProcess process_;
  double floor_ = 0;  // log of what every mapping costs; 0 with an evaluator
  LearnedTask mine_;
  std::optional<double> least_, most_;  // value of what was priced
  std::vector<Observation> recalled_;
  std::set<Mapping> visited_;
  std::vector<Mapping> batch_;  // mappings of the last points of mine_; not priced yet
  std::size_t next_fit_ = 0;    // observations
  double mean_ = 0, deviation_ = 1;
};

}  // namespace

Diagnostics unusable_tasks(const LayerProblem& problem, const OrdersByLevel& orders) {
  if (!problem.options.bayes.from) return {};
  const MappingDecoder decoder(problem.space, problem.model, orders, problem.options.bayes.encoding);
  const std::vector<Feature>& features = decoder.features();
  Diagnostics out;
  const auto refuse = [&](const LearnedTask& task, std::string why) {
    out.push_back({"", 0, "from", fmt::format("{} on {} {}", task.workload, task.machine, why)});
  };
  for (const LearnedTask& task : *problem.options.bayes.from) {
    if (task.objective != minimised(problem.options)) {
      refuse(task,
             fmt::format("was learned for objective {}, asked is {}", task.objective, minimised(problem.options)));
      continue;
    }
    for (std::size_t m = 0; m < std::max(features.size(), task.feature.size()); ++m) {
      const bool same = m < features.size() && m < task.feature.size() && features[m].name == task.feature[m] &&
                        features[m].choices == task.choices[m];
      if (same) continue;
      const auto text = [](bool there, const std::string& feature, u32 choices) {
        return !there ? "nothing" : choices == 0 ? feature : fmt::format("{} of {}", feature, choices);
      };
      const bool mine = m < features.size(), its = m < task.feature.size();
      refuse(task, fmt::format("has as feature {} {}, {} on {} has {}", m + 1,
                               text(its, its ? task.feature[m] : "", its ? task.choices[m] : 0), problem.workload.name,
                               problem.architecture.name,
                               text(mine, mine ? features[m].name : "", mine ? features[m].choices : 0)));
      break;
    }
  }
  return out;
}

LayerAnswer bayes_search(const LayerProblem& problem, const OrdersByLevel& orders, std::span<const Mapping> first,
                         const SearchBudget& budget) {
  return BayesSearch(problem, orders, budget).run(first);
}

}  // namespace heliolite
