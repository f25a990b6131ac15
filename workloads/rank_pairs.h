#pragma once
// Which ranks of one tensor may be which of another: by their sizes, and as far as windows and strides that slide over
// them allow.
#include <optional>
#include <span>
#include <string>
#include <vector>

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

// What a pair of rank_problem()'s approval is to loops; `whole` is left to the edge.
RankMatch rank_match(const EdgeEnds& ends, const RankPair& pair);

// Pairs all ranks of more than one position if their sizes leave one way only; else says why they do not.
std::string pairs_by_size(const EdgeEnds& ends, std::vector<RankPair>& out);

// Positions of dimensions that are flattened.
u64 positions(const Workload& workload, std::span<const int> dimensions);

// A tensor's ranks of more than one position, each with itself.
std::vector<RankPair> pairs_with_itself(const Workload& workload, int tensor);

// "M: [H, K], N: M", as files have it.
std::string ranks_text(const Workload& maker, const Workload& reader, std::span<const RankPair> pairs);

}  // namespace heliolite
