#pragma once
// Which ranks of a layer's output are which ranks of the operand that it becomes: over those alone a loop around both
// layers makes and reads the same part of the tensor.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workloads/graph.h"
#include "workloads/network.h"
#include "workloads/rank_pairs.h"

namespace heliolite {

// What an edge lets a loop around both of its layers do.
struct EdgeRanks {
  TensorPlace maker;   // the tensor that is passed on: a layer's output; of an input, the operand of its first reader
  TensorPlace reader;  // who takes it: an operand of a layer
  bool from_input = false;
  Operator op = Operator::None;
  Combine combine = Combine::Alone;
  bool made_last = true;  // of the terms of a sum or product the one that is made last; true of an edge alone
  // Every rank of more than one position is in one of these. Empty if the edge is not fused.
  std::vector<RankMatch> matches;
  std::string why_not;  // in a few words, why no loop goes around both layers; empty if one may

  bool fused() const { return why_not.empty(); }
};

// By the edge's own `ranks`; without them ranks correspond if their sizes leave one way only.
EdgeRanks edge_ranks(const Network& network, const Edge& edge);

// Where a sum or product has several terms, each but the one made last is read by the layer that makes the last one,
// word by word as that layer's output leaves. `reader` is then the output of that layer, with the ranks that the term
// and the last one have in common by way of the operand. Of any other edge nothing.
std::optional<EdgeRanks> joined_ranks(const Network& network, const Edge& edge);

// Why the edge passes on another tensor than the one that is made, so that ranks cannot correspond: a pooling, a slice,
// unequal counts, .. Empty if it passes it on as it is.
std::string why_not_whole(const Network& network, const Edge& edge);

// The edge along which the first layer reads the input as it is, of a network's edges in any order. Null: none.
const Edge* first_reader(std::span<const Edge> edges, int input);

// "M: [H, K], N: M", as files have it.
std::string ranks_text(const Network& network, const EdgeRanks& ranks);

}  // namespace heliolite
