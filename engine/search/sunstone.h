#pragma once
// The Sunstone strategy (Ng, UBC 2022; Olyaiy et al., ISPASS 2023): from the inside out, unrollings, tiles from a
// factor tree, loop orders from a trie, with alpha-beta between levels. Steps:
//  1. Unrollings of every fan-out (rules full-unrolling, indexing-first), innermost first, with the cheapest orders.
//  2. Of each, the tiles of the levels inside the outermost fan-out that suit it best.
//  3. Best first, the tiles of the levels outside (rule maximal-tiles), until traffic so far and the compulsory rest
//     exceed the incumbent (rule alpha-beta): complete mappings.
// Each step keeps the most promising few (rule beam).
#include "engine/search/refine.h"
#include "engine/search/rules.h"

namespace heliolite {

struct SunstoneResult {
  std::vector<Candidate> best;  // complete, best first, at most kSunstoneKept, of different unrollings
  RuleCounts rules;
};

inline constexpr std::size_t kSunstoneKept = 4;

// With what the ladder's levels keep.
SunstoneResult sunstone(Ladder& ladder, const RuleSet& rules);

}  // namespace heliolite
