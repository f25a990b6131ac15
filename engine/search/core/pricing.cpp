#include "engine/search/core/pricing.h"

#include <algorithm>
#include <utility>

#include "engine/model/mapping_yaml.h"
#include "engine/search/core/parallel.h"

namespace heliolite {
namespace {

// Without the loops that a longer nest has left behind.
Mapping clean(const Mapping& mapping) {
  Mapping out = mapping;
  std::fill(out.loop.begin() + out.loop_count, out.loop.end(), Loop{});
  return out;
}

}  // namespace

std::vector<Priced> Pricing::price(std::span<const Mapping> mappings) {
  std::vector<Evaluation> found(mappings.size());
  parallel_for(mappings.size(), problem_.options.threads, [&](std::size_t k) { found[k] = evaluate(mappings[k]); });
  if (evaluator_) {
    std::vector<Mapping> fitting;
    for (std::size_t k = 0; k < mappings.size(); ++k)
      if (found[k].verdict == Verdict::Fits) fitting.push_back(mappings[k]);
    ask_ahead(fitting);
  }
  std::vector<Priced> out;
  for (std::size_t k = 0; k < mappings.size(); ++k) out.push_back(take(mappings[k], found[k]));
  return out;
}

Pricing::Pricing(const LayerProblem& problem, const SearchBudget& budget) : problem_(problem), budget_(budget) {
  const SearchOptions& options = problem.options;
  if (options.evaluator.command.empty()) return;
  evaluator_ = std::make_unique<Evaluator>(options.evaluator);
  threads_ = thread_count(options.threads);
  answer_.evaluator.emplace();
}

Priced Pricing::count(const Evaluation& e) {
  ++answer_.statistics.evaluated;
  if (e.verdict != Verdict::Fits) return {};
  const Objective objective = problem_.options.objective;
  Priced out{.value = Value::of(objective, e.cost),
             .number = objective_number(objective, e.cost),
             .fits = true,
             .legal = true};
  out.better = !answer_.found || out.value < answer_.value;
  return out;
}

void Pricing::keep(const Mapping& mapping, const Cost& cost, const Priced& priced) {
  answer_.offer(clean(mapping), cost, priced.value);
  if (answer_.evaluator) answer_.evaluator->value = priced.number;
  if (priced.better) problem_.report_progress(priced.number, 0, answer_.statistics.evaluated);
}

Priced Pricing::evaluate(const Mapping& mapping, const Cost& cost) {
  const EvaluatorAnswer* const said = known_answer(mapping);
  if (said == nullptr || !said->value) return {.fits = true};
  Priced out{.value = Value::of(*said->value), .number = *said->value, .fits = true, .legal = true};
  out.better = !answer_.found || out.value < answer_.value;
  if (!answer_.found || out.value <= answer_.value) keep(mapping, cost, out);
  return out;
}

const EvaluatorAnswer* Pricing::known_answer(const Mapping& mapping) {
  std::string document = write_mapping(mapping, problem_.workload, problem_.architecture);
  auto known = known_.find(document);
  if (known == known_.end()) {
    EvaluatorAnswer said = evaluator_->ask(document, budget_.seconds_left(), problem_.options.stop);
    if (said.cut) over_ = true;
    if (said.cut) return nullptr;
    known = known_.emplace(std::move(document), Known{std::move(said)}).first;
  }
  auto& [answer, taken] = known->second;
  if (std::exchange(taken, true)) {
    ++answer_.evaluator->repeated;
    return &answer;
  }
  ++answer_.evaluator->evaluations;
  ++answer_.statistics.evaluated;
  if (answer.value) failures_in_a_row_ = 0;
  else count_failure(answer.failure);
  return &answer;
}

void Pricing::count_failure(const std::string& why) {
  EvaluatorReport& report = *answer_.evaluator;
  if (report.failures++ == 0) report.first_failure = why;
  if (++failures_in_a_row_ < kMostFailures) return;
  over_ = true;
  answer_.end = SearchEnd::Evaluator;
}

void Pricing::ask_ahead(std::span<const Mapping> mappings) {
  if (!evaluator_) return;
  const u64 left = budget_.evaluations_left(answer_.statistics.evaluated);
  std::vector<std::string> fresh;
  for (const Mapping& mapping : mappings) {
    std::string document = write_mapping(mapping, problem_.workload, problem_.architecture);
    const bool met = known_.contains(document) || std::ranges::find(fresh, document) != fresh.end();
    if (!met && fresh.size() < left) fresh.push_back(std::move(document));
  }
  std::vector<EvaluatorAnswer> said(fresh.size());
  parallel_for(fresh.size(), problem_.options.threads, [&](std::size_t k) {
    said[k] = evaluator_->ask(fresh[k], budget_.seconds_left(), problem_.options.stop);
  });
  for (std::size_t k = 0; k < fresh.size(); ++k)
    if (!said[k].cut) known_.emplace(std::move(fresh[k]), Known{std::move(said[k])});
}

}  // namespace heliolite
