#pragma once
// The strategy `exact`: the optimum of the mapspace with its certificate, or under a budget the best so far with a
// proven gap. Proofs: docs/rules/exact.md.
#include <array>
#include <vector>

#include "engine/search/certify/incumbent.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/space/lattice.h"

namespace heliolite {

// When the mapspace is searched in parts with other unrollings.
struct PartsPolicy {
  u64 evaluations = 60'000;  // mappings that a pass has priced, and as many as there are tiles
  double least_gain = 0.1;   // the bound of some part is this share of the way to the incumbent above that of the whole
  u64 before_whole = 6;      // times `evaluations` that the parts take before the whole is tried again
};

// Searches all mappings with perfect factors. `incumbent`: the answer of another strategy, from which the search
// starts; the statistics returned include its evaluations, the budget does not. Only mappings below `limit` are
// looked for: a complete answer that is not below it proves that there is none.
LayerAnswer exact_search(const LayerProblem& problem, const LayerAnswer& incumbent, const SearchBudget& budget,
                         const ObjectiveKey& limit = {}, const PartsPolicy& parts = {}, const GridLimits& tables = {});

// Lists the mappings whose key is below `limit` and that have at most this energy (units of 2^-32 pJ) and these cycles,
// but for those that another one of the mapspace is nowhere above: LayerAnswer::listed. Complete: there are no others.
// The problem's objective must depend on energy and on cycles; costs are those without words from peers.
LayerAnswer exact_list(const LayerProblem& problem, const CostBound& most, const ObjectiveKey& limit,
                       const SearchBudget& budget);

// Narrow passes of the exact search: what its bounds find quickly (docs/rules/search.md).

// The better of `start`, an answer with a mapping, and what passes over the levels find below it that keep few partial
// mappings after each, then more, until what is left out is not much better. `start` itself where little can be
// gained, or where the tables of the bounds would take much longer than the search before. The statistics returned
// include those of `start`, the budget does not.
LayerAnswer narrow_search(const LayerProblem& problem, const LayerAnswer& start, const SearchBudget& budget);

// Whether it gets to its end soon: the layer has few tiles, and few sets of servers.
bool narrow_search_is_quick(const LayerProblem& problem);

// Link transfers among the compute units that share the innermost level, where words on their way have a price: what
// the exact search bounds them by (docs/rules/link_transfers.md). Either a machine without these links, whose units
// have a register for a word of each tensor that costs nothing; or the machine with its links, whose networks there
// cost nothing.

// Unrollings over the units that let words pass in the same way, or the most that some of them let.
struct UnitLinks {
  TensorMask held = 0;     // words that do not move from one step to the next are not sent again
  TensorMask inexact = 0;  // registers are sent fewer of these words than links leave; of others only networks differ
  std::vector<std::array<Extents, 2>> unrollings;  // by dimension along X and Y, sorted; empty: all
};

// All classes of unrollings, those without links first. `linked`: a problem of which compute units may pass words to
// each other. One class of all where there are too many to look at.
std::vector<UnitLinks> unit_links(const LayerProblem& linked);

// One class of all their unrollings, of which only less is known.
UnitLinks joined(const std::vector<UnitLinks>& classes);

// The machine with registers, of mappings with these unrollings: none costs more on it than with links among the units.
// Links further out are in its `linked`, where they matter. Its innermost level are the registers. For classes that are
// not inexact.
LayerProblem with_unit_registers(const LayerProblem& linked, const UnitLinks& links);
// A mapping of it as one of the machine.
Mapping without_unit_registers(const Mapping& mapping);

// The machine with all its links, of mappings with these unrollings, whose networks cost nothing on the way of words
// that units may pass to each other.
LayerProblem with_free_networks(const LayerProblem& linked, const UnitLinks& links);

}  // namespace heliolite
