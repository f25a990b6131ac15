#pragma once
// Tiled fusion of consecutive links of a chain: blocks of rows go through all of them, intermediates never leave the
// buffer (Huang, Tsai, Emer, Parashar, "Mind the Gap", ISCA 2024, section on fusion). For every buffer the fewest
// accesses over all templates, tile sizes and choices of the weights that stay; other schedules may move less.
// Definitions and proofs: docs/rules/fusion.md.
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/named.h"
#include "engine/base/types.h"
#include "engine/bounds/fusion/chain.h"

namespace heliolite {

// The fewest accesses of a fused segment by buffer size. Weights stay in the buffer word by word, so that every further
// word of room saves accesses and a curve falls in straight lines between its points. Buffers and accesses are in units
// of which each word has a whole number; where all words have one, units are words.

// The Pareto-optimal choices of the links whose weights stay in the buffer.

// The weights of one link.
struct KeepItem {
  u64 room = 0;   // words that keeping takes
  u64 saved = 0;  // accesses that it saves
};

// Weights that stay together.
struct KeptSet {
  u64 mask = 0;  // bit e: item e
  u64 room = 0, saved = 0;
};

// The sets that matter, by rising room; each saves more than all before. The items of the mask `forced` are in every
// set.
std::vector<KeptSet> kept_sets(std::span<const KeepItem> items, u64 forced);

// How a segment of a chain runs. Blocks of rows are outermost except in WeightsOuter.
enum class FusionTemplate : u8 {
  Rows,           // TiledK, Full.., TiledN; pairs of links may instead pass their intermediate column by column
  InputAgain,     // the first pair passes its intermediate by parts of a row, and reads the input again for each
  OutputSpilled,  // two links: the second adds to partial outputs outside, once for each part of the intermediate
  WeightsOuter,   // two links: parts of the intermediate outermost; their weights stay while all rows come by
};
constexpr ValueNames<4> value_names(FusionTemplate) {
  return {"rows", "input_again", "output_spilled", "weights_outer"};
}

inline constexpr u8 kNoLink = 255;

// How a segment runs at a point of its curve.
struct FusedTiles {
  FusionTemplate how = FusionTemplate::Rows;
  u64 rows = 1;               // of the last output in a block; the last block may be smaller
  u64 part = 0;               // but for Rows: columns of the first intermediate in a part; the last may be smaller
  u64 parts = 1;              // but for Rows: number of such parts (N2)
  u64 kept = 0;               // bit e: the weights of link e stay in the buffer for all blocks of a group
  u8 partly = kNoLink;        // the link of whose weights a part stays
  u64 partly_words = 0;       // words of that part
  u64 pairs = 0;              // bit e: links e and e + 1 pass their intermediate column by column (TiledN, TiledK)
  bool whole_input = false;   // rows of the first operand stay while their block lasts, else columns of them
  bool whole_output = false;  // OutputSpilled and WeightsOuter: sums of all rows stay instead of being spilled
};

// Weights of one link that may stay: each word of room saves as many accesses.
struct Gain {
  u8 link = 0;
  u64 words = 0;
  u64 saved = 0;  // accesses that each word saves
  u64 bonus = 0;  // accesses saved besides when all of them stay
  u64 size = 1;   // units in a word
};

// A point of a curve.
struct FusedPlan {
  u64 buffer = 0;    // units in use
  u64 accesses = 0;  // units
  FusedTiles how;
};

// The least of plans whose buffers are whole numbers of words of one size, apart from what all of them have: buffers
// and capacities count these words.
class WordwiseCurve {
 public:
  // FusedCurve::add() with gains of words of this size.
  void add(u64 buffer, u64 accesses, const FusedTiles& how, std::span<const Gain> gains);

  // The plan with the fewest accesses in `capacity` words; none when no plan fits.
  std::optional<FusedPlan> at(u64 capacity) const;

  // FusedCurve::capacities().
  std::vector<u64> capacities(double step) const;

 private:
  // The curve from the capacity `from` up to the next piece.
  struct Piece {
    u64 from = 0;      // capacity
    u64 used = 0;      // words in use at `from`
    u64 accesses = 0;  // at `from`
    u64 slope = 0;     // accesses that each further word saves
    FusedTiles how;

    u64 at(u64 capacity) const { return accesses - slope * (capacity - from); }
    Piece starting(u64 capacity) const;  // its part from there on
  };
  using Pieces = std::vector<Piece>;  // ascending; the last one is flat

  static std::size_t piece_at(const Pieces& pieces, u64 capacity);  // the last that begins at or below it
  bool improved_by(const Pieces& plan) const;
  void lower_to(const Pieces& plan);
  static Pieces lower(const Pieces& a, const Pieces& b, u64 end);  // up to `end`

  Pieces pieces_;
};

// The curve of one segment.
class FusedCurve {
 public:
  using Point = FusedPlan;

  // `grain`: units of which every word has a whole number.
  explicit FusedCurve(u64 grain = 1) : grain_(grain) {}

  // Adds a plan that needs `buffer` units and moves `accesses`. With more room it makes its gains one after the other,
  // which must be in the order of falling savings; the words of one that is not complete leave less than a word of room
  // unused. A plan that is nowhere better than those before it changes nothing.
  void add(u64 buffer, u64 accesses, const FusedTiles& how, std::span<const Gain> gains = {});

  // The plan with the fewest accesses in `capacity` units; none when no plan fits.
  std::optional<Point> at(u64 capacity) const;

  // Capacities to draw the curve by, ascending: where it begins and breaks, and along its slopes enough of them that
  // neighbours differ by at most the part `step` of the capacity.
  std::vector<u64> capacities(double step = 1.0 / 32) const;

  bool empty() const { return curves_.empty(); }

 private:
  u64 grain_ = 1;
  // By the size of the words that gains fill, and what the buffer has besides whole ones.
  std::map<std::pair<u64, u64>, WordwiseCurve> curves_;
};

// The blocks in which the rows of a segment go through it.

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
