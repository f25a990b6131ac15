// Checks edges of a network: the sizes of both ends must fit, with what slices and operators between them do.
#include "workloads/network_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/edge_ranks.h"
#include "workloads/graph.h"

namespace heliolite {
namespace {

std::string shown(const WordRange& words) {
  return words.least == words.most ? fmt::format("{}", words.least) : fmt::format("{} to {}", words.least, words.most);
}

class EdgeChecker {
 public:
  EdgeChecker(std::vector<EdgeText> edges, Network& network, Diagnostics& errors)
      : edges_(std::move(edges)), network_(network), errors_(errors), readers_(network.inputs.size()) {}

  void run() {
    const std::size_t before = errors_.size();
    size_inputs();
    if (errors_.size() != before) return;
    for (EdgeText& e : edges_) {
      find_ranks(e);
      count(e);
    }
    if (errors_.size() != before) return;
    for (EdgeText& e : edges_) words(e);
    for (EdgeText& e : edges_) network_.edges.push_back(e.edge);
    if (errors_.size() != before) return;
    for (std::size_t i = 0; i < edges_.size(); ++i)
      if (edges_[i].ranks) correspond(edges_[i], network_.edges[network_.edges.size() - edges_.size() + i]);
  }

 private:
  // A tensor of a layer: what an edge comes from, or leads into.
  struct Place {
    const Workload* workload = nullptr;
    int tensor = 0;
  };

  void error(const YamlNode& node, std::string text) { errors_.push_back(node.error(std::move(text))); }
  const Layer& layer(int l) const { return network_.layers[l]; }
  const Workload& consumer(const EdgeText& e) const { return layer(e.edge.to).workload; }
  std::string operand(const EdgeText& e) const {
    return consumer(e).tensors[e.edge.tensor].name + " of " + consumer(e).name;
  }

  // An input is what its smallest reader reads.
  Place source(const Edge& e) const {
    if (e.from_input) return readers_[e.from];
    const Workload& producer = layer(e.from).workload;
    return {&producer, producer.output()};
  }
  std::string source_name(const Edge& e) const {
    return e.from_input ? network_.inputs[e.from].name : layer(e.from).workload.name;
  }

  void size_inputs() {
    for (const EdgeText& e : edges_) {
      if (!e.edge.from_input || !reads_whole(e.edge)) continue;
      Input& input = network_.inputs[e.edge.from];
      const u64 words = consumer(e).tensor_words(e.edge.tensor);
      if (input.words != 0 && input.words <= words) continue;
      input.words = words;
      readers_[e.edge.from] = {&consumer(e), e.edge.tensor};
    }
    for (const EdgeText& e : edges_)
      if (e.edge.from_input && network_.inputs[e.edge.from].words == 0)
        return error(e.node, fmt::format("{} is only pooled, resized or joined to others: nothing says its size, some "
                                         "operand must read it as it is",
                                         source_name(e.edge)));
  }

  // Complains where the tensor has no such rank.
  int rank_of(const Place& place, const RankName& rank) {
    if (const auto r = find_rank(*place.workload, place.tensor, rank.name)) return *r;
    std::string known;
    for (const Rank& r : place.workload->tensors[place.tensor].ranks)
      for (const Term& term : r.terms)
        known += (known.empty() ? "" : ", ") + place.workload->dimensions[term.dimension].name;
    error(rank.node, fmt::format("{} of {} has no rank '{}', only {}", place.workload->tensors[place.tensor].name,
                                 place.workload->name, shortened(rank.name), known));
    return 0;
  }

  void find_ranks(EdgeText& e) {
    const Place from = source(e.edge);
    Through& through = e.edge.through;
    const bool image = through.op == Operator::Pool || through.op == Operator::Resize;
    for (const RankName& rank : e.through_ranks) through.ranks |= u32{1} << rank_of(from, rank);
    if (image && e.through_ranks.empty()) through.ranks = image_ranks(*from.workload, from.tensor);
    if (image && through.ranks == 0)
      error(e.node, fmt::format("{} has no lines and columns; name its ranks, as in {{{}: {{.., ranks: [{}]}}}}",
                                source_name(e.edge), name(through.op), from.workload->dimensions.back().name));
    if (e.combine && e.combine->along) e.edge.along = rank_of({&consumer(e), e.edge.tensor}, *e.combine->along);
    if (e.slice) slice(e, from);
    if (through.op == Operator::Pool && through.pad) pool(e, from);
  }

