#pragma once
// A split of a dimension drawn without a table of all of them: one place after the other.
#include "engine/base/split_mix.h"
#include "engine/space/splits.h"

namespace heliolite {

// Draws a split of dimension d uniformly from all and calls take(place, factor) for each place, innermost first. All
// completions of what is left are equally likely at each place, hence all splits are.
template <class Take>
void draw_split(const Splits& splits, int d, SplitMix& random, Take&& take) {
  auto left = static_cast<u32>(splits.space().size[at(d)]);
  for (int p = 0; p < splits.place_count(); ++p) {
    const u128 all = splits.ways(d, p, left);
    u128 k = all <= 1 ? 0 : random.below_any(all);
    splits.for_each_run(d, p, left, [&](const FactorRun& run) {
      const u128 each = splits.ways(d, p + 1, run.left);
      const u128 total = each * (run.last - run.first + 1);
      if (k >= total) {
        k -= total;
        return true;
      }
      take(p, PlaceFactor{run.first + static_cast<u32>(k / each), run.y});
      left = run.left;
      return false;
    });
  }
}

}  // namespace heliolite
