#pragma once
// The blocks in which the rows of a segment go through it.
#include <vector>

#include "engine/base/types.h"
#include "engine/bounds/fusion/fusion_rows.h"

namespace heliolite {

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

}  // namespace heliolite
