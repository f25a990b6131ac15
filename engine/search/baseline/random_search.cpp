#include "engine/search/baseline/random_search.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/core/parallel.h"
#include "engine/space/nest_writer.h"
#include "engine/space/splits.h"

namespace heliolite {
namespace {

// Samples are evaluated in batches of chunks: a chunk is a task, a batch ends at a look at the clock.
constexpr u64 kChunk = 256;
constexpr u64 kChunks = 8;

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a stream is as good as its start, so every sample has its own.
class Random {
 public:
  Random(u64 seed, u64 sample) : state_(mix(seed) ^ mix(~sample)) {}

  u64 next() { return mix(state_ += 0x9e3779b97f4a7c15); }
  u128 below(u128 n) {
    const u128 high = next();
    return (high << 64 | next()) % n;
  }

 private:
  static u64 mix(u64 z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  u64 state_;
};

struct Sample {
  Verdict verdict = Verdict::OverFanoutX;
  Cost cost;
};

class Sampler {
 public:
  explicit Sampler(const LayerProblem& problem)
      : problem_(problem), splits_(problem.space, problem.options.imperfect), writer_(problem.space) {}

  bool possible() const {
    for (int d = 0; d < problem_.space.dimension_count; ++d)
      if (splits_.ways(d, 0, size(d)) == 0) return false;
    return true;
  }

  // Sample `number`. False: the fan-outs have no room for it.
  bool draw(u64 number, Mapping& out) const {
    Random random(problem_.options.seed, number);
    PlaceFactors tiling{};
    for (int d = 0; d < problem_.space.dimension_count; ++d) draw_split(random, d, tiling);
    if (!writer_.fits_fanouts(tiling)) return false;
    LevelOrders orders;
    for (int i = 0; i < problem_.space.level_count(); ++i) {
      const auto level = at(i);
      auto& loops = orders.loop[level];
      for (std::size_t k = writer_.present(tiling, i, orders); k < orders.count[level]; ++k)
        std::swap(loops[k], loops[k + random.next() % (orders.count[level] - k)]);
      const LevelSpace& space = problem_.space.levels[level];
      out.keep[level] = static_cast<TensorMask>(space.keep | (space.open & random.next()));
    }
    writer_.write(out, tiling, orders);
    return true;
  }

 private:
  u32 size(int d) const { return static_cast<u32>(problem_.space.size[at(d)]); }

  // All completions of what is left are equally likely at each place, hence all splits are.
  void draw_split(Random& random, int d, PlaceFactors& tiling) const {
    u32 left = size(d);
    for (int p = 0; p < splits_.place_count(); ++p) {
      const u128 all = splits_.ways(d, p, left);
      u128 k = all == 1 ? 0 : random.below(all);
      splits_.for_each_run(d, p, left, [&](const FactorRun& run) {
        const u128 each = splits_.ways(d, p + 1, run.left);
        const u128 total = each * (run.last - run.first + 1);
        if (k >= total) {
          k -= total;
          return true;
        }
        tiling[at(p)][at(d)] = {run.first + static_cast<u32>(k / each), run.y};
        left = run.left;
        return false;
      });
    }
  }

  const LayerProblem& problem_;
  Splits splits_;
  NestWriter writer_;
};

// Looks at the samples in their order; what comes after the end of the search is thrown away.
class Search {
 public:
  Search(const LayerProblem& problem, const SearchBudget& budget)
      : problem_(problem), sampler_(problem), budget_(budget), batch_(kChunks * kChunk) {}

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
      batch_[k] = {};
      if (!sampler_.draw(first + k, mapping)) continue;
      const Evaluation e = problem_.model.evaluate(mapping);
      batch_[k] = {e.verdict, e.cost};
    }
  }

  // False: the search is over.
  bool look(u64 number, const Sample& sample) {
    const bool evaluated = sample.verdict == Verdict::Fits || sample.verdict == Verdict::OverCapacity;
    if (evaluated && !budget_.allows(answer_.statistics.evaluated + 1)) return false;
    answer_.statistics.evaluated += evaluated ? 1 : 0;
    if (sample.verdict != Verdict::Fits) return ++misses_ < kRandomPatience;
    misses_ = 0;
    if (answer_.found && answer_.value <= Value::of(problem_.options.objective, sample.cost))
      return ++unimproved_ < problem_.options.victory;
    unimproved_ = 0;
    Mapping mapping;
    sampler_.draw(number, mapping);
    answer_.offer(problem_.options.objective, mapping, sample.cost);
    problem_.tell(objective_number(problem_.options.objective, sample.cost), 0);
    return true;
  }

  const LayerProblem& problem_;
  Sampler sampler_;
  const SearchBudget budget_;
  std::vector<Sample> batch_;
  LayerAnswer answer_;
  u64 misses_ = 0;      // samples in a row that are no legal mapping
  u64 unimproved_ = 0;  // legal mappings in a row
};

}  // namespace

LayerAnswer random_search(const LayerProblem& problem, const SearchBudget& budget) {
  return Search(problem, budget).run();
}

}  // namespace heliolite
