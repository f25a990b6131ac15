#pragma once
// Which ranks of a layer's output are which ranks of the operand that it becomes: by their sizes, by what is stated,
// and as far as windows and strides that slide over them allow.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workloads/graph.h"
#include "workloads/network.h"

namespace heliolite {

// The tensors at both ends of an edge.
struct EdgeEnds {
  const Workload* maker = nullptr;
  int made = 0;
  const Workload* reader = nullptr;
  int operand = 0;
  bool from_input = false;
};

// Corresponding dimensions of the maker and of the reader, in each list the outermost first: flattened, both lists
// count the same positions.
struct RankMatch {
  std::vector<int> maker, reader;
  // Where the reader's rank is stride * dimension + window: how far a step goes, and how many lines a step reads.
  bool slides = false;
  u64 stride = 1, window = 1;
  // Lines that the operand has beyond those that are made: its border, which stands before the first line.
  u64 border = 0;
  // A loop around both layers may be over the dimensions; of a rank that slides only if stride * dimension lines are
  // made.
  bool divides = true;
  // The reader needs the rank as a whole: it reduces along it, behind a softmax or a normalisation.
  bool whole = false;
};

// What is wrong with stated ranks, each sentence with the place of its pair, or as many pairs as there are where it is
// about all together. Names have been found: dimensions index the tensors.
struct RankProblem {
  std::size_t pair = 0;
  std::string text;
};
std::optional<RankProblem> rank_problem(const EdgeEnds& ends, std::span<const RankPair> pairs);

// Positions of dimensions that are flattened.
u64 positions(const Workload& workload, std::span<const int> dimensions);

// "M: [H, K], N: M", as files have it.
std::string ranks_text(const Workload& maker, const Workload& reader, std::span<const RankPair> pairs);

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
