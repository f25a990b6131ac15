#include "workloads/operator_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "workloads/edge_ranks.h"

namespace heliolite {
namespace {

// A rank of what operators work on: one dimension, as many positions as it has lines.
struct ArrayRank {
  std::string name;
  u64 size = 1;
  bool row = false;  // rows run along it
};

// An array on its way: where it comes from, as an edge would say it, and its ranks. Without ranks the edge's own hold.
struct MadeArray {
  Edge edge;  // `from`, `from_input`, slice, counts and ranks; of a layer that was added `from` is its number
  bool added = false;
  std::vector<ArrayRank> ranks;
  std::optional<WordLength> word_bits;
};

// Ranks by the names of their dimensions, the first of each if several make one.
std::vector<ArrayRank> ranks_of(const Workload& workload, int tensor) {
  std::vector<ArrayRank> out;
  Workload lines = workload;  // of one rank at a time
  for (const Rank& rank : workload.tensors[tensor].ranks) {
    lines.tensors[tensor].ranks = {rank};
    out.push_back({workload.dimensions[rank.terms.front().dimension].name, lines.tensor_words(tensor), false});
  }
  return out;
}

bool has_plain_ranks(const Workload& workload, int tensor) {
  return std::ranges::all_of(workload.tensors[tensor].ranks,
                             [](const Rank& r) { return r.terms.size() == 1 && r.terms.front().coefficient == 1; });
}

class OperatorWriter {
 public:
  OperatorWriter(const Network& network, const OperatorPrices& prices) : network_(network), prices_(prices) {}

  Result<Network> run() {
    std::vector<bool> done(network_.edges.size(), false);
    for (std::size_t e = 0; e < network_.edges.size(); ++e) {
      if (done[e]) continue;
      const Edge& first = network_.edges[e];
      std::vector<const Edge*> terms;
      for (std::size_t k = e; k < network_.edges.size(); ++k)
        if (const Edge& other = network_.edges[k]; other.to == first.to && other.tensor == first.tensor)
          terms.push_back(&other), done[k] = true;
      operand(terms);
    }
    if (!errors_.empty()) return errors_;
    return assembled();
  }

 private:
  // An edge whose `from` is a number of `added_`, or of the network's layers or inputs.
  struct Arrival {
    Edge edge;
    bool from_added = false;
  };
  struct Added {
    Workload workload;
    u64 count = 1;
    int before = 0;  // the layer that it stands before
  };

  const Workload& layer(int l) const { return network_.layers[l].workload; }

  // All edges into one operand.
  void operand(const std::vector<const Edge*>& terms) {
    const Combine combine = terms.front()->combine;
    if (combine == Combine::Alone || combine == Combine::Concat) {
      for (const Edge* e : terms) arrive(*e, through(*e, e->through.op));
      return;
    }
    // What stands on every edge stands behind the sum.
    const Operator all = terms.front()->through.op;
    const bool shared = std::ranges::all_of(terms, [&](const Edge* e) { return e->through.op == all; });
    Operator behind = shared ? all : Operator::None;
    if (behind == Operator::Pool || behind == Operator::Resize) behind = Operator::None;
    const Edge& base = base_of(terms);
    u64 operations = terms.size() - 1;
    std::vector<MadeArray> made;
    for (const Edge* e : terms) {
      const Operator before = behind == Operator::None ? e->through.op : Operator::None;
      if (before == Operator::Elementwise) operations += prices_.activation;
      made.push_back(through(*e, before == Operator::Elementwise ? Operator::None : before));
      if (e == &base) std::swap(made.front(), made.back());
    }
    if (behind == Operator::Elementwise) operations += prices_.activation;
    Edge joined = base;
    joined.combine = Combine::Alone;
    MadeArray sum = joint(made, combine == Combine::Add ? "add" : "multiply", operations, joined);
    if (behind == Operator::Softmax || behind == Operator::Norm) sum = by_rows(sum, behind, joined);
    arrive(joined, sum);
  }

  // The term whose ranks a sum has: one that a layer makes as it is, if there is one.
  static const Edge& base_of(const std::vector<const Edge*>& terms) {
    const auto whole = std::ranges::find_if(terms, [](const Edge* e) { return !e->from_input && reads_whole(*e); });
    return whole == terms.end() ? *terms.front() : **whole;
  }

  // What the edge brings, behind its operator.
  MadeArray through(const Edge& e, Operator op) {
    MadeArray at = source(e);
    switch (op) {
      case Operator::None: return at;
      case Operator::Elementwise: return joint({at}, "activation", prices_.activation, e);
      case Operator::Softmax:
      case Operator::Norm: return by_rows(at, op, e);
      case Operator::Pool: return pooled(at, e);
      case Operator::Resize: return resized(at, e);
    }
    return at;
  }

