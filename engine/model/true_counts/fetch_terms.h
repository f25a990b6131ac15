#pragma once
// The traffic of a tensor with sliding ranks as terms, one for each loop whose steps fetch words.
#include "engine/model/true_counts/fetches.h"
#include "engine/model/true_counts/tile_steps.h"

namespace heliolite {

// Adds a term for each loop at whose steps words move; words(step) says how many (FetchedWords), over the
// tensor's dimensions.
template <class Words>
void add_fetch_terms(const CompiledTensor& t, const TrueNest& nest, int boundary, Words&& words, Fetches& out) {
  LoopMask moving = 0;
  for (const int d : bits(t.indexing)) moving |= nest.of[at(d)];
  const LoopMask time = nest.outside(boundary) & nest.temporal();
  out.add(words(StepKind{StepKind::First, 0}), time);
  if ((moving & time) == 0) return;
  FetchedWords again{};  // by a step that starts the loops inside again
  bool known = false;
  for (const int l : bits(time & ~loops_before(std::countr_zero(moving & time)))) {
    if (contains(moving, l)) {
      known = false;
      out.add(words(StepKind{StepKind::Loop, l}), time & loops_before(l));
      continue;
    }
    if (!known) again = words(StepKind{StepKind::Loop, l});
    known = true;
    out.add(again, time & loops_before(l), LoopMask{1} << l);
  }
}

}  // namespace heliolite
