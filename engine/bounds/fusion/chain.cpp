#include "engine/bounds/fusion/chain.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "engine/base/integers.h"
#include "workloads/edge_ranks.h"
#include "workloads/graph.h"

namespace heliolite {
namespace {

// What dimensions of size above 1 do, seen from the fed operand.
class RowView {
 public:
  RowView(const Workload& workload, int input, const WordUnit& unit)
      : workload_(workload), input_(input), sizes_(unit.sizes(workload)) {
    for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
      if (workload.dimensions[d].size > 1) looping_ |= dimension_bit(static_cast<int>(d));
    for (int v = 0; v < static_cast<int>(workload.tensors.size()); ++v) {
      const auto mask = static_cast<DimensionMask>(workload.indexing(v) & looping_);
      (v == input ? in_ : workload.tensors[v].is_output() ? out_ : rest_) |= mask;
    }
  }

  std::optional<ChainLink> link() const {
    if ((in_ | out_) != looping_ || !steps_alone(workload_.output()) || !one_use_of_weights()) return std::nullopt;
    ChainLink link;
    link.name = workload_.name;
    link.input = input_;
    link.input_words = workload_.tensor_words(input_);
    link.input_size = sizes_[input_];
    link.output_words = workload_.tensor_words(workload_.output());
    link.output_size = sizes_[workload_.output()];
    for (const int v : weights()) {
      link.weight_words = workload_.tensor_words(v);
      link.weight_size = sizes_[v];
    }
    link.input_columns = product(in_ & ~out_);
    link.output_columns = product(out_ & ~in_);
    const DimensionMask shared = in_ & out_;
    if (steps_alone(input_)) {
      link.rows = link.input_rows = product(shared);
      link.groups = product(shared & rest_);
      return link;
    }
    return sliding(link);
  }

 private:
  std::vector<int> weights() const {
    std::vector<int> weights;
    for (int v = 0; v < static_cast<int>(workload_.tensors.size()); ++v)
      if (v != input_ && v != workload_.output()) weights.push_back(v);
    return weights;
  }

  // A word of the weights is used once in a block of rows, whether columns of operand or output come one at a time.
  // With two operands other than the rows one would come again and again.
  bool one_use_of_weights() const {
    const std::size_t count = weights().size();
    return count == 0 || (count == 1 && ((in_ ^ out_) & ~rest_) == 0);
  }

  // Every rank is one dimension with coefficient 1, and no dimension has two ranks.
  bool steps_alone(int tensor) const {
    DimensionMask seen = 0;
    for (const Rank& rank : workload_.tensors[tensor].ranks) {
      const std::vector<Term> terms = looping_terms(rank);
      if (terms.size() > 1 || (terms.size() == 1 && terms[0].coefficient != 1)) return false;
      for (const Term& term : terms) {
        if ((seen & dimension_bit(term.dimension)) != 0) return false;
        seen |= dimension_bit(term.dimension);
      }
    }
    return true;
  }

  std::vector<Term> looping_terms(const Rank& rank) const {
    std::vector<Term> terms;
    std::ranges::copy_if(rank.terms, std::back_inserter(terms),
                         [&](const Term& t) { return (looping_ & dimension_bit(t.dimension)) != 0; });
    return terms;
  }

  // Rows are the lines of the last rank that slides; what else slides stays inside them. Channels are columns, those of
  // a depthwise filter of both operand and output.
  std::optional<ChainLink> sliding(ChainLink link) const {
    DimensionMask slid = 0;
    bool found = false;
    for (const Rank& rank : workload_.tensors[input_].ranks) {
      std::vector<Term> terms = looping_terms(rank);
      if (terms.size() < 2) {
        if (terms.size() == 1 && terms[0].coefficient != 1) return std::nullopt;
        continue;
      }
      if (terms.size() > 2) return std::nullopt;
      if ((out_ & dimension_bit(terms[0].dimension)) == 0) std::swap(terms[0], terms[1]);
      const auto [pixel, kernel] = std::pair(terms[0], terms[1]);
      if ((out_ & dimension_bit(pixel.dimension)) == 0 || (out_ & dimension_bit(kernel.dimension)) != 0)
        return std::nullopt;
      found = true;
      slid |= dimension_bit(pixel.dimension) | dimension_bit(kernel.dimension);
      const u64 window = 1 + kernel.coefficient * (size(kernel.dimension) - 1);
      link.stride = pixel.coefficient;
      link.overlap = window > link.stride ? window - link.stride : 0;
      link.rows = size(pixel.dimension);
      link.input_rows = link.stride * (link.rows - 1) + window;
    }
    if (!found) return std::nullopt;
    const auto shared = static_cast<DimensionMask>(in_ & out_ & ~slid);
    link.pictures = product(shared & ~rest_);
    const u64 channels = product(shared & rest_);
    link.slides = true;
    link.rows *= link.pictures;
    link.input_rows *= link.pictures;
    link.input_columns = product(in_ & ~out_ & ~slid) * channels;
    link.output_columns *= channels;
    return link;
  }

  u64 size(int dimension) const { return workload_.dimensions[dimension].size; }
  u64 product(int mask) const {
    u64 product = 1;
    for (const int d : bits(static_cast<unsigned>(mask))) product *= size(d);
    return product;
  }

