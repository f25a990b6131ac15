#include "engine/model/true_counts/sliding.h"

#include "engine/model/true_counts/fetch_terms.h"
#include "engine/model/true_counts/step_products.h"
#include "engine/model/true_counts/steps_outwards.h"
#include "engine/model/true_counts/unit_groups.h"

namespace heliolite {
void sliding_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary,
                     const UnitDigits& unit, Fetches& out) {
  StepsOutwards steps(c, nest, boundary, unit, t.indexing);
  StepProducts products(t, nest);
  add_fetch_terms(
      t, nest, boundary,
      [&](StepKind step) {
        u64 words = 0;
        products.each(steps.dimensions(), steps.at_step(step), [&](const BoxStep& box, auto) {
          words += box.count * box.units * products.fetch(box, step.what == StepKind::First).words;
        });
        return words;
      },
      out);
}

bool units_meet(const CompiledTensor& t, const TrueNest& nest, int low, int high) {
  if (!t.sliding) return false;
  for (int i = low; i <= high; ++i) {
    DimensionMask spread = 0;
    for (const int l : bits(nest.fanout[at(i)])) spread |= dimension_bit(nest.place[at(l)].dimension);
    for (int r = 0; r < t.rank_count; ++r) {
      const DimensionMask both = spread & t.sharing[at(r)];
      if ((both & (both - 1)) != 0) return true;
    }
  }
  return false;
}

void shared_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary, int high,
                    const UnitDigits& unit, Fetches& out) {
  out.count = 0;
  if (units_meet(t, nest, boundary + 1, high)) return listed_fetches(c, t, nest, boundary, high, unit, out);
  StepsOutwards steps(c, nest, boundary, unit, t.indexing);
  StepProducts products(t, nest);
  UnitGroups groups(t, nest.tile[at(boundary)]);
  const auto words = [&](StepKind step) {
    groups.clear();
    products.each(steps.dimensions(), steps.at_step(step), [&](const BoxStep& box, auto tiles) {
      const BoxFetch fetch = products.fetch(box, step.what != StepKind::Loop);
      if (fetch.words != 0) groups.add(box, fetch, tiles);
    });
    return groups.words(steps.dimensions());
  };
  if (boundary == 0) out.add(words(StepKind{StepKind::Every, 0}), 0);
  else add_fetch_terms(t, nest, boundary, words, out);
}

}  // namespace heliolite
