#include "engine/search/baseline/exhaustive.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/core/linkable.h"
#include "engine/search/core/pricing.h"
#include "engine/space/nest_writer.h"
#include "engine/space/splits.h"

namespace heliolite {
namespace {

// Each walk returns false when the search has to stop.
class Enumeration {
 public:
  Enumeration(const LayerProblem& problem, const SearchBudget& budget)
      : problem_(problem),
        splits_(problem.space, problem.imperfect()),
        writer_(problem.space),
        pricing_(problem, budget),
        innermost_orders_(linkable_tensors(problem.space, problem.model.compiled(), 0) != 0) {
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
    const LevelSpace& here = space.levels[at(level)];
    TensorMask& mask = mapping_.keep[at(level)];
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
    return place(d, 0, static_cast<u32>(problem_.space.size[at(d)]));
  }

  bool place(int d, int p, u32 left) {
    if (p == splits_.place_count()) return dimension(d + 1);
    PlaceFactor& factor = tiling_[at(p)][at(d)];
    const bool go_on = splits_.for_each_run(d, p, left, [&](const FactorRun& run) {
      if (is_spatial_place(p)) return spatial(d, p, run);
      for (u32 f = run.first; f <= run.last; ++f) {
        factor.x = f;
        if (!place(d, p + 1, run.left)) return false;
      }
      return true;
    });
    factor = {};
    return go_on;
  }

  bool spatial(int d, int p, const FactorRun& run) {
    auto& [x, y] = room_[at(place_level(p))];
    if (run.first > x || run.y > y) return true;
    const auto saved = std::pair(x, y);
    x /= run.first;
    y /= run.y;
    tiling_[at(p)][at(d)] = {run.first, run.y};
    const bool go_on = place(d, p + 1, run.left);
    std::tie(x, y) = saved;
    return go_on;
  }

  // Step 3.
  bool tiling() {
    for (int i = 0; i < problem_.space.level_count(); ++i) {
      const std::size_t ordered = writer_.present(tiling_, i, orders_);
      movable_[at(i)] = i == 0 && !innermost_orders_ ? orders_.count[0] : ordered;
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
