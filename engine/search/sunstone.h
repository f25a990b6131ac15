#pragma once
// The Sunstone strategy (Ng, UBC 2022; Olyaiy et al., ISPASS 2023): level by level from the inside, tiles from a factor
// tree, unrollings, loop orders from a trie, with alpha-beta between levels. Steps, at level j:
//  1. Tiles of level j (rule maximal-tiles), ranked by the traffic they leave to the next level with a fan-out.
//  2. Unrollings of the fan-out outside it (rules full-unrolling, indexing-first), with the cheapest loop orders.
//  3. Best first: stop when traffic so far and the compulsory rest exceed the incumbent (rule alpha-beta), or after the
//     beam's width (rule beam).
//  4. At the last level: a complete mapping.
#include "engine/search/layer_search.h"

namespace heliolite {

struct SunstoneResult {
  std::vector<Candidate> best;  // complete, best first, at most kSunstoneKept different ones
  RuleCounts rules;
};

inline constexpr std::size_t kSunstoneKept = 6;

SunstoneResult sunstone(Ladder& ladder, const std::array<TensorMask, kMaxLevels>& keep, const SearchOptions& options);

}  // namespace heliolite