  // The array at the edge's beginning, with the ranks along which its reader reduces as rows.
  MadeArray source(const Edge& e) const {
    MadeArray out;
    out.edge = e;
    const Workload& from = e.from_input ? layer(e.to) : layer(e.from);
    const int tensor = e.from_input ? e.tensor : from.output();
    out.ranks = ranks_of(from, tensor);
    if (e.slice) out.ranks[e.slice->rank].size = e.slice->words;
    out.word_bits = from.tensors[tensor].word_bits;
    const Workload& reader = layer(e.to);
    const DimensionMask kept = reader.indexing(reader.output());
    const EdgeRanks known = edge_ranks(network_, e);
    for (std::size_t r = 0; r < out.ranks.size(); ++r) {
      const int d = from.tensors[tensor].ranks[r].terms.front().dimension;
      if (e.from_input) {
        out.ranks[r].row = !contains(kept, d);
        continue;
      }
      for (const RankMatch& match : known.matches)
        if (std::ranges::find(match.maker, d) != match.maker.end())
          out.ranks[r].row |= std::ranges::any_of(match.reader, [&](int k) { return !contains(kept, k); });
    }
    // Nothing is known of how the reader takes it: along the first rank, the output channels of a layer.
    if (!out.ranks.empty() && std::ranges::none_of(out.ranks, &ArrayRank::row)) out.ranks.front().row = true;
    return out;
  }

  // A layer over the ranks of the first array, which reads them all and makes an array like the first.
  MadeArray joint(const std::vector<MadeArray>& operands, const char* what, u64 operations, const Edge& e) {
    if (operands.size() + 1 > kMaxTensors) {
      errors_.push_back({layer(e.to).name, 0, layer(e.to).tensors[e.tensor].name,
                         fmt::format("a sum of {} terms as a layer of its own: at most {} operands are possible",
                                     operands.size(), kMaxTensors - 1)});
      return operands.front();
    }
    const std::vector<ArrayRank> ranks = operands.front().ranks;
    Workload w = nest(operands.front(), what, ranks);
    w.operation = Operation::Elementwise;
    w.operations = operations;
    for (std::size_t k = 0; k < operands.size(); ++k)
      add_tensor(w, std::string(1, static_cast<char>('A' + k)), ranks, operands[k].word_bits, Role::Input);
    add_tensor(w, "Z", ranks, operands.front().word_bits, Role::Output);
    return add(std::move(w), operands, e, ranks);
  }

  // Softmax or normalisation: what the rows come to, then each word by that of its row.
  MadeArray by_rows(const MadeArray& made, Operator op, const Edge& e) {
    const bool softmax = op == Operator::Softmax;
    std::vector<ArrayRank> rows;
    for (const ArrayRank& r : made.ranks)
      if (!r.row) rows.push_back(r);
    Workload sums = nest(made, softmax ? kSoftmaxRows : kNormRows, made.ranks);
    add_tensor(sums, "A", made.ranks, made.word_bits, Role::Input);
    add_tensor(sums, "R", rows, made.word_bits, Role::Output);
    const MadeArray of_rows = add(std::move(sums), {made}, e, rows);
    Workload words = nest(made, softmax ? kSoftmaxWords : kNormWords, made.ranks);
    add_tensor(words, "A", made.ranks, made.word_bits, Role::Input);
    add_tensor(words, "R", rows, made.word_bits, Role::Input);
    add_tensor(words, "Z", made.ranks, made.word_bits, Role::Output);
    return add(std::move(words), {made, of_rows}, e, made.ranks);
  }

  MadeArray pooled(const MadeArray& made, const Edge& e) {
    std::vector<ArrayRank> lines = made.ranks;
    const Through& t = e.through;
    for (const int r : bits(t.ranks)) {
      const u64 size = made.ranks[r].size, all = size + 2 * t.pad.value_or(0);
      lines[r].size = t.pad && all >= t.window ? (all - t.window) / t.stride + 1 : ceil_div(size, t.stride);
    }
    Workload w = nest(made, kPool, lines);
    add_tensor(w, "A", lines, made.word_bits, Role::Input);
    for (const int r : bits(t.ranks)) {
      if (t.window > 1) {
        Rank& rank = w.tensors[0].ranks[r];
        rank.terms.front().coefficient = t.stride;
        rank.terms.push_back({static_cast<int>(w.dimensions.size()), 1});
        w.dimensions.push_back({lines[r].name + "_window", t.window});
      }
    }
    add_tensor(w, "Z", lines, made.word_bits, Role::Output);
    return add(std::move(w), {made}, e, lines);
  }

