#pragma once
// Tiled fusion of consecutive links of a chain: blocks of rows go through all of them, intermediates never leave the
// buffer (Huang, Tsai, Emer, Parashar, "Mind the Gap", ISCA 2024, section on fusion). For every buffer the fewest
// accesses over all templates, tile sizes and choices of the weights that stay; other schedules may move less.
// Definitions and proofs: docs/rules/fusion.md.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "engine/bounds/fusion/chain.h"
#include "engine/bounds/fusion/fusion_curve.h"

namespace heliolite {

// The blocks in which the rows of a segment go through it.

// The links of a segment brought to common rows.

// A link, for blocks counted in rows of the segment's last output.
struct FusedLink {
  u64 scale = 1;                              // rows of its output for one row of the last output
  u64 stride = 1;                             // rows of its operand for one row of its output
  u64 overlap = 0;                            // rows of its operand that a block leaves for the next block
  u64 input_row = 1;                          // units in a row of its operand
  u64 output_row = 1;                         // units in a row of its output
  u64 input_columns = 1, output_columns = 1;  // parts of these rows that can be used, or made, one after the other
  u64 group_rows = 1;                         // rows of the last output that share weights
  u64 group_weights = 1;                      // units of these weights
  u64 weights = 1;                            // units of the weights of all groups
  u64 weight_size = 1;                        // units in a word of them
  u64 input_rows = 1;                         // rows of the whole operand
  Operator before = Operator::None;           // between the link before and its operand
};

// A segment whose links count common rows.
struct FusedRows {
  std::vector<FusedLink> links;
  u64 rows = 1;     // of the last output; the other fields count these too
  u64 group = 1;    // rows that share the weights of every link
  u64 picture = 1;  // rows of one picture: lines of different ones do not overlap; all rows if nothing slides
  u64 grain = 1;    // units of which every word has a whole number
};

// The links of a segment with common rows. None if rows of one link are not made of whole rows of another.
std::optional<FusedRows> common_rows(std::span<const ChainLink> links);

// Blocks of `rows` rows within every `span` rows; the last block of a span has what is left. Within a span either all
// rows share the weights of a link, or its blocks are made of whole groups of that link.
struct RowBlocks {
  u64 rows = 1;
  u64 span = 1;

  u64 in(u64 all_rows) const;            // number of blocks among `all_rows` rows
  u64 rounds(const FusedLink& f) const;  // blocks that use one group of the link's weights
};

// All blocks that matter, by rising rows within a span: rows that divide the span or, if not `perfect`, the least rows
// for every number of blocks. In spans of more than kMaxBlockSpan pieces only those that divide.
std::vector<RowBlocks> row_blocks(const FusedRows& segment, bool perfect);
inline constexpr u64 kMaxBlockSpan = u64{1} << 22;

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
