#pragma once
// Tiled fusion of consecutive links of a chain: blocks of rows go through all of them, intermediates never leave the
// buffer. The least accesses for every buffer, over all templates (Huang, Tsai, Emer, Parashar, "Mind the Gap", ISCA
// 2024, section on fusion), tile sizes and choices of the weights that stay. Definitions and proofs:
// docs/rules/fusion.md.
#include <optional>
#include <span>
#include <string>

#include "engine/base/types.h"
#include "engine/bounds/chain.h"
#include "engine/bounds/orojenesis_curve.h"

namespace heliolite {

// How a segment of a chain runs. Blocks of rows are outermost except in WeightsOuter.
enum class FusionTemplate : u8 {
  Rows,           // TiledK, Full.., TiledN; pairs of links may instead pass their intermediate column by column
  InputAgain,     // the first pair passes its intermediate by parts of a row, and reads the input again for each
  OutputSpilled,  // two links: the second adds to partial outputs outside, once for each part of the intermediate
  WeightsOuter,   // two links: parts of the intermediate outermost; their weights stay while all rows come by
};

struct FusedTiles {
  FusionTemplate how = FusionTemplate::Rows;
  u64 rows = 1;               // of the last output in a block
  u64 parts = 1;              // N2: of a row of the first intermediate, for all but Rows
  u64 kept = 0;               // bit e: the weights of link e stay in the buffer for all blocks of a group
  u64 pairs = 0;              // bit e: links e and e + 1 pass their intermediate column by column (TiledN, TiledK)
  bool whole_input = false;   // rows of the first operand stay while their block lasts, else columns of them
  bool whole_output = false;  // OutputSpilled and WeightsOuter: sums of all rows stay instead of being spilled
};

using FusedCurve = Staircase<FusedTiles>;

enum class Execution : u8 {
  Sequential,  // one link after the other: the largest of their needs
  Pipelined,   // all at once, each with a tile of weights of its own
};

struct FusionOptions {
  bool imperfect = false;  // also blocks that do not divide the rows
  Execution execution = Execution::Sequential;
  bool keep_weights = true;         // also tilings whose weights stay
  bool incremental_softmax = true;  // FlashAttention; else a row must be whole for a softmax (FLAT)
  bool inner_pairs = true;          // pairs anywhere; else only the first two links, as in Huang et al.
};

inline constexpr std::size_t kMaxFused = 12;  // links of one segment

// None if the links' rows do not match or they are more than kMaxFused; at least two links.
std::optional<FusedCurve> tiled_fusion(std::span<const ChainLink> links, const FusionOptions& options = {});

// "TiledK Full TiledN", the template of each link.
std::string template_names(const FusedTiles& tiles, std::size_t links);

}  // namespace heliolite
