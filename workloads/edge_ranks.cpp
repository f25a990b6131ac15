#include "workloads/edge_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

// A rank as loops see it.
struct Line {
  int rank = 0;
  int dimension = -1;  // whose loops pass over the lines; -1: a sum that no single dimension passes over
  bool plain = true;   // the dimension alone, step by step
  u64 stride = 1, window = 1;
  u64 positions = 1;
};

// Kernels of one position are no window. In a window the line is the dimension of the output.
Line line_of(const Workload& w, int tensor, int r) {
  const Rank& rank = w.tensors[tensor].ranks[r];
  const DimensionMask in_output = w.indexing(w.output());
  Line line{.rank = r, .positions = rank_size(w, rank)};
  std::vector<Term> terms;
  std::ranges::copy_if(rank.terms, std::back_inserter(terms), [&](const Term& t) {
    return contains(in_output, t.dimension) || w.dimensions[t.dimension].size > 1;
  });
  if (terms.empty()) terms.push_back(rank.terms.front());
  line.plain = terms.size() == 1 && terms.front().coefficient == 1;
  int lines = 0;
  for (const Term& t : terms) {
    if (!line.plain && !contains(in_output, t.dimension)) {
      line.window += t.coefficient * (w.dimensions[t.dimension].size - 1);
    } else {
      line.dimension = ++lines == 1 ? t.dimension : -1;
      line.stride = t.coefficient;
    }
  }
  return line;
}

std::vector<Line> lines_of(const Workload& w, int tensor) {
  std::vector<Line> lines;
  for (std::size_t r = 0; r < w.tensors[tensor].ranks.size(); ++r) {
    lines.push_back(line_of(w, tensor, static_cast<int>(r)));
    for (std::size_t k = 0; k < r; ++k)  // a diagonal
      if (lines[k].dimension == lines[r].dimension) lines[k].dimension = lines[r].dimension = -1;
  }
  return lines;
}

u64 size(const Workload& w, int dimension) { return w.dimensions[dimension].size; }

}  // namespace

u64 positions(const Workload& w, std::span<const int> dimensions) {
  u64 product = 1;
  for (const int d : dimensions) product *= size(w, d);
  return product;
}

namespace {

std::string list_text(const Workload& w, std::span<const int> dimensions, const char* between) {
  std::vector<std::string> names;
  for (const int d : dimensions) names.push_back(yaml_scalar(w.dimensions[d].name));
  return fmt::format("{}", fmt::join(names, between));
}

// The ends of an edge with what loops see of their ranks.
class Ends {
 public:
  explicit Ends(const EdgeEnds& ends)
      : ends_(ends), made_(lines_of(*ends.maker, ends.made)), read_(lines_of(*ends.reader, ends.operand)) {}

  const std::vector<Line>& made() const { return made_; }
  const std::vector<Line>& read() const { return read_; }

  // Why the dimensions of the pair do not correspond; empty: they do. What they are then is in `match`.
  std::string pair(const RankPair& pair, RankMatch& match) const {
    match = {.maker = pair.maker, .reader = pair.reader};
    const Line* read = nullptr;
    for (const int d : pair.reader) {
      read = find(read_, d);
      if (read == nullptr) return unnamed(*ends_.reader, ends_.operand, d);
      if (!read->plain && pair.reader.size() > 1) return in_a_list(*ends_.reader, ends_.operand, d);
    }
    const Line* made = nullptr;
    for (const int d : pair.maker) {
      made = find(made_, d);
      if (made == nullptr) return unnamed(*ends_.maker, ends_.made, d);
      if (!made->plain && pair.maker.size() > 1) return in_a_list(*ends_.maker, ends_.made, d);
    }
    if (!read->plain || !made->plain) return sliding(*made, *read, pair, match);
    if (pair.maker.size() > 1 && pair.reader.size() > 1 && pair.maker.size() != pair.reader.size())
      return fmt::format("lists of {} and {} dimensions, must be equally long, or one of them a single dimension",
                         pair.maker.size(), pair.reader.size());
    const u64 all = positions(*ends_.maker, pair.maker), taken = positions(*ends_.reader, pair.reader);
    if (all == taken) return "";
    return fmt::format("{} of {} has {} positions, {} of {} {}, must be as many",
                       list_text(*ends_.maker, pair.maker, " x "), ends_.maker->name, all,
                       list_text(*ends_.reader, pair.reader, " x "), ends_.reader->name, taken);
  }

