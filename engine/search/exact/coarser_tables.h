#pragma once
// How coarse the grid of the exact search's tables has to be (docs/rules/exact.md, "Coarse tables").
#include <optional>
#include <span>

#include "engine/search/exact/fanout.h"

namespace heliolite {

// Whether the tables of all keep choices, on a coarse grid, take so long or leave so little memory that coarser ones
// are better.
bool coarse_tables_are_large(const LayerProblem& problem, const Lattice& lattice,
                             std::span<const FanoutChoices> fanouts);

// The same lattice with a coarser grid; none: its grid is as coarse as is of use.
std::optional<Lattice> with_coarser_grid(const Lattice& lattice);

}  // namespace heliolite
