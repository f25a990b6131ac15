#pragma once
// Random legal mappings of a layer's mapspace.
#include <algorithm>
#include <optional>

#include "engine/search/core/layer_problem.h"
#include "engine/space/mapspace.h"
#include "engine/space/splits.h"
#include "tests/support/random_problem.h"

namespace heliolite::testing {

// Every split of every dimension is equally likely.
class RandomMappings {
 public:
  explicit RandomMappings(const LayerProblem& problem, u64 seed)
      : problem_(problem), splits_(problem.space, false), writer_(problem.space), rng_(seed) {}

  // Absent if `tries` samples in a row are not legal.
  std::optional<Mapping> next(int tries) {
    for (; tries > 0; --tries) {
      PlaceFactors tiling{};
      bool possible = true;
      for (int d = 0; d < problem_.space.dimension_count; ++d) possible &= split(d, tiling);
      if (!possible || !writer_.fits_fanouts(tiling)) continue;
      Mapping m;
      LevelOrders orders;
      for (std::size_t i = 0; i < problem_.space.levels.size(); ++i) {
        const std::size_t fixed = writer_.present(tiling, static_cast<int>(i), orders);
        std::shuffle(orders.loop[i].begin() + static_cast<std::ptrdiff_t>(fixed),
                     orders.loop[i].begin() + orders.count[i], rng_);
        const LevelSpace& space = problem_.space.levels[i];
        m.keep[i] = static_cast<TensorMask>(space.keep | (space.open & rng_()));
      }
      writer_.write(m, tiling, orders);
      if (problem_.price(0, m).verdict == Verdict::Fits) return m;
    }
    return std::nullopt;
  }

 private:
  bool split(int d, PlaceFactors& tiling) {
    auto left = static_cast<u32>(problem_.space.size[static_cast<std::size_t>(d)]);
    for (int p = 0; p < splits_.place_count(); ++p) {
      const u128 all = splits_.ways(d, p, left);
      if (all == 0) return false;
      u128 k = rng_() % static_cast<u64>(all);
      splits_.for_each_run(d, p, left, [&](const FactorRun& run) {
        const u128 each = splits_.ways(d, p + 1, run.left);
        if (k >= each) {
          k -= each;
          return true;
        }
        tiling[static_cast<std::size_t>(p)][static_cast<std::size_t>(d)] = {run.first, run.y};
        left = run.left;
        return false;
      });
    }
    return true;
  }

  const LayerProblem& problem_;
  Splits splits_;
  NestWriter writer_;
  Rng rng_;
};

}  // namespace heliolite::testing
