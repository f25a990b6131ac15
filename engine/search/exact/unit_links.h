#pragma once
// Link transfers among the compute units that share the innermost level, where words on their way have a price: what
// the exact search bounds them by (docs/rules/link_transfers.md). Either a machine without these links, whose units
// have a register for a word of each tensor that costs nothing; or the machine with its links, whose networks there
// cost nothing.
#include <array>
#include <vector>

#include "engine/search/core/layer_problem.h"

namespace heliolite {

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