 private:
  static const Line* find(const std::vector<Line>& lines, int dimension) {
    const auto line = std::ranges::find(lines, dimension, &Line::dimension);
    return line == lines.end() ? nullptr : &*line;
  }

  static std::string unnamed(const Workload& w, int tensor, int d) {
    std::vector<std::string> names;
    for (const Line& line : lines_of(w, tensor))
      if (line.dimension >= 0) names.push_back(w.dimensions[line.dimension].name);
    return fmt::format("no loop over {} passes over a rank of {} of {}, must be {}", w.dimensions[d].name,
                       w.tensors[tensor].name, w.name, names.empty() ? "left out" : join(names, "or"));
  }

  static std::string in_a_list(const Workload& w, int tensor, int d) {
    return fmt::format("{} slides in {} of {}, must stand alone, not in a list", w.dimensions[d].name,
                       w.tensors[tensor].name, w.name);
  }

  // A rank of the reader that slides takes the lines that are made, with a border smaller than its window; its stride
  // may leave lines of the remainder. Readers of an input that slides all have to read the same lines.
  std::string sliding(const Line& made, const Line& read, const RankPair& pair, RankMatch& match) const {
    const std::string &maker = ends_.maker->name, &reader = ends_.reader->name;
    const std::string to = ends_.reader->dimensions[read.dimension].name;
    const std::string from = list_text(*ends_.maker, pair.maker, " x ");
    if (!made.plain && (!ends_.from_input || read.plain))
      return fmt::format("{} is a sum of strided dimensions in {}, must be read by a rank of the same lines", from,
                         maker);
    if (pair.maker.size() > 1)
      return fmt::format("{} slides in {}, must correspond to a single dimension of {}", to, reader, maker);
    match.slides = true;
    match.stride = read.stride;
    match.window = read.window;
    if (ends_.from_input) {
      const bool alike =
          made.positions == read.positions && size(*ends_.maker, made.dimension) == size(*ends_.reader, read.dimension);
      return alike ? ""
                   : fmt::format("{} reads {} lines, {} {}, must be the same", maker, made.positions, reader,
                                 read.positions);
    }
    match.border = read.positions > made.positions ? read.positions - made.positions : 0;
    match.divides = made.positions == read.stride * size(*ends_.reader, read.dimension);
    if (read.positions < made.positions + read.window && made.positions < read.positions + read.stride) return "";
    return fmt::format(
        "{} of {} makes {} lines, {} of {} reads {}, must be fewer than {} more (a window) or {} fewer "
        "(a stride)",
        from, maker, made.positions, to, reader, read.positions, read.window, read.stride);
  }

  EdgeEnds ends_;
  std::vector<Line> made_, read_;
};

// Ranks of one position are the same for every loop.
std::vector<Line> several(std::vector<Line> lines) {
  std::erase_if(lines, [](const Line& line) { return line.positions == 1; });
  return lines;
}

std::string sizes_text(const Workload& w, int tensor, const std::vector<Line>& lines) {
  std::vector<std::string> sizes;
  for (const Line& line : lines) {
    std::vector<std::string> names;
    for (const Term& t : w.tensors[tensor].ranks[line.rank].terms) names.push_back(w.dimensions[t.dimension].name);
    sizes.push_back(
        fmt::format("{} {}", line.plain ? w.dimensions[line.dimension].name : fmt::format("{}", fmt::join(names, "+")),
                    line.positions));
  }
  return sizes.empty() ? "one position" : fmt::format("{}", fmt::join(sizes, ", "));
}

// The ways in which ranks correspond one to one, counted up to two.
class SizeMatcher {
 public:
  explicit SizeMatcher(const EdgeEnds& ends)
      : ends_(ends), both_(ends), made_(several(both_.made())), read_(several(both_.read())) {}

  // Why there is not one way; empty: `out` is the only one.
  std::string run(std::vector<RankPair>& out) {
    if (made_.size() == read_.size()) next(0, 0);
    if (ways_ == 1) {
      out = std::move(only_);
      return "";
    }
    const char* why = ways_ == 0 ? "no ranks of fitting sizes" : "sizes leave several ways";
    return fmt::format("{}: {} to {}", why, sizes_text(*ends_.maker, ends_.made, made_),
                       sizes_text(*ends_.reader, ends_.operand, read_));
  }