  const Workload& workload_;
  int input_;
  WordUnit::Sizes sizes_;  // by tensor
  DimensionMask looping_ = 0, in_ = 0, out_ = 0, rest_ = 0;
};

// What a chain starts with: fed an input or, if need be, its weights.
std::optional<ChainLink> first_link(const Workload& workload, const WordUnit& unit) {
  for (const Role role : {Role::Input, Role::Weight})
    for (std::size_t v = 0; v < workload.tensors.size(); ++v)
      if (workload.tensors[v].role == role)
        if (auto link = chain_link(workload, static_cast<int>(v), unit)) return link;
  return std::nullopt;
}

std::string why_not_fused(const Network& network, const Edge& edge) {
  const auto workload = [&](int layer) -> const Workload& { return network.layers[layer].workload; };
  if (edge.from_input) return "an input";
  if (std::string why = why_not_whole(network, edge); !why.empty()) return why;
  // What feeds the weights (keys, values) is not passed on by rows.
  if (workload(edge.to).tensors[edge.tensor].role != Role::Input) return "into weights";
  if (!chain_link(workload(edge.to), edge.tensor) || !first_link(workload(edge.from), {}))
    return "no operators on rows";
  const auto same = [&](const Edge& e) { return !e.from_input && e.from == edge.from; };
  if (std::ranges::count_if(network.edges, same) > 1) return "read by several layers";
  return "";
}

}  // namespace

std::optional<ChainLink> chain_link(const Workload& workload, int input, const WordUnit& unit) {
  return RowView(workload, input, unit).link();
}

std::vector<UnfusedEdge> unfused_edges(const Network& network) {
  std::vector<UnfusedEdge> out;
  for (const Edge& edge : network.edges) {
    std::string why = edge.from_input ? "" : why_not_fused(network, edge);
    if (why.empty()) continue;
    const Workload& to = network.layers[edge.to].workload;
    out.push_back({network.layers[edge.from].workload.name, to.name, to.tensors[edge.tensor].name, std::move(why)});
  }
  return out;
}

std::vector<Chain> find_chains(const Network& network, const WordUnit& unit) {
  const auto workload = [&](int layer) -> const Workload& { return network.layers[layer].workload; };
  std::vector<int> usable;
  for (std::size_t k = 0; k < network.edges.size(); ++k)
    if (why_not_fused(network, network.edges[k]).empty()) usable.push_back(static_cast<int>(k));
  std::vector<Chain> chains;
  for (const LayerPath& path : layer_paths(network, usable)) {
    Chain& chain = chains.emplace_back();
    chain.unit = unit;
    chain.count = network.layers[path.layers.front()].count;
    for (std::size_t k = 0; k < path.layers.size(); ++k) {
      const int layer = path.layers[k];
      const Edge* edge = k == 0 ? nullptr : &network.edges[path.edges[k - 1]];
      auto link = edge != nullptr ? chain_link(workload(layer), edge->tensor, unit) : first_link(workload(layer), unit);
      chain.links.push_back(link.value_or(ChainLink{.name = workload(layer).name}));
      chain.links.back().layer = layer;
      if (edge != nullptr) chain.links.back().before = edge->through.op;
    }
  }
  return chains;
}

namespace {

// Who makes an operand, how, and through what: operands with the same key are one tensor.
using Key = std::vector<std::tuple<int, bool, Combine, Operator, u64, u64>>;

Key key_of(const std::vector<Edge>& edges) {
  Key key;
  for (const Edge& e : edges)
    key.emplace_back(e.from, e.from_input, e.combine, e.through.op, e.slice ? e.slice->from : 0,
                     e.slice ? e.slice->words : 0);
  std::ranges::sort(key);
  return key;
}

// Whether a chain's link takes its operand along the edge.
bool in_a_chain(const Edge& edge, std::span<const Chain> chains) {
  return std::ranges::any_of(chains, [&](const Chain& chain) {
    const auto to = std::ranges::find(chain.links, edge.to, &ChainLink::layer);
    return to != chain.links.end() && to != chain.links.begin() && to->input == edge.tensor &&
           std::prev(to)->layer == edge.from;
  });
}

// Units in a word of the array that the edge brings, as it is stored.
u64 stored_size(const Network& network, const Edge& edge, const WordUnit& unit) {
  const Workload& from = network.layers[edge.from_input ? edge.to : edge.from].workload;
  return unit.sizes(from)[edge.from_input ? edge.tensor : from.output()];
}

}  // namespace

u64 joined_words(const Network& network, std::span<const Chain> chains, const WordUnit& unit) {
  u64 moved = 0;
  std::vector<Key> done;
  for (const Edge& first : network.edges) {
    if (first.combine != Combine::Add && first.combine != Combine::Multiply) continue;
    const std::vector<Edge> edges = edges_into(network, first.to, first.tensor);
    const Key key = key_of(edges);
    if (std::ranges::find(done, key) != done.end()) continue;
    done.push_back(key);
    const auto is_same = [&](const Edge& e) { return key_of(edges_into(network, e.to, e.tensor)) == key; };
    // A producer all of whose words go nowhere else need not store them.
    const auto may_be_last = [&](const Edge& e) {
      return !e.from_input && !e.slice && std::ranges::all_of(network.edges, [&](const Edge& other) {
        return other.from_input || other.from != e.from || is_same(other);
      });
    };
    u64 units = 0, last = 0;
    bool passed_on = false;
    for (const Edge& e : edges) {
      const u64 size = stored_size(network, e, unit);
      units += size;
      if (passed_on || !may_be_last(e)) continue;
      passed_on = in_a_chain(e, chains);
      last = passed_on ? size : std::max(last, size);
    }
    u64 result = 0;  // the largest of its readers' words
    for (const Edge& e : network.edges)
      if (last == 0 && is_same(e)) result = std::max<u64>(result, unit.sizes(network.layers[e.to].workload)[e.tensor]);
    const Layer& layer = network.layers[first.to];
    moved += layer.count * (units - last + result) * layer.workload.tensor_words(first.tensor);
  }
  return moved;
}

}  // namespace heliolite
