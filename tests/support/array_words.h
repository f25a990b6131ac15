#pragma once
// The words of arrays that several links touch, as coordinates: which of them a part of a link touches, and when one is
// complete. For executions that keep words one by one.
#include <vector>

#include "engine/network/link_graph.h"

namespace heliolite::testing {

using ArrayWord = std::vector<i64>;  // along the ranks of the array's first touch

// The part of a link that runs.
struct LinkPart {
  LinkSizes base, size;  // [dimension]
};

class ArrayWords {
 public:
  explicit ArrayWords(const LinkGraph& graph) : graph_(graph) {}

  // The box of a tensor's words in a part of its link, in the array's coordinates: those of its first touch.
  std::vector<ArrayWord> box(const ArrayTouch& t, const LinkPart& place) const {
    const Workload& link = graph_.link(t.link);
    std::vector<ArrayWord> words{{}};
    for (const Rank& rank : link.tensors[at(t.tensor)].ranks) {
      u64 low = 0;
      for (const Term& term : rank.terms) low += term.coefficient * place.base[at(term.dimension)];
      std::vector<ArrayWord> longer;
      for (const ArrayWord& word : words)
        for (u64 x = 0; x < rank_extent(rank, place.size); ++x) {
          longer.push_back(word);
          longer.back().push_back(static_cast<i64>(low + x));
        }
      words = std::move(longer);
    }
    for (ArrayWord& word : words) word = in_array(t, word);
    return words;
  }
  ArrayWord in_array(const ArrayTouch& t, const ArrayWord& word) const {
    const ArrayTouch& first = graph_.array(array_index(t)).touches.front();
    if (&first == &t) return word;
    const Workload &own = graph_.link(t.link), &other = graph_.link(first.link);
    ArrayWord out(other.tensors[at(first.tensor)].ranks.size(), 0);
    for (const CommonRank& r : t.ranks) {
      i64 position = 0;
      for (const int d : r.own)
        position = position * static_cast<i64>(own.dimensions[at(d)].size) + word[at(*rank_with(own, t.tensor, d))];
      position -= static_cast<i64>(r.border);
      for (std::size_t k = r.array.size(); k-- > 0;) {
        const auto size = static_cast<i64>(other.dimensions[at(r.array[k])].size);
        const int rank = *rank_with(other, first.tensor, r.array[k]);
        out[at(rank)] = k == 0 ? position : position % size;
        if (k > 0) position /= size;
      }
    }
    return out;
  }
  // Lines before the first or behind the last that are made read as zero.
  bool is_border(int a, const ArrayWord& word) const {
    if (!graph_.array(a).maker) return false;
    const ArrayTouch& first = graph_.array(a).touches.front();
    const LinkSizes sizes = sizes_of(graph_.link(first.link));
    const std::vector<Rank>& ranks = graph_.link(first.link).tensors[at(first.tensor)].ranks;
    for (std::size_t r = 0; r < word.size(); ++r)
      if (word[r] < 0 || word[r] >= static_cast<i64>(rank_extent(ranks[r], sizes))) return true;
    return false;
  }
  // Contributions that make a word complete: iterations of what its maker reduces.
  u64 complete(int a) const {
    const Workload& maker = graph_.link(*graph_.array(a).maker);
    u64 all = 1;
    for (std::size_t d = 0; d < maker.dimensions.size(); ++d)
      if (!has_dimension(maker, maker.output(), static_cast<int>(d))) all *= maker.dimensions[d].size;
    return all;
  }

 private:
  int array_index(const ArrayTouch& t) const {
    for (std::size_t a = 0; a < graph_.arrays.size(); ++a)
      for (const ArrayTouch& other : graph_.arrays[a].touches)
        if (&other == &t) return static_cast<int>(a);
    return -1;
  }

  const LinkGraph& graph_;
};

}  // namespace heliolite::testing
