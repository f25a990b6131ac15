// The strategy that tries everything: Timeloop's linear mapper as a baseline. Steps:
//  1. Each keep choice.
//  2. Each way to split the dimensions over levels and fan-outs that the fan-outs have room for.
//  3. Each order of the loops of more than one iteration, level by level. The order at the innermost level changes no
//     count but of words that compute units pass to each other, so elsewhere one is tried there; a tiling that does not
//     fit its buffers fits them in no order, so one is tried.
#include "engine/search/baseline/strategies.h"

#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/baseline/sampler.h"
#include "engine/search/core/option_kinds.h"
#include "engine/search/core/parallel.h"
#include "engine/search/core/pricing.h"
#include "engine/space/splits.h"

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
        sampler_(problem.space, problem.model, problem.has_all_tiles(), problem.options.seed, problem.counts()),
        budget_(budget),
        pricing_(problem, budget),
        batch_(kChunks * kChunk),
        timeout_(problem.options.sampling.timeout.value_or(kRandomTimeout)) {}

  LayerAnswer run() {
    if (!sampler_.possible()) return pricing_.answer();
    for (u64 first = 0; !budget_.over(); first += batch_.size()) {
      parallel_for(kChunks, problem_.options.threads, [&](std::size_t c) { evaluate_chunk(first, c); });
      std::size_t asked = 0;  // samples of the batch that an evaluator was asked about
      for (std::size_t k = 0; k < batch_.size(); ++k) {
        if (k == asked && pricing_.at_once() > 0) asked = ask_ahead(first, k);
        if (!take_sample(first + k, batch_[k])) return pricing_.answer();
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
    const u64 most = std::min<u64>(pricing_.at_once(), problem_.options.sampling.victory - unimproved_);
    std::vector<Mapping> mappings;
    for (; k < batch_.size() && mappings.size() < most; ++k)
      if (batch_[k].verdict == Verdict::Fits) sampler_.evaluate(first + k, mappings.emplace_back());
    pricing_.ask_ahead(mappings);
    return k;
  }

  // False: the search is over.
  bool take_sample(u64 number, const Sample& sample) {
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
    return priced.better || ++unimproved_ < problem_.options.sampling.victory;
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

namespace {

// Each walk returns false when the search has to stop.
class Enumeration {
 public:
  Enumeration(const LayerProblem& problem, const SearchBudget& budget)
      : problem_(problem),
        splits_(problem.space, problem.has_all_tiles()),
        writer_(problem.space),
        pricing_(problem, budget),
        innermost_orders_(tensors_with_peers(problem.space, problem.model.compiled(), 0) != 0) {
    for (const LevelSpace& level : problem.space.levels)
      room_.push_back({level.spatial.fanout_x, level.spatial.fanout_y});
  }

  LayerAnswer run() {
    const bool complete = keep(0, 0);
    LayerAnswer answer = pricing_.answer();
    answer.complete = complete;
    return answer;
  }

 private:
  // Step 1, one bit at a time.
  bool keep(int level, int tensor) {
    const Mapspace& space = problem_.space;
    if (level == space.level_count()) return dimension(0);
    const int next_tensor = tensor + 1 < space.tensor_count ? tensor + 1 : 0;
    const int next_level = next_tensor == 0 ? level + 1 : level;
    const LevelSpace& here = space.levels[level];
    TensorMask& mask = mapping_.keep[level];
    const auto bit = static_cast<TensorMask>(1u << tensor);
    const auto set = [&](bool kept) {
      mask = static_cast<TensorMask>(kept ? mask | bit : mask & ~bit);
      return keep(next_level, next_tensor);
    };
    if ((here.open & bit) != 0) return set(true) && set(false);
    return set((here.keep & bit) != 0);
  }

  // Step 2.
  bool dimension(int d) {
    if (d == problem_.space.dimension_count) return tiling();
    return place(d, 0, static_cast<u32>(problem_.space.size[d]));
  }

  bool place(int d, int p, u32 left) {
    if (p == splits_.place_count()) return dimension(d + 1);
    PlaceFactor& factor = tiling_[p][d];
    const bool keep_going = splits_.for_each_run(d, p, left, [&](const FactorRun& run) {
      if (is_spatial_place(p)) return spatial(d, p, run);
      for (u32 f = run.first; f <= run.last; ++f) {
        factor.x = f;
        if (!place(d, p + 1, run.left)) return false;
      }
      return true;
    });
    factor = {};
    return keep_going;
  }

  bool spatial(int d, int p, const FactorRun& run) {
    auto& [x, y] = room_[place_level(p)];
    if (run.first > x || run.y > y) return true;
    const auto saved = std::pair(x, y);
    x /= run.first;
    y /= run.y;
    tiling_[p][d] = {run.first, run.y};
    const bool keep_going = place(d, p + 1, run.left);
    std::tie(x, y) = saved;
    return keep_going;
  }

  // Step 3.
  bool tiling() {
    for (int i = 0; i < problem_.space.level_count(); ++i) {
      const std::size_t ordered = writer_.present(tiling_, i, orders_);
      movable_[i] = i == 0 && !innermost_orders_ ? orders_.count[0] : ordered;
    }
    bool fits = true;
    do {
      if (!evaluate(fits)) return false;
    } while (fits && next_orders());
    return true;
  }

  // The next combination of orders; false after the last one, with the first one set again.
  bool next_orders() {
    for (int i = 0; i < problem_.space.level_count(); ++i) {
      const auto level = at(i);
      u8* const loops = orders_.loop[level].data();
      if (std::next_permutation(loops + movable_[level], loops + orders_.count[level])) return true;
    }
    return false;
  }

  bool evaluate(bool& fits) {
    if (pricing_.over()) return false;
    writer_.write(mapping_, tiling_, orders_);
    fits = pricing_.price(mapping_).fits;
    return true;
  }

  const LayerProblem& problem_;
  Splits splits_;
  NestWriter writer_;
  Pricing pricing_;
  bool innermost_orders_;
  std::vector<std::pair<u64, u64>> room_;  // left on X and Y of each level's fan-out
  PlaceFactors tiling_{};
  LevelOrders orders_;
  std::array<std::size_t, kMaxLevels> movable_{};  // the first loop of each level whose place is free
  Mapping mapping_;
};

}  // namespace

LayerAnswer exhaustive_search(const LayerProblem& problem, const SearchBudget& budget) {
  return Enumeration(problem, budget).run();
}

}  // namespace heliolite
