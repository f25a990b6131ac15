#include "engine/search/baseline/random_search.h"

#include <vector>

#include "engine/search/baseline/sampler.h"
#include "engine/search/core/limits.h"
#include "engine/search/core/parallel.h"

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
        batch_(kChunks * kChunk),
        timeout_(problem.options.timeout.value_or(kRandomTimeout)) {}

  LayerAnswer run() {
    if (!sampler_.possible()) return {};
    for (u64 first = 0; !budget_.over(); first += batch_.size()) {
      parallel_for(kChunks, problem_.options.threads, [&](std::size_t c) { evaluate_chunk(first, c); });
      for (std::size_t k = 0; k < batch_.size(); ++k)
        if (!look(first + k, batch_[k])) return answer_;
    }
    return answer_;
  }

 private:
  void evaluate_chunk(u64 first, std::size_t chunk) {
    Mapping mapping;
    for (std::size_t k = chunk * kChunk; k < (chunk + 1) * kChunk; ++k) {
      const Evaluation e = sampler_.evaluate(first + k, mapping);
      batch_[k] = {e.verdict, e.cost};
    }
  }

  // False: the search is over.
  bool look(u64 number, const Sample& sample) {
    const bool evaluated = sample.verdict == Verdict::Fits || sample.verdict == Verdict::OverCapacity;
    if (evaluated && !budget_.allows(answer_.statistics.evaluated + 1)) return false;
    answer_.statistics.evaluated += evaluated ? 1 : 0;
    if (sample.verdict != Verdict::Fits) return ++misses_ < timeout_;
    misses_ = 0;
    if (answer_.found && answer_.value <= Value::of(problem_.options.objective, sample.cost))
      return ++unimproved_ < problem_.options.victory;
    unimproved_ = 0;
    Mapping mapping;
    sampler_.evaluate(number, mapping);
    answer_.offer(problem_.options.objective, mapping, sample.cost);
    problem_.tell(objective_number(problem_.options.objective, sample.cost), 0, answer_.statistics.evaluated);
    return true;
  }

  const LayerProblem& problem_;
  Sampler sampler_;
  const SearchBudget budget_;
  std::vector<Sample> batch_;
  u64 timeout_;
  LayerAnswer answer_;
  u64 misses_ = 0;      // samples in a row that are no legal mapping
  u64 unimproved_ = 0;  // legal mappings in a row
};

}  // namespace

LayerAnswer random_search(const LayerProblem& problem, const SearchBudget& budget) {
  return Search(problem, budget).run();
}

}  // namespace heliolite
