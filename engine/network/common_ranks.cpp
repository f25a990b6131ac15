#include "engine/network/common_ranks.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/mapped.h"
#include "engine/base/text.h"

namespace heliolite {

LinkSizes sizes_of(const Workload& link) { return mapped(link.dimensions, &Dimension::size); }

u64 rank_extent(const Rank& rank, const LinkSizes& sizes) {
  u64 out = 1;
  for (const Term& term : rank.terms) out += term.coefficient * (sizes[term.dimension] - 1);
  return out;
}

u64 tile_words(const Workload& link, int v, const LinkSizes& sizes) {
  u64 words = 1;
  for (const Rank& rank : link.tensors[v].ranks) words *= rank_extent(rank, sizes);
  return words;
}

namespace {

u64 coefficient_of(const Rank& rank, int dimension) {
  u64 sum = 0;
  for (const Term& term : rank.terms)
    if (term.dimension == dimension) sum += term.coefficient;
  return sum;
}

// Positions along the rank that one step of its line sees.
u64 window_of(const Workload& link, const Rank& rank, int line) {
  u64 out = 1;
  for (const Term& term : rank.terms)
    if (term.dimension != line) out += term.coefficient * (link.dimensions[term.dimension].size - 1);
  return out;
}

// Whether some rank of an operand that slides has the dimension, as `line` of it or not.
bool is_in_sliding_rank(const Workload& link, int dimension, bool line) {
  for (int v = 0; v < static_cast<int>(link.tensors.size()); ++v) {
    const Tensor& tensor = link.tensors[v];
    if (tensor.is_output()) continue;
    for (int r = 0; r < static_cast<int>(tensor.ranks.size()); ++r) {
      if (is_plain(link, v, r) || coefficient_of(tensor.ranks[at(r)], dimension) == 0) continue;
      if ((line_dimension(link, v, r) == dimension) == line) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<int> rank_with(const Workload& link, int v, int dimension) {
  const std::vector<Rank>& ranks = link.tensors[v].ranks;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    if (coefficient_of(ranks[r], dimension) != 0) return static_cast<int>(r);
  return std::nullopt;
}

bool has_dimension(const Workload& link, int v, int dimension) { return rank_with(link, v, dimension).has_value(); }

bool is_plain(const Workload& link, int v, int rank) {
  const Rank& r = link.tensors[v].ranks[rank];
  const auto line = line_dimension(link, v, rank);
  return line && coefficient_of(r, *line) == 1 && window_of(link, r, *line) == 1;
}

std::optional<int> line_dimension(const Workload& link, int v, int rank) {
  const Rank& r = link.tensors[v].ranks[rank];
  if (r.terms.size() == 1 && r.terms[0].coefficient == 1) return r.terms[0].dimension;
  std::optional<int> line;
  for (const Term& term : r.terms) {
    if (!has_dimension(link, link.output(), term.dimension) || line == term.dimension) continue;
    if (line) return std::nullopt;
    line = term.dimension;
  }
  return line;
}

bool is_in_window(const Workload& link, int dimension) { return is_in_sliding_rank(link, dimension, false); }
bool counts_windows(const Workload& link, int dimension) { return is_in_sliding_rank(link, dimension, true); }

std::vector<CommonRank> own_ranks(const Workload& link, int v) {
  std::vector<CommonRank> out;
  const std::vector<Rank>& ranks = link.tensors[v].ranks;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto line = line_dimension(link, v, static_cast<int>(r));
    if (!line) continue;
    CommonRank& rank = out.emplace_back();
    rank.array = rank.own = {*line};
    if (is_plain(link, v, static_cast<int>(r))) continue;
    rank.slides = true;
    rank.stride = coefficient_of(ranks[r], *line);
    rank.window = window_of(link, ranks[r], *line);
  }
  return out;
}

namespace {

// Finds out how the ranks of two tensors correspond.
class RankMatcher {
 public:
  RankMatcher(LinkTensor first, bool from_input, LinkTensor reader)
      : first_(first), reader_(reader), from_input_(from_input), reads_(own_ranks(*reader.link, reader.tensor)) {}

  // Completes the pair of lists. False: these are no corresponding ranks.
  bool complete(CommonRank& rank) const {
    if (rank.array.empty() || rank.own.empty()) return false;
    if (rank.own.size() == 1) {
      const auto r = rank_with(*reader_.link, reader_.tensor, rank.own[0]);
      if (!r) return false;
      if (!is_plain(*reader_.link, reader_.tensor, *r)) return complete_sliding(rank, (*reader_).ranks[*r]);
    }
    if (!all_plain(reader_, rank.own) || !all_plain(first_, rank.array)) return false;
    if (rank.array.size() > 1 && rank.own.size() > 1 && rank.array.size() != rank.own.size()) return false;
    return product(first_, rank.array) == product(reader_, rank.own);
  }

  std::vector<CommonRank> by_statement(const std::vector<StatedPair>& pairs, std::string& why_not) const {
    std::vector<CommonRank> out;
    for (const StatedPair& pair : pairs) {
      CommonRank rank;
      rank.array = pair.maker;
      rank.own = pair.reader;
      if (!complete(rank)) {
        why_not = fmt::format("{} of {} and {} of {} are not the same rank", names(first_, pair.maker), text(first_),
                              names(reader_, pair.reader), text(reader_));
        return {};
      }
      out.push_back(std::move(rank));
    }
    const auto complain = [&](LinkTensor t, int dimension) {
      why_not = fmt::format("no stated rank has {} of {}", t.link->dimensions[dimension].name, text(t));
    };
    for (const int d : lines(first_))
      if (!covered(out, &CommonRank::array, d)) return complain(first_, d), std::vector<CommonRank>{};
    for (const int d : lines(reader_))
      if (!covered(out, &CommonRank::own, d)) return complain(reader_, d), std::vector<CommonRank>{};
    return out;
  }

  std::vector<CommonRank> by_size(std::string& why_not) const {
    const std::vector<int> made = lines(first_), read = lines(reader_);
    std::vector<CommonRank> found, chosen;
    int ways = 0;
    if (made.size() == read.size()) pair_up(made, read, 0, chosen, found, ways);
    if (ways == 1) return found;
    why_not = fmt::format("by their sizes the ranks of {} and {} correspond in {}", text(first_), text(reader_),
                          ways == 0 ? "no way" : "more than one way");
    return {};
  }

 private:
  // Windows along one rank: the border of the operand stands before its first line.
  bool complete_sliding(CommonRank& rank, const Rank& read) const {
    if (rank.array.size() != 1) return false;
    const auto own = std::ranges::find(reads_, rank.own, &CommonRank::own);
    if (own == reads_.end() || !own->slides) return false;
    rank.slides = true;
    rank.stride = own->stride;
    rank.window = own->window;
    const auto r = rank_with(*first_.link, first_.tensor, rank.array[0]);
    if (!r) return false;
    const u64 wanted = rank_extent(read, sizes_of(*reader_.link));
    const u64 steps = reader_.link->dimensions[rank.own[0]].size;
    const u64 made = first_.link->dimensions[rank.array[0]].size;
    const Rank& source = (*first_).ranks[*r];
    if (from_input_) return rank_extent(source, sizes_of(*first_.link)) == wanted && made == steps;
    if (!is_plain(*first_.link, first_.tensor, *r)) return false;
    rank.border = wanted > made ? wanted - made : 0;
    rank.divides = made == rank.stride * steps;
    return wanted < made + rank.window && made < wanted + rank.stride;
  }

  // All ways of pairing made[k ..] with what is left of `read`; the search ends at the second.
  void pair_up(const std::vector<int>& made, const std::vector<int>& read, std::size_t k,
               std::vector<CommonRank>& chosen, std::vector<CommonRank>& found, int& ways) const {
    if (ways > 1) return;
    if (k == made.size()) {
      ++ways;
      found = chosen;
      return;
    }
    for (const int d : read) {
      CommonRank rank;
      rank.array = {made[k]};
      rank.own = {d};
      if (covered(chosen, &CommonRank::own, d) || !complete(rank)) continue;
      chosen.push_back(rank);
      pair_up(made, read, k + 1, chosen, found, ways);
      chosen.pop_back();
    }
  }

  static bool covered(const std::vector<CommonRank>& ranks, std::vector<int> CommonRank::*side, int d) {
    return std::ranges::any_of(ranks, [&](const CommonRank& r) { return std::ranges::count(r.*side, d) != 0; });
  }
  // The dimensions that count the positions of ranks, of one position left out.
  static std::vector<int> lines(LinkTensor t) {
    std::vector<int> out;
    const LinkSizes sizes = sizes_of(*t.link);
    for (std::size_t r = 0; r < (*t).ranks.size(); ++r) {
      const auto line = line_dimension(*t.link, t.tensor, static_cast<int>(r));
      if (rank_extent((*t).ranks[r], sizes) > 1) out.push_back(line ? *line : (*t).ranks[r].terms[0].dimension);
    }
    return out;
  }
  static bool all_plain(LinkTensor t, const std::vector<int>& dimensions) {
    return std::ranges::all_of(dimensions, [&](int d) {
      const auto r = rank_with(*t.link, t.tensor, d);
      return r && is_plain(*t.link, t.tensor, *r);
    });
  }
  static u64 product(LinkTensor t, const std::vector<int>& dimensions) {
    u64 out = 1;
    for (const int d : dimensions) out = saturating_product(out, t.link->dimensions[d].size);
    return out;
  }
  static std::string names(LinkTensor t, const std::vector<int>& dimensions) {
    return join(mapped(dimensions, [&](const int d) { return t.link->dimensions[d].name; }));
  }
  static std::string text(LinkTensor t) { return fmt::format("{}.{}", t.link->name, (*t).name); }

  LinkTensor first_, reader_;
  bool from_input_;
  std::vector<CommonRank> reads_;  // ranks of the reader's operand
};

}  // namespace

std::vector<CommonRank> common_ranks(LinkTensor first, bool from_input, LinkTensor reader,
                                     const std::optional<std::vector<StatedPair>>& stated, std::string& why_not) {
  const RankMatcher matcher(first, from_input, reader);
  if (!stated) return matcher.by_size(why_not);
  if (stated->empty()) why_not = "it is stated that none of its ranks correspond";
  return matcher.by_statement(*stated, why_not);
}

}  // namespace heliolite