 private:
  void next(std::size_t m, u32 taken) {
    if (m == made_.size()) {
      if (++ways_ == 1) only_ = pairs_;
      return;
    }
    for (std::size_t r = 0; r < read_.size() && ways_ < 2; ++r) {
      if (contains(taken, r) || made_[m].dimension < 0 || read_[r].dimension < 0) continue;
      RankMatch ignored;
      pairs_.push_back({{made_[m].dimension}, {read_[r].dimension}});
      if (both_.pair(pairs_.back(), ignored).empty()) next(m + 1, taken | u32{1} << r);
      pairs_.pop_back();
    }
  }

  EdgeEnds ends_;
  Ends both_;
  std::vector<Line> made_, read_;
  std::vector<RankPair> pairs_, only_;
  int ways_ = 0;
};

// The rank that the pairs leave out or name twice.
std::string coverage(const Workload& w, int tensor, const std::vector<Line>& lines, std::span<const RankPair> pairs,
                     std::vector<int> RankPair::*side) {
  for (const Line& line : lines) {
    std::ptrdiff_t named = 0;
    for (const RankPair& pair : pairs) named += std::ranges::count(pair.*side, line.dimension);
    const std::string_view of = w.tensors[tensor].name;
    if (line.dimension < 0 && line.positions > 1)
      return fmt::format("a rank of {} of {} is a sum that no single dimension passes over", of, w.name);
    if (line.dimension < 0 || named == 1 || (named == 0 && line.positions == 1)) continue;
    return fmt::format("{} of {} stands there {} times, must once", w.dimensions[line.dimension].name, w.name, named);
  }
  return "";
}

}  // namespace

std::optional<RankProblem> rank_problem(const EdgeEnds& ends, std::span<const RankPair> pairs) {
  const Ends both(ends);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    RankMatch ignored;
    if (std::string why = both.pair(pairs[p], ignored); !why.empty()) return RankProblem{p, std::move(why)};
  }
  std::string why = coverage(*ends.maker, ends.made, both.made(), pairs, &RankPair::maker);
  if (why.empty()) why = coverage(*ends.reader, ends.operand, both.read(), pairs, &RankPair::reader);
  if (why.empty()) return std::nullopt;
  return RankProblem{pairs.size(), std::move(why)};
}

namespace {

// What a pair of rank_problem()'s approval is to loops; `whole` is left to the edge.
RankMatch rank_match(const EdgeEnds& ends, const RankPair& pair) {
  RankMatch match;
  Ends(ends).pair(pair, match);
  return match;
}

// Pairs all ranks of more than one position if their sizes leave one way only; else says why they do not.
std::string pairs_by_size(const EdgeEnds& ends, std::vector<RankPair>& out) { return SizeMatcher(ends).run(out); }

// A tensor's ranks of more than one position, each with itself.
std::vector<RankPair> pairs_with_itself(const Workload& workload, int tensor) {
  std::vector<RankPair> pairs;
  for (const Line& line : several(lines_of(workload, tensor)))
    if (line.dimension >= 0) pairs.push_back({{line.dimension}, {line.dimension}});
  return pairs;
}

}  // namespace

