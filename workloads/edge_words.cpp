#include "workloads/edge_words.h"

#include <algorithm>
#include <limits>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr u64 kMany = std::numeric_limits<u64>::max();

u64 times(u64 a, u64 b) { return b != 0 && a > kMany / b ? kMany : a * b; }

WordRange times(const WordRange& a, const WordRange& b) { return {times(a.least, b.least), times(a.most, b.most)}; }

WordRange pooled(u64 size, const Through& pool) {
  const auto windows = [&](u64 pad, bool up) {
    const u64 all = size + 2 * pad;
    if (all < pool.window) return u64{1};
    const u64 steps = all - pool.window;
    return 1 + (up ? ceil_div(steps, pool.stride) : steps / pool.stride);
  };
  return {windows(pool.pad.value_or(0), false), windows(pool.pad.value_or(pool.window - 1), true)};
}

}  // namespace

u64 rank_size(const Workload& workload, const Rank& rank) {
  u64 size = 1;
  for (const Term& term : rank.terms) size += term.coefficient * (workload.dimensions[at(term.dimension)].size - 1);
  return size;
}

std::optional<int> find_rank(const Workload& workload, int tensor, std::string_view dimension) {
  const std::vector<Rank>& ranks = workload.tensors[at(tensor)].ranks;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    for (const Term& term : ranks[r].terms)
      if (workload.dimensions[at(term.dimension)].name == dimension) return static_cast<int>(r);
  return std::nullopt;
}

u32 image_ranks(const Workload& workload, int tensor) {
  DimensionMask slides = 0;
  for (const Tensor& t : workload.tensors)
    for (const Rank& rank : t.ranks)
      for (const Term& term : rank.terms)
        if (rank.terms.size() > 1) slides |= dimension_bit(term.dimension);
  u32 mask = 0;
  const std::vector<Rank>& ranks = workload.tensors[at(tensor)].ranks;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    if (std::ranges::any_of(ranks[r].terms, [&](const Term& t) { return contains(slides, t.dimension); }))
      mask |= u32{1} << r;
  return mask;
}

WordRange read_width(const Workload& workload, const Rank& rank) {
  const DimensionMask in_output = workload.indexing(workload.output());
  const u64 extent = rank_size(workload, rank);
  u64 window = 1, stride = 0;
  for (const Term& term : rank.terms) {
    if (contains(in_output, term.dimension)) {
      stride = stride == 0 ? term.coefficient : std::min(stride, term.coefficient);
    } else {
      window += term.coefficient * (workload.dimensions[at(term.dimension)].size - 1);
    }
  }
  const u64 border = 2 * (window - 1);
  if (rank.terms.size() < 2 && stride <= 1) return {extent, extent};
  return {extent > border ? extent - border : 1, extent + std::max<u64>(stride, 1) - 1};
}

WordRange wanted_words(const Workload& workload, int operand) {
  WordRange words{1, 1};
  for (const Rank& rank : workload.tensors[at(operand)].ranks) words = times(words, read_width(workload, rank));
  return words;
}

WordRange made_words(const Workload& workload, int tensor, const Edge& edge) {
  WordRange words{1, 1};
  const std::vector<Rank>& ranks = workload.tensors[at(tensor)].ranks;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const bool sliced = edge.slice && edge.slice->rank == static_cast<int>(r);
    const u64 size = sliced ? edge.slice->words : rank_size(workload, ranks[r]);
    WordRange width{size, size};
    if (contains(edge.through.ranks, r)) {
      if (edge.through.op == Operator::Pool) width = pooled(size, edge.through);
      if (edge.through.op == Operator::Resize) width.least = width.most = times(size, edge.through.factor);
    }
    words = times(words, width);
  }
  return {times(words.least, edge.outputs) / edge.shares, times(words.most, edge.outputs) / edge.shares};
}

}  // namespace heliolite
