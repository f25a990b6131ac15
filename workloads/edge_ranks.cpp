#include "workloads/edge_ranks.h"

#include <fmt/format.h>
#include <algorithm>
#include <tuple>

#include "engine/base/integers.h"

namespace heliolite {
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
