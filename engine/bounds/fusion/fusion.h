#pragma once
// Tiled fusion of consecutive links of a chain: blocks of rows go through all of them, intermediates never leave the
// buffer (Huang, Tsai, Emer, Parashar, "Mind the Gap", ISCA 2024, section on fusion). For every buffer the fewest
// accesses over all templates, tile sizes and choices of the weights that stay; other schedules may move less.
// Definitions and proofs: docs/rules/fusion.md.
#include <optional>
#include <span>
#include <string>

#include "engine/base/types.h"
#include "engine/bounds/fusion/chain.h"
#include "engine/bounds/fusion/fusion_curve.h"

namespace heliolite {

// When the links of a segment run.
enum class Execution : u8 {
  Sequential,  // one link after the other: the largest of their needs
  Pipelined,   // all at once, each with a tile of weights of its own
};

// Which weights may stay in the buffer for the blocks that share them.
enum class Staying : u8 {
  Parts,   // any part of the weights of each link
  Wholes,  // all or none of the weights of each link
  None,    // no weights
};

// Which plans of a segment are considered.
struct FusionOptions {
  bool perfect = false;  // only blocks and parts that divide the rows and columns
  Execution execution = Execution::Sequential;
  Staying weights = Staying::Parts;
  bool incremental_softmax = true;  // FlashAttention; else a row must be whole for a softmax (FLAT)
  bool inner_pairs = true;          // pairs anywhere; else only the first two links, as in Huang et al.
};

// The templates of Huang et al.
inline constexpr FusionOptions kPublishedTemplates{.perfect = true, .weights = Staying::Wholes, .inner_pairs = false};

inline constexpr std::size_t kMaxFused = 12;  // links of one segment

// The curve of the links as one segment; there must be at least two. None if their rows do not match or they are more
// than kMaxFused.
std::optional<FusedCurve> tiled_fusion(std::span<const ChainLink> links, const FusionOptions& options = {});

// The templates of the links as text: "TiledK Full TiledN".
std::string template_names(const FusedTiles& tiles, std::size_t links);

}  // namespace heliolite
