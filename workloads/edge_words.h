#pragma once
// How many words an edge brings and how many its operand takes. Neither is one number: the borders of convolutions and
// poolings are unknown, and a stride may leave lines unread.
#include <optional>
#include <string_view>

#include "workloads/network.h"

namespace heliolite {

// A range of numbers of positions or words; numbers beyond 64 bits become the largest u64.
struct WordRange {
  u64 least = 0, most = 0;

  bool meets(const WordRange& other) const { return least <= other.most && other.least <= most; }
};

// Positions of one rank: 1 + sum coefficient*(size-1).
u64 rank_size(const Workload& workload, const Rank& rank);

// The rank of a tensor that the dimension indexes.
std::optional<int> find_rank(const Workload& workload, int tensor, std::string_view dimension);

// The ranks of lines and columns, as a mask: those with a dimension that slides in some tensor.
u32 image_ranks(const Workload& workload, int tensor);

// Positions of an array that a rank of an operand e = stride*(p-1) + window wide reads: at least e - 2*(window-1) (the
// border on either side is smaller than the window) and at most e + stride-1 (the remainder of the stride).
WordRange read_width(const Workload& workload, const Rank& rank);

// Words that an array may have to be the operand: read_width() of all ranks together.
WordRange wanted_words(const Workload& workload, int operand);

// Words that the edge, with its slice and operator, and joined or divided among repetitions, makes of a tensor (an
// output, or an operand that is read as a whole). A pooling without a stated pad may have any up to window-1 on either
// side, and round up or down.
WordRange made_words(const Workload& workload, int tensor, const Edge& edge);

}  // namespace heliolite