std::string ranks_text(const Workload& maker, const Workload& reader, std::span<const RankPair> pairs) {
  const auto list = [](const Workload& w, const std::vector<int>& dimensions) {
    const std::string names = list_text(w, dimensions, ", ");
    return dimensions.size() == 1 ? names : "[" + names + "]";
  };
  std::vector<std::string> texts;
  for (const RankPair& pair : pairs)
    texts.push_back(fmt::format("{}: {}", list(maker, pair.maker), list(reader, pair.reader)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

namespace {

EdgeEnds ends_of(const Network& network, const EdgeRanks& ranks) {
  return {&network.layers[ranks.maker.layer].workload, ranks.maker.tensor, &network.layers[ranks.reader.layer].workload,
          ranks.reader.tensor, ranks.from_input};
}

// The layer's place in the order in which layers run; an input is there before all of them.
int made_at(const Edge& edge) { return edge.from_input ? -1 : edge.from; }

// The term of the edge's operand that is made last.
Edge last_term(const Network& network, const Edge& edge) {
  const std::vector<Edge> terms = edges_into(network, edge.to, edge.tensor);
  return *std::ranges::max_element(terms, {}, made_at);
}

bool is_same(const Edge& a, const Edge& b) {
  return std::tie(a.from, a.from_input, a.slice) == std::tie(b.from, b.from_input, b.slice);
}

}  // namespace

std::string why_not_whole(const Network& network, const Edge& edge) {
  if (edge.through.op == Operator::Pool || edge.through.op == Operator::Resize)
    return "through " + std::string(name(edge.through.op));
  if (edge.slice) return "a slice";
  if (repeats(network, edge) != Repeats::Each) return "unequal counts";
  if (edge.combine == Combine::Concat) return "one of several parts";
  return "";
}

const Edge* first_reader(std::span<const Edge> edges, int input) {
  const Edge* first = nullptr;
  for (const Edge& e : edges)
    if (e.from_input && e.from == input && reads_whole(e) &&
        (first == nullptr || std::tie(e.to, e.tensor) < std::tie(first->to, first->tensor)))
      first = &e;
  return first;
}

EdgeRanks edge_ranks(const Network& network, const Edge& edge) {
  EdgeRanks out;
  const Edge* first = edge.from_input ? first_reader(network.edges, edge.from) : nullptr;
  out.from_input = edge.from_input;
  out.reader = {edge.to, edge.tensor};
  if (edge.from_input) out.maker = first == nullptr ? out.reader : TensorPlace{first->to, first->tensor};
  else out.maker = {edge.from, network.layers[edge.from].workload.output()};
  out.op = edge.through.op;
  out.combine = edge.combine;
  out.made_last = edge.combine == Combine::Alone || is_same(last_term(network, edge), edge);
  out.why_not = why_not_whole(network, edge);
  const EdgeEnds ends = ends_of(network, out);
  if (out.why_not.empty() && ends.reader->is_read_twice(ends.operand)) out.why_not = "read at two places of one layer";
  if (!out.why_not.empty()) return out;
  std::vector<RankPair> pairs;
  if (edge.ranks.stated && edge.ranks.pairs.empty()) {
    out.why_not = "no ranks correspond, as its 'ranks' say";
  } else if (edge.ranks.stated) {
    pairs = edge.ranks.pairs;
    if (const auto problem = rank_problem(ends, pairs))
      out.why_not = fmt::format("with a batch of {}, {}", network.batch, problem->text);
  } else if (out.maker == out.reader) {
    pairs = pairs_with_itself(*ends.reader, ends.operand);
  } else {
    out.why_not = pairs_by_size(ends, pairs);
  }
  if (!out.why_not.empty()) return out;
  const DimensionMask in_output = ends.reader->indexing(ends.reader->output());
  const bool rows = out.op == Operator::Softmax || out.op == Operator::Norm;
  for (const RankPair& pair : pairs) {
    RankMatch match = rank_match(ends, pair);
    const bool one = positions(*ends.maker, pair.maker) == 1 && positions(*ends.reader, pair.reader) == 1;
    if (one && !match.slides) continue;
    match.whole = rows && std::ranges::any_of(pair.reader, [&](int d) { return !contains(in_output, d); });
    out.matches.push_back(std::move(match));
  }
  return out;
}

std::optional<EdgeRanks> joined_ranks(const Network& network, const Edge& edge) {
  if (edge.combine != Combine::Add && edge.combine != Combine::Multiply) return std::nullopt;
  EdgeRanks out = edge_ranks(network, edge);
  const Edge last = last_term(network, edge);
  if (out.made_last || last.from_input) return std::nullopt;
  const EdgeRanks of_last = edge_ranks(network, last);
  out.reader = of_last.maker;
  out.op = Operator::None;
  if (out.fused()) out.why_not = of_last.why_not;
  for (RankMatch& match : out.matches) {
    const auto same = std::ranges::find(of_last.matches, match.reader, &RankMatch::reader);
    if (match.slides && out.fused()) out.why_not = "a sum that slides in its reader";
    if (same == of_last.matches.end() && out.fused()) out.why_not = "ranks of the terms that do not correspond";
    if (same != of_last.matches.end()) match.reader = same->maker;
    match.whole = false;
  }
  if (!out.fused()) out.matches.clear();
  return out;
}

std::string ranks_text(const Network& network, const EdgeRanks& ranks) {
  const EdgeEnds ends = ends_of(network, ranks);
  std::vector<RankPair> pairs;
  for (const RankMatch& match : ranks.matches) pairs.push_back({match.maker, match.reader});
  return ranks_text(*ends.maker, *ends.reader, pairs);
}

}  // namespace heliolite
