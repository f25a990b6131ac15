#pragma once
// Rule 6 of docs/cost_model.md: which iterations of a loop the walks execute, and how often each of them counts.
#include "engine/model/imperfect_nest.h"

namespace heliolite {

// Calls visit(index, weight, is_last) for iterations 0 and 1 of the loop, the latter for all middle ones, and for the
// last one or two where a smaller tile comes last. `in_last`: all loops of the dimension outside are in their last
// iteration. With `count_in_middle` iteration 1 also counts for the last ones, which are executed with weight 0, as
// Timeloop has it at the innermost loop of a level without spatial loops.
template <class Visit>
void visit_iterations(const ImperfectLoop& loop, bool in_last, bool count_in_middle, Visit visit) {
  const u64 n = in_last ? loop.residual : loop.end;
  const bool run_last = in_last && loop.shrinks, run_last_two = run_last && !loop.perfect();
  const u64 separate = 1 + (run_last ? 1 : 0) + (run_last_two ? 1 : 0);
  const u64 middle = n > separate ? n - separate : 0;
  const u64 last_but_one = count_in_middle && run_last_two && n >= 4 ? 0 : 1;
  const u64 last_one = count_in_middle && run_last && !run_last_two && n >= 3 ? 0 : 1;
  const auto visit_at = [&](u64 index, u64 weight) { visit(index, weight, in_last && index + 1 >= n); };
  visit_at(0, 1);
  if (middle > 0) visit_at(1, middle + (1 - last_but_one) + (1 - last_one));
  if (run_last_two && n >= 3) visit_at(n - 2, last_but_one);
  if (run_last && n >= 2) visit_at(n - 1, last_one);
}

}  // namespace heliolite