  // Each line becomes `factor` lines.
  MadeArray resized(const MadeArray& made, const Edge& e) {
    std::vector<ArrayRank> lines;
    for (std::size_t r = 0; r < made.ranks.size(); ++r) {
      lines.push_back(made.ranks[r]);
      if ((e.through.ranks >> r & 1u) != 0 && e.through.factor > 1)
        lines.push_back({made.ranks[r].name + "_copy", e.through.factor, made.ranks[r].row});
    }
    Workload w = nest(made, kResize, lines);
    add_tensor(w, "A", made.ranks, made.word_bits, Role::Input);
    add_tensor(w, "Z", lines, made.word_bits, Role::Output);
    return add(std::move(w), {made}, e, lines);
  }

  Workload nest(const MadeArray& made, std::string_view what, const std::vector<ArrayRank>& ranks) const {
    Workload w;
    const std::string& from = made.added             ? added_[made.edge.from].workload.name
                              : made.edge.from_input ? network_.inputs[made.edge.from].name
                                                     : layer(made.edge.from).name;
    w.name = fmt::format("{}_{}", from, what);
    for (const ArrayRank& r : ranks) w.dimensions.push_back({r.name, r.size});
    return w;
  }
  Workload nest(const MadeArray& made, const OperatorLayer& kind, const std::vector<ArrayRank>& ranks) const {
    Workload w = nest(made, kind.name, ranks);
    w.operation = kind.operation;
    w.operations = kind.operations + kind.exponentials * prices_.exponential;
    return w;
  }

  static void add_tensor(Workload& w, std::string name, const std::vector<ArrayRank>& ranks,
                         std::optional<WordLength> word_bits, Role role) {
    Tensor tensor{std::move(name), {}, role};
    for (const ArrayRank& r : ranks) tensor.ranks.push_back({{{*w.find_dimension(r.name), 1}}});
    tensor.word_bits = word_bits;
    w.tensors.push_back(std::move(tensor));
  }

  // A layer that reads these arrays on their way along edge `e`; one that is there already is not made again.
  MadeArray add(Workload w, const std::vector<MadeArray>& operands, const Edge& e,
                const std::vector<ArrayRank>& ranks) {
    std::string key = fmt::format("{} {} {}", name(w.operation), w.operations, w.name);
    for (const Dimension& d : w.dimensions) key += fmt::format(" {}={}", d.name, d.size);
    for (const Tensor& t : w.tensors) {
      key += fmt::format(" {}", t.name);
      for (const Rank& r : t.ranks) key += fmt::format(":{}", r.terms.front().dimension);
    }
    for (const MadeArray& made : operands) {
      const Edge& from = made.edge;
      key += fmt::format(" {}{}{}", made.added ? "+" : from.from_input ? "<" : "", from.from, from.slice ? "s" : "");
      if (from.slice) key += fmt::format("{},{},{}", from.slice->rank, from.slice->from, from.slice->words);
    }
    MadeArray out;
    out.added = true;
    out.ranks = ranks;
    out.word_bits = operands.front().word_bits;
    out.edge.combine = Combine::Alone;
    if (const auto known = numbers_.find(key); known != numbers_.end()) {
      Added& same = added_[known->second];
      same.before = std::min(same.before, e.to);
      out.edge.from = known->second;
      out.edge.to = e.to;
      return out;
    }
    const int number = static_cast<int>(added_.size());
    if (Diagnostics errors = check(w); !errors.empty()) {
      for (Diagnostic& d : errors) d.file = w.name, errors_.push_back(std::move(d));
      return operands.front();
    }
    std::vector<Arrival>& into = into_added_.emplace_back();
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const MadeArray& made = operands[k];
      Edge edge = made.edge;
      edge.through = {};
      edge.combine = Combine::Alone;
      edge.outputs = edge.shares = 1;
      edge.tensor = static_cast<int>(k);
      edge.ranks = pairs_into(made, w, edge.tensor);
      into.push_back({edge, made.added});
    }
    added_.push_back({std::move(w), count(e), e.to});
    numbers_.emplace(std::move(key), number);
    out.edge.from = number;
    out.edge.to = e.to;
    return out;
  }

  // As often as what it works on is made; of the last of several outputs, as often as that is read.
  u64 count(const Edge& e) const {
    if (e.from_input || repeats(network_, e) == Repeats::Last) return network_.layers[e.to].count;
    return network_.layers[e.from].count;
  }

  // Ranks of the array that an added layer reads, by their names.
  StatedRanks pairs_into(const MadeArray& made, const Workload& w, int tensor) const {
    StatedRanks out;
    if (!made.added && (made.edge.from_input || made.edge.slice)) return out;
    const Workload& from = made.added ? added_[made.edge.from].workload : layer(made.edge.from);
    if (!has_plain_ranks(from, from.output()) || !has_plain_ranks(w, tensor)) return out;
    const std::vector<Rank>& a = from.tensors[from.output()].ranks;
    const std::vector<Rank>& b = w.tensors[tensor].ranks;
    if (a.size() != b.size()) return out;
    for (std::size_t r = 0; r < a.size(); ++r)
      out.pairs.push_back({{a[r].terms.front().dimension}, {b[r].terms.front().dimension}});
    out.stated = true;
    return out;
  }

