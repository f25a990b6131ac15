// Timeloop's mappers `hybrid` and `random-pruned` (Parashar et al., ISPASS 2019; NVlabs/timeloop: HybridSearch,
// RandomPrunedSearch, MapperThread), as one of their threads runs. Steps:
//  1. Draw factors: each dimension's split over levels and fan-outs, uniformly.
//  2. Loop orders of the loops of more than one iteration, at all levels, the innermost too: `hybrid` takes all, one
//     after the other, the innermost level's first; `random-pruned` 16 that it draws.
//  3. Every keep choice of each order. If none fits its buffers, the factors are given up: orders do not change tiles.
// The end: victory, `victory` legal mappings in a row that are no better than the best; timeout, `timeout` in a row
// that do not fit a fan-out or a buffer. Of mappings in a row that differ in keep choices alone the first counts.
//
// What is different: Timeloop draws what is unrolled and lists the ways to lay it along X and Y; both are drawn here.
// Its mapspace is shared out among threads, each with a victory and a timeout of its own.
#include "engine/search/baseline/strategies.h"

#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/baseline/sampler.h"
#include "engine/search/core/option_kinds.h"
#include "engine/search/core/pricing.h"

namespace heliolite {
namespace {

// All loop orders of some factors, one after the other.
class OrderList {
 public:
  OrderList(const Mapspace& space, const NestWriter& writer) : space_(space), writer_(writer) {}

  // The first one.
  void begin(const PlaceFactors& factors) {
    for (int i = 0; i < space_.level_count(); ++i) movable_[i] = writer_.present(factors, i, orders_);
  }
  // The next one; false after the last.
  bool next() {
    for (std::size_t i = 0; i < space_.levels.size(); ++i) {
      u8* const loops = orders_.loop[i].data();
      if (std::next_permutation(loops + movable_[i], loops + orders_.count[i])) return true;
    }
    return false;
  }
  // One of them, drawn.
  void draw(SplitMix& random) {
    for (std::size_t i = 0; i < space_.levels.size(); ++i)
      for (std::size_t k = movable_[i]; k < orders_.count[i]; ++k)
        std::swap(orders_.loop[i][k], orders_.loop[i][k + random.below(orders_.count[i] - k)]);
  }
  // How many there are; `most` if more.
  u64 count(u64 most) const {
    u64 out = 1;
    for (std::size_t i = 0; i < space_.levels.size(); ++i)
      for (u64 k = 2; movable_[i] + k <= orders_.count[i]; ++k)
        if ((out *= k) >= most) return most;
    return out;
  }

  const LevelOrders& orders() const { return orders_; }

 private:
  const Mapspace& space_;
  const NestWriter& writer_;
  LevelOrders orders_;
  std::array<std::size_t, kMaxLevels> movable_{};  // the first loop of each level whose place is free
};

class TimeloopMapper {
 public:
  TimeloopMapper(const LayerProblem& problem, const SearchBudget& budget)
      : problem_(problem),
        sampler_(problem.space, problem.model, false, problem.options.seed),
        writer_(problem.space),
        list_(problem.space, writer_),
        pricing_(problem, budget),
        timeout_(problem.options.sampling.timeout.value_or(kTimeloopTimeout)) {
    for (std::size_t i = 0; i < problem.space.levels.size(); ++i) {
      mapping_.keep[i] = problem.space.levels[i].keep;
      for (const int v : bits(problem.space.levels[i].open)) open_.emplace_back(i, static_cast<TensorMask>(1u << v));
    }
  }

  LayerAnswer run(bool hybrid) {
    if (!sampler_.possible()) return pricing_.answer();
    for (u64 draw = 0; !done_; ++draw) {
      SplitMix random(problem_.options.seed, draw);
      if (pricing_.over()) break;
      if (const Verdict verdict = sampler_.draw_factors(random, factors_); verdict != Verdict::Fits) {
        // Too large for a buffer whatever it keeps: pricing it would have said so.
        if (verdict == Verdict::OverCapacity) pricing_.count_one();
        illegal();
        continue;
      }
      list_.begin(factors_);
      if (hybrid) all_orders();
      else some_orders(random);
    }
    return pricing_.answer();
  }

 private:
  void all_orders() {
    do {
      if (!keeps()) return;
    } while (!done_ && list_.next());
  }

  void some_orders(SplitMix& random) {
    for (u64 left = list_.count(kOrdersOfFactors); left > 0 && !done_; --left) {
      list_.draw(random);
      if (!keeps()) return;
    }
  }

  // Every keep choice of these factors and orders, the one that keeps nothing else first. False: none fits.
  bool keeps() {
    bool fits = false, first = true;
    u64 choices = 0;
    for (const auto& [level, tensor] : open_) mapping_.keep[level] &= static_cast<TensorMask>(~tensor);
    do {
      if (pricing_.over()) {
        done_ = true;
        return true;
      }
      fits |= price(first);
      first = false;
    } while (!done_ && ++choices < kKeepChoices && next_keep());
    return fits;
  }

  bool next_keep() {
    for (const auto& [level, tensor] : open_) {
      mapping_.keep[level] ^= tensor;
      if ((mapping_.keep[level] & tensor) != 0) return true;
    }
    return false;
  }

  bool price(bool counts) {
    writer_.write(mapping_, factors_, list_.orders());
    const Priced priced = pricing_.price(mapping_);
    if (!priced.legal) {
      if (counts) illegal();
      return priced.fits;
    }
    illegal_ = 0;
    if (priced.better) unimproved_ = 0;
    else if (counts && ++unimproved_ >= problem_.options.sampling.victory) done_ = true;
    return true;
  }

  void illegal() { done_ |= ++illegal_ >= timeout_; }

  const LayerProblem& problem_;
  Sampler sampler_;
  NestWriter writer_;
  OrderList list_;
  Pricing pricing_;
  std::vector<std::pair<std::size_t, TensorMask>> open_;  // level and tensor of each open keep choice
  u64 timeout_;
  u64 illegal_ = 0, unimproved_ = 0;  // mappings in a row
  PlaceFactors factors_;
  Mapping mapping_;
  bool done_ = false;
};

}  // namespace

LayerAnswer random_pruned_search(const LayerProblem& problem, const SearchBudget& budget) {
  return TimeloopMapper(problem, budget).run(false);
}

LayerAnswer hybrid_search(const LayerProblem& problem, const SearchBudget& budget) {
  return TimeloopMapper(problem, budget).run(true);
}

}  // namespace heliolite
