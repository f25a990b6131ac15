#include "engine/search/baseline/random_search.h"

#include <algorithm>
#include <vector>

#include "engine/search/baseline/sampler.h"
#include "engine/search/core/limits.h"
#include "engine/search/core/parallel.h"
#include "engine/search/core/pricing.h"

namespace heliolite {
namespace {

// Samples are evaluated in batches of chunks: a chunk is a task, a batch ends at a look at the clock.
constexpr u64 kChunk = 256;
constexpr u64 kChunks = 8;

struct Sample {
  Verdict verdict = Verdict::OverFanoutX;
  Cost cost;
};

// Looks at the samples in their order; what comes after the end of the search is thrown away.
class Search {
 public:
  Search(const LayerProblem& problem, const SearchBudget& budget)
      : problem_(problem),
        sampler_(problem.space, problem.model, problem.imperfect(), problem.options.seed, problem.counts()),
        budget_(budget),
        pricing_(problem, budget),
        batch_(kChunks * kChunk),
        timeout_(problem.options.timeout.value_or(kRandomTimeout)) {}

  LayerAnswer run() {
    if (!sampler_.possible()) return pricing_.answer();
    for (u64 first = 0; !budget_.over(); first += batch_.size()) {
      parallel_for(kChunks, problem_.options.threads, [&](std::size_t c) { evaluate_chunk(first, c); });
      std::size_t asked = 0;  // samples of the batch that an evaluator was asked about
      for (std::size_t k = 0; k < batch_.size(); ++k) {
        if (k == asked && pricing_.at_once() > 0) asked = ask_ahead(first, k);
        if (!look(first + k, batch_[k])) return pricing_.answer();
      }
    }
    return pricing_.answer();
  }

 private:
  void evaluate_chunk(u64 first, std::size_t chunk) {
    Mapping mapping;
    for (std::size_t k = chunk * kChunk; k < (chunk + 1) * kChunk; ++k) {
      const Evaluation e = sampler_.evaluate(first + k, mapping);
      batch_[k] = {e.verdict, e.cost};
    }
  }

  // Asks the evaluator about the samples from `k` on that will be looked at. Returns the one after the last of them.
  std::size_t ask_ahead(u64 first, std::size_t k) {
    const u64 most = std::min<u64>(pricing_.at_once(), problem_.options.victory - unimproved_);
    std::vector<Mapping> mappings;
    for (; k < batch_.size() && mappings.size() < most; ++k)
      if (batch_[k].verdict == Verdict::Fits) sampler_.evaluate(first + k, mappings.emplace_back());
    pricing_.ask_ahead(mappings);
    return k;
  }

  // False: the search is over.
  bool look(u64 number, const Sample& sample) {
    const bool evaluated = sample.verdict == Verdict::Fits || sample.verdict == Verdict::OverCapacity;
    if (!evaluated) return ++misses_ < timeout_;
    if (pricing_.over()) return false;
    Mapping mapping;
    const auto draw_again = [&]() -> const Mapping& {
      sampler_.evaluate(number, mapping);
      return mapping;
    };
    const Priced priced = pricing_.take({.verdict = sample.verdict, .cost = sample.cost}, draw_again);
    if (!priced.legal) return ++misses_ < timeout_;
    misses_ = 0;
    if (priced.better) unimproved_ = 0;
    return priced.better || ++unimproved_ < problem_.options.victory;
  }

  const LayerProblem& problem_;
  Sampler sampler_;
  const SearchBudget budget_;
  Pricing pricing_;
  std::vector<Sample> batch_;
  u64 timeout_;
  u64 misses_ = 0;      // samples in a row that are no legal mapping
  u64 unimproved_ = 0;  // legal mappings in a row
};

}  // namespace

LayerAnswer random_search(const LayerProblem& problem, const SearchBudget& budget) {
  return Search(problem, budget).run();
}

}  // namespace heliolite