  void slice(EdgeText& e, const Place& from) {
    if (e.edge.from_input)
      return error(e.node,
                   fmt::format("slice: {} is an input, only outputs of layers have parts", source_name(e.edge)));
    Slice part = e.slice->slice;
    part.rank = rank_of(from, e.slice->rank);
    const u64 size = rank_size(*from.workload, from.workload->tensors[from.tensor].ranks[part.rank]);
    if (part.from + part.words > size)
      error(e.node, fmt::format("slice: {} words from {} on, rank {} of {} has {}", part.words, part.from,
                                shortened(e.slice->rank.name), source_name(e.edge), size));
    e.edge.slice = part;
  }

  void pool(const EdgeText& e, const Place& from) {
    const Through& pool = e.edge.through;
    const std::vector<Rank>& ranks = from.workload->tensors[from.tensor].ranks;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const u64 size = rank_size(*from.workload, ranks[r]) + 2 * *pool.pad;
      if (contains(pool.ranks, r) && size < pool.window)
        error(e.node, fmt::format("pool: a window of {} in a rank of {}, border included", pool.window, size));
    }
  }

  // Repetition i of a layer feeds repetition i of the next, or the counts are multiples; inputs are one array each.
  void count(const EdgeText& e) {
    const auto complain = [&](const Layer& a, const Layer& b, const char* hint) {
      error(e.node, fmt::format("{} is executed {} times and {} {} times, must be equally often{}", a.workload.name,
                                a.count, b.workload.name, b.count, hint));
    };
    const Layer& to = layer(e.edge.to);
    if (!e.edge.from_input) {
      const Layer& from = layer(e.edge.from);
      if (from.count == to.count) return;
      if (e.edge.combine != Combine::Alone || e.slice)
        return complain(from, to, ": the edge is a slice, or one of several into an operand");
      if (from.count % to.count != 0 && to.count % from.count != 0)
        complain(from, to, ", or one a multiple of the other");
      return;
    }
    if (network_.inputs[e.edge.from].same_in_repeats) return;
    for (const EdgeText& other : edges_) {
      if (&other == &e) return;
      const bool same = other.edge.from_input && other.edge.from == e.edge.from;
      if (same && layer(other.edge.to).count != to.count)
        return complain(layer(other.edge.to), to, " to read one input; or the input is {.., same_in_repeats: true}");
    }
  }

  // Layers may have unequal counts: as many words as the operand has are one output, as many times more or fewer as the
  // counts differ are joined or divided ones.
  bool joins_repetitions(Edge& edge, const WordRange& made, const WordRange& wanted) {
    if (edge.from_input) return false;
    const u64 from = layer(edge.from).count, to = layer(edge.to).count;
    if (from == to) return false;
    Edge other = edge;
    if (from > to) other.outputs = from / to;
    else other.shares = to / from;
    if (made.least == made.most && made.least % other.shares != 0) return false;
    const Place place = source(edge);
    if (!made_words(*place.workload, place.tensor, other).meets(wanted)) return false;
    edge = other;
    return true;
  }

  // What else the edge could bring if one of its layers is executed more often.
  std::string other_words(const Edge& e, const WordRange& made) const {
    const u64 from = e.from_input ? 1 : layer(e.from).count, to = e.from_input ? 1 : layer(e.to).count;
    if (from > to) {
      const u64 joined = from / to;
      return fmt::format(" ({} repetitions joined, {})", joined,
                         shown(WordRange{made.least * joined, made.most * joined}));
    }
    if (from == to) return "";
    const u64 shares = to / from;
    return fmt::format(" (divided among {} repetitions, {})", shares,
                       shown(WordRange{made.least / shares, made.most / shares}));
  }