  // The array reaches the operand of edge `e`.
  void arrive(const Edge& e, const MadeArray& made) {
    Edge edge = e;
    edge.through = {};
    if (!made.added) {
      arrivals_.push_back({edge, false});
      return;
    }
    edge.from = made.edge.from;
    edge.from_input = false;
    edge.slice.reset();
    if (count(e) == network_.layers[e.to].count) edge.outputs = edge.shares = 1;
    edge.ranks = pairs_out(e, made);
    arrivals_.push_back({edge, true});
  }

  // The ranks that the edge stated of its maker, of the added layer that makes the same ranks.
  StatedRanks pairs_out(const Edge& e, const MadeArray& made) const {
    StatedRanks out;
    const Workload& w = added_[made.edge.from].workload;
    if (e.from_input) {
      const Workload& reader = layer(e.to);
      if (!has_plain_ranks(reader, e.tensor)) return out;
      out.stated = true;
      for (const Rank& r : reader.tensors[e.tensor].ranks) {
        const int d = r.terms.front().dimension;
        if (const auto mine = w.find_dimension(reader.dimensions[d].name)) out.pairs.push_back({{*mine}, {d}});
      }
      return out;
    }
    const Workload& maker = layer(e.from);
    if (!e.ranks.stated || e.slice || !has_plain_ranks(maker, maker.output())) return out;
    out.stated = true;
    for (RankPair pair : e.ranks.pairs) {
      for (int& d : pair.maker) {
        const auto mine = w.find_dimension(maker.dimensions[d].name);
        if (!mine) return {};
        d = *mine;
      }
      out.pairs.push_back(std::move(pair));
    }
    return out;
  }

  // Layers in their new order, and the edges by their new numbers.
  Network assembled() {
    Network out = network_;
    out.layers.clear(), out.edges.clear();
    std::vector<int> layers(network_.layers.size()), added(added_.size());
    std::vector<std::string> names;
    for (const Layer& l : network_.layers) names.push_back(l.workload.name);
    for (int l = 0; l < static_cast<int>(network_.layers.size()); ++l) {
      for (std::size_t k = 0; k < added_.size(); ++k) {
        if (added_[k].before != l) continue;
        Added& a = added_[k];
        const std::string stem = a.workload.name;
        for (int n = 2; std::ranges::find(names, a.workload.name) != names.end(); ++n)
          a.workload.name = fmt::format("{}_{}", stem, n);
        names.push_back(a.workload.name);
        added[k] = static_cast<int>(out.layers.size());
        out.layers.push_back({a.workload, a.count});
      }
      layers[l] = static_cast<int>(out.layers.size());
      out.layers.push_back(network_.layers[l]);
    }
    const auto begins = [&](Edge& e, bool from_added) {
      if (from_added) e.from = added[e.from];
      else if (!e.from_input) e.from = layers[e.from];
    };
    for (std::size_t k = 0; k < added_.size(); ++k)
      for (auto [e, from_added] : into_added_[k]) {
        begins(e, from_added);
        e.to = added[k];
        out.edges.push_back(e);
      }
    for (auto [e, from_added] : arrivals_) {
      begins(e, from_added);
      e.to = layers[e.to];
      out.edges.push_back(e);
    }
    inputs(out);
    return out;
  }

  // Ranks of inputs are named as in their first reader, which may be another layer now: sizes tell them from here on.
  static void inputs(Network& out) {
    for (Edge& e : out.edges) {
      if (!e.from_input) continue;
      e.ranks = {};
      Input& input = out.inputs[e.from];
      const u64 words = out.layers[e.to].workload.tensor_words(e.tensor);
      if (reads_whole(e)) input.words = std::min(input.words, words);
    }
  }

  const Network& network_;
  const OperatorPrices& prices_;
  std::vector<Added> added_;
  std::vector<std::vector<Arrival>> into_added_;  // [added]
  std::vector<Arrival> arrivals_;                 // into the network's own layers
  std::map<std::string, int> numbers_;            // of added layers, by what they read and do
  Diagnostics errors_;
};

}  // namespace

bool has_operators(const Network& network) {
  return std::ranges::any_of(network.edges, [](const Edge& e) {
    return e.through.op != Operator::None || e.combine == Combine::Add || e.combine == Combine::Multiply;
  });
}

Result<Network> with_operator_layers(const Network& network, const OperatorPrices& prices) {
  if (!has_operators(network)) return network;
  return OperatorWriter(network, prices).run();
}

}  // namespace heliolite
