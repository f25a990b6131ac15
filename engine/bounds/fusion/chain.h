#pragma once
// A chain of Einsums, each row of whose intermediates can be made from few rows before it: what fusion works on.
// Definitions: docs/rules/fusion.md.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "workloads/network.h"
#include "workloads/word_bits.h"

namespace heliolite {

// One Einsum as an operator on rows: the fed operand comes in rows, the output leaves in rows, one more
// operand at most (weights, keys, values) is shared by all rows of a group. Rows of a GEMM that is fed its B[K,N] are
// the columns n; rows of a convolution are lines of pixels, and neighbouring lines of its output share lines of the
// operand.
struct ChainLink {
  std::string name;
  int layer = 0;       // index in the network
  int input = 0;       // the fed operand, a tensor of the layer
  u64 rows = 1;        // of the output, all groups together
  u64 input_rows = 1;  // of the operand
  u64 groups = 1;      // sets of rows with weights of their own: heads of an attention
  u64 input_words = 0, weight_words = 0, output_words = 0;  // of all rows and groups
  u64 input_size = 1, weight_size = 1, output_size = 1;     // units of the chain in one of these words
  u64 input_columns = 1, output_columns = 1;  // parts of a row that can be used, or made, one after the other
  bool slides = false;                        // a row is a line of pixels and not made of smaller rows
  u64 pictures = 1;                           // pictures that the lines belong to, one picture after the other
  u64 stride = 1;                             // rows of the operand from one row of the output to the next
  u64 overlap = 0;                            // rows of the operand that two neighbouring rows of the output share
  Operator before = Operator::None;           // between the previous link's output and the operand
};

struct Chain {
  std::vector<ChainLink> links;  // each feeds the next
  u64 count = 1;                 // how often the network runs it
  WordUnit unit{};               // of the sizes of its links' words
};

// The Einsum as an operator on the rows of its operand `input`: each dimension of the operand is one of the output's
// rows, is reduced, or counts groups; or, with sliding ranks, one of them slides over the rows. None if it is no such
// operator. Sizes of words are in `unit`.
std::optional<ChainLink> chain_link(const Workload& workload, int input, const WordUnit& unit = {});

// An edge between layers that joins no two links of a chain, by the names of its ends, and why in a few words.
struct UnfusedEdge {
  std::string from, to, tensor, because;
};
std::vector<UnfusedEdge> unfused_edges(const Network& network);

// All layers in chains along the network's edges, single layers included; see layer_paths(). `unit`: that of the
// network, word_unit().
std::vector<Chain> find_chains(const Network& network, const WordUnit& unit = {});

// Words that sums and products of several arrays (residuals, gates) move in addition to the Einsums of a network.

// What one run of the network moves, fused or not, for operands that are sums or products of several arrays (residuals,
// gates), in `unit`: the layer that makes one of these arrays last adds the others as its own words leave, so each of
// the others is read once, in words of the output that it is or, of an input, of the operand. Where other layers need
// that layer's own words too, the result is stored as well. Of several layers that may be last it is the one whose
// output a chain passes on, else one with the largest words. Operands of the same arrays are made together. What is
// stored word by word passes no buffer.
u64 joined_words(const Network& network, std::span<const Chain> chains, const WordUnit& unit);

}  // namespace heliolite