  void words(EdgeText& e) {
    if (e.edge.combine == Combine::Concat) return concatenated(e);
    const Place from = source(e.edge);
    const WordRange made = made_words(*from.workload, from.tensor, e.edge);
    const WordRange wanted = wanted_words(consumer(e), e.edge.tensor);
    if (made.meets(wanted) || joins_repetitions(e.edge, made, wanted)) return;
    std::string text = fmt::format("{} {} {} words", source_name(e.edge), e.edge.from_input ? "has" : "makes",
                                   from.workload->tensor_words(from.tensor));
    text += other_words(e.edge, made);
    const bool changed = e.slice || e.edge.through.ranks != 0;
    if (changed) text += fmt::format(", {} after {}", shown(made), e.slice ? "slice" : name(e.edge.through.op));
    text += fmt::format(", {} has {}{}, must be as many", operand(e), shown(wanted),
                        wanted.least == wanted.most ? "" : " without its border");
    if (!changed && wanted.least != wanted.most)
      text += ", or say what lies between: through: {pool: {k: 3, stride: 2}}";
    error(e.node, text);
  }

  // The ranks that the edge states. With a batch sizes are others than those that they were stated for: then the edge
  // is only not fused (edge_ranks()).
  void correspond(const EdgeText& e, Edge& edge) {
    const std::vector<RankPairText>& texts = e.ranks->pairs;
    const bool whole = reads_whole(edge) && edge.outputs == 1 && edge.shares == 1;
    if (!whole && !texts.empty())
      return error(e.ranks->node,
                   fmt::format("ranks: {} is not the tensor as it is made ({}), must be left out or {{}}", operand(e),
                               why_not_whole(network_, edge)));
    const Edge* first = edge.from_input ? first_reader(network_.edges, edge.from) : nullptr;
    Place from = source(edge);
    if (first != nullptr) from = {&layer(first->to).workload, first->tensor};
    const std::size_t before = errors_.size();
    std::vector<RankPair> pairs;
    for (const RankPairText& text : texts) {
      RankPair& pair = pairs.emplace_back();
      for (const RankName& name : text.maker) pair.maker.push_back(dimension_of(from, name));
      for (const RankName& name : text.reader) pair.reader.push_back(dimension_of({&consumer(e), edge.tensor}, name));
    }
    if (errors_.size() != before) return;
    const EdgeEnds ends{from.workload, from.tensor, &consumer(e), edge.tensor, edge.from_input};
    const auto problem = pairs.empty() ? std::nullopt : rank_problem(ends, pairs);
    if (problem && network_.batch == 1) {
      const bool all = problem->pair == pairs.size();
      error(all ? e.ranks->node : texts[problem->pair].reader.front().node, "ranks: " + problem->text);
    }
    edge.ranks = {true, std::move(pairs)};
  }

  // Complains where the tensor has no such rank.
  int dimension_of(const Place& place, const RankName& rank) {
    rank_of(place, rank);
    return place.workload->find_dimension(rank.name).value_or(0);
  }

  // All parts of the operand together, at the last of them.
  void concatenated(const EdgeText& e) {
    const Workload& to = consumer(e);
    u64 position = 1;  // words of one position along the rank, where that is known
    const std::vector<Rank>& ranks = to.tensors[e.edge.tensor].ranks;
    for (std::size_t r = 0; r < ranks.size(); ++r)
      if (static_cast<int>(r) != e.edge.along && ranks[r].terms.size() == 1) position *= rank_size(to, ranks[r]);
    WordRange all;
    const EdgeText* last = nullptr;
    for (const EdgeText& part : edges_) {
      if (part.edge.to != e.edge.to || part.edge.tensor != e.edge.tensor) continue;
      const Place from = source(part.edge);
      const WordRange made = made_words(*from.workload, from.tensor, part.edge);
      if (&part == &e && made.least == made.most && made.least % position != 0)
        return error(e.node, fmt::format("{} brings {} words, must be a multiple of the {} of a position of rank {}",
                                         source_name(e.edge), made.least, position, e.combine->along->name));
      all.least += made.least;
      all.most += made.most;
      last = &part;
    }
    const WordRange wanted = wanted_words(to, e.edge.tensor);
    if (last == &e && !all.meets(wanted))
      error(e.node, fmt::format("the edges into {} bring {} words together, must be {}", operand(e), shown(all),
                                shown(wanted)));
  }

  std::vector<EdgeText> edges_;
  Network& network_;
  Diagnostics& errors_;
  std::vector<Place> readers_;  // by input
};

}  // namespace

void add_edges(std::vector<EdgeText> edges, Network& network, Diagnostics& errors) {
  EdgeChecker(std::move(edges), network, errors).run();
}

}  // namespace heliolite
