#pragma once
// Link transfers among the compute units that share the innermost level, as the exact search bounds them: a machine
// without these links, whose units have a register for a word of each tensor that costs nothing
// (docs/rules/link_transfers.md). It answers for unrollings over the units that let words pass in the same way.
#include <array>
#include <vector>

#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Unrollings over the units that let words pass in the same way, or the most that some of them let.
struct UnitLinks {
  TensorMask held = 0;                     // words that do not move from one step to the next are not sent again
  std::array<double, kMaxTensors> sent{};  // [tensor]: least share of the words that move which the level sends
  TensorMask inexact = 0;                  // less is counted of these than links leave; of others only networks differ
  std::vector<std::array<Extents, 2>> unrollings;  // by dimension along X and Y, sorted; empty: all
};

// All classes of unrollings, those without links first. `linked`: a problem of which compute units may pass words to
// each other. One class of all where there are too many to look at.
std::vector<UnitLinks> unit_links(const LayerProblem& linked);

// One class of all their unrollings, of which only less is known.
UnitLinks joined(const std::vector<UnitLinks>& classes);

// The machine with registers, of mappings with these unrollings: none costs more on it than with links among the units.
// Links further out are in its `linked`, where they matter. Its innermost level are the registers.
LayerProblem with_unit_registers(const LayerProblem& linked, const UnitLinks& links);
// A mapping of it as one of the machine.
Mapping without_unit_registers(const Mapping& mapping);

}  // namespace heliolite
