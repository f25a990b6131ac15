#include "engine/bounds/network/network_bound.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/integers.h"
#include "engine/bounds/segment/iolb_segment.h"
#include "workloads/graph.h"

namespace heliolite {

namespace {

// The workload with fewer pixels: at least as many windows of the operand surely lie within an array of `words`
// words around which the rest of the operand is border, wherever it lies. None when there may be no such window; the
// same workload when there is no border.
std::optional<Workload> interior_workload(const Workload& workload, int operand, u64 words) {
  const DimensionMask in_output = workload.indexing(workload.output());
  const std::vector<Rank>& ranks = workload.tensors[operand].ranks;
  Workload inside = workload;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    u128 rest = 1;  // words of one position of the rank, at most
    for (std::size_t k = 0; k < ranks.size(); ++k)
      if (k != r && rest < words) rest *= read_width(workload, ranks[k]).most;
    const auto width = static_cast<u64>((words + rest - 1) / rest);
    const u64 extent = rank_size(workload, ranks[r]);
    if (width >= extent) continue;
    const Term* pixel = nullptr;
    u64 window = extent;
    for (const Term& term : ranks[r].terms) {
      const u64 size = workload.dimensions[term.dimension].size;
      if (!contains(in_output, term.dimension) || size == 1) continue;
      if (pixel != nullptr) return std::nullopt;
      pixel = &term;
      window -= term.coefficient * (size - 1);
    }
    // Every `coefficient`th position is one at which a window may begin.
    if (pixel == nullptr || width < window) return std::nullopt;
    const u64 windows = (width - window + 1) / pixel->coefficient;
    if (windows == 0) return std::nullopt;
    u64& size = inside.dimensions[pixel->dimension].size;
    size = std::min(size, windows);
  }
  return inside;
}

using Charges = std::vector<TensorCharge>;  // by tensor

// By the segment argument, over the tensors of `counted`.
u64 segments(const Workload& workload, const Charges& charges, const std::vector<bool>& counted, double capacity) {
  std::vector<double> sizes;
  for (const TensorCharge& c : charges) sizes.push_back(static_cast<double>(c.size));
  AccessNest nest = access_nest(workload, sizes);
  u64 unmoved = 0;
  for (std::size_t v = 0; v < charges.size(); ++v)
    if (counted[v])
      unmoved += std::min(charges[v].unmoved, workload.tensor_words(static_cast<int>(v))) * charges[v].size;
  std::size_t next = 0;
  std::erase_if(nest.accesses, [&](const Access&) { return !counted[next++]; });
  const AccessNest apart = lifted(nest);
  const u64 words = segment_bound(apart, rank_rows(apart), capacity).words;
  return words > unmoved ? words - unmoved : 0;
}

// One execution of the layer; those that read shared arrays `again` do not count them.
u64 layer_words(const Workload& workload, const Charges& charges, double capacity, bool again) {
  u64 compulsory = 0;
  std::vector<bool> counted, without_border;
  Workload inside = workload;
  bool whole = true;
  for (std::size_t v = 0; v < charges.size(); ++v) {
    const TensorCharge& c = charges[v];
    const bool counts = c.counted && !(again && c.arrays != 0);
    // Another access of an array that is counted already moves nothing of its own.
    if (counts && !workload.tensors[v].access_of) compulsory += c.compulsory * c.size;
    const auto interior =
        counts && c.made != kNoBorder ? interior_workload(inside, static_cast<int>(v), c.made) : std::optional(inside);
    const bool bordered = !interior || interior->macs() != inside.macs();
    counted.push_back(counts && interior);
    without_border.push_back(counts && !bordered);
    whole = whole && !(counts && bordered);
    if (interior) inside = *interior;
  }
  // A border can be made up where it is needed: either only the MACs that touch none count, or the operand does not.
  const u64 all = segments(workload, charges, without_border, capacity);
  const u64 part = whole ? 0 : segments(inside, charges, counted, capacity);
  return std::max({compulsory, all, part});
}

}  // namespace

NetworkBound network_bound(const Network& network, double capacity, Unnamed unnamed, const WordUnit& unit) {
  const NetworkCharges charges = network_charges(network, unnamed, unit);
  NetworkBound bound;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const Layer& layer = network.layers[l];
    const Charges& charge = charges.layer[l];
    u64 first = layer.count;  // repetitions no two of which read one array
    for (const TensorCharge& c : charge)
      if (c.counted && c.arrays != 0) first = std::min(first, c.arrays);
    u64 words = first * layer_words(layer.workload, charge, capacity, false);
    if (first < layer.count) words += (layer.count - first) * layer_words(layer.workload, charge, capacity, true);
    bound.layer.push_back(words);
    bound.words += words;
  }
  bound.words += charges.inputs;
  return bound;
}

// Charges the words of each array of a network to one layer, so that no word is charged twice, and none at all that may
// stay inside.

UnnamedOperands::UnnamedOperands(const Network& network, Unnamed unnamed) : network_(network) {
  if (unnamed == Unnamed::Apart) return;
  const int layers = static_cast<int>(network.layers.size());
  for (int l = 0; l < layers; ++l) {
    const std::vector<Tensor>& tensors = network.layers[l].workload.tensors;
    for (int v = 0; v < static_cast<int>(tensors.size()); ++v)
      if (tensors[v].role == Role::Input && !tensors[v].access_of && edges_into(network, l, v).empty())
        unnamed_.push_back({l, v});
  }
  if (unnamed_.empty()) return;
  before_.assign(network.layers.size(), std::vector<bool>(network.layers.size(), false));
  const auto order = topological_order(network.layers.size(), network.edges);
  for (auto l = order->rbegin(); l != order->rend(); ++l) {
    std::vector<bool>& later = before_[*l];
    later[*l] = true;
    for (const Edge& e : network.edges)
      if (!e.from_input && e.from == *l)
        for (std::size_t k = 0; k < later.size(); ++k) later[k] = later[k] || before_[e.to][k];
  }
}

// Not from what comes after it, unless in an earlier repetition.
bool UnnamedOperands::may_feed(int from, int to) const {
  const bool repeated = network_.layers[from].count > 1 && network_.layers[to].count > 1;
  return repeated || !before_[to][from];
}

bool UnnamedOperands::may_be_shared(int layer, int tensor) const {
  const auto is_it = [&](const Place& p) { return p.layer == layer && p.tensor == tensor; };
  if (std::ranges::none_of(unnamed_, is_it)) return false;
  if (unnamed_.size() > 1 || network_.layers[layer].count > 1 || !network_.inputs.empty()) return true;
  for (int l = 0; l < static_cast<int>(network_.layers.size()); ++l)
    if (may_feed(l, layer)) return true;
  return false;
}

bool UnnamedOperands::may_take_output(int layer) const {
  return std::ranges::any_of(unnamed_, [&](const Place& p) { return may_feed(layer, p.layer); });
}

bool UnnamedOperands::any() const {
  return std::ranges::any_of(unnamed_, [&](const Place& p) { return may_be_shared(p.layer, p.tensor); });
}

std::vector<std::string> UnnamedOperands::equal() const {
  const auto words = [&](const Place& p) { return network_.layers[p.layer].workload.tensor_words(p.tensor); };
  std::vector<std::string> names;
  for (const Place& p : unnamed_) {
    const auto same = std::ranges::count_if(unnamed_, [&](const Place& other) { return words(other) == words(p); });
    if (same < 2 && network_.layers[p.layer].count < 2) continue;
    const Workload& workload = network_.layers[p.layer].workload;
    names.push_back(workload.tensors[p.tensor].name + " of " + workload.name);
  }
  return names;
}

namespace {

bool of_one_array(const Edge& a, const Edge& b) { return a.from == b.from && a.from_input == b.from_input; }

class Sizer {
 public:
  Sizer(const Network& network, Unnamed unnamed, const WordUnit& unit) : network_(network) {
    for (const Layer& layer : network.layers) {
      const WordUnit::Sizes sizes = unit.sizes(layer.workload);
      own_.emplace_back(sizes.begin(), sizes.begin() + layer.workload.tensors.size());
    }
    const UnnamedOperands operands(network, unnamed);
    for (int l = 0; l < static_cast<int>(network.layers.size()); ++l)
      for (int v = 0; v < static_cast<int>(own_[l].size()); ++v)
        if (operands.may_be_shared(l, v)) unnamed_ = std::min(unnamed_, own_[l][v]);
  }

  NetworkSizes run() const {
    NetworkSizes out{own_, std::vector<u64>(network_.inputs.size(), unnamed_)};
    for (const Edge& e : network_.edges) {
      u64& operand = out.tensor[e.to][e.tensor];
      operand = std::min(operand, of_array(e));
      if (e.from_input) out.input[e.from] = std::min(out.input[e.from], of_array(e));
      // Partial sums may have other terms in them.
      if (e.from_input || (e.combine != Combine::Add && e.combine != Combine::Multiply)) continue;
      u64& made = out.tensor[e.from][output_of(e.from)];
      for (const Edge& term : edges_into(network_, e.to, e.tensor)) made = std::min(made, of_array(term));
    }
    return out;
  }

 private:
  int output_of(int layer) const { return network_.layers[layer].workload.output(); }

  // The smallest word in which what the edge brings is stored, read by some layer, or perhaps by an operand that the
  // network does not name.
  u64 of_array(const Edge& edge) const {
    u64 least = edge.from_input ? unnamed_ : std::min(unnamed_, own_[edge.from][output_of(edge.from)]);
    for (const Edge& reader : network_.edges)
      if (of_one_array(reader, edge)) least = std::min(least, own_[reader.to][reader.tensor]);
    return least;
  }

  const Network& network_;
  std::vector<std::vector<u64>> own_;  // [layer][tensor]
  u64 unnamed_ = ~u64{0};              // the smallest of operands without an edge that may be another array
};

}  // namespace

NetworkSizes network_sizes(const Network& network, Unnamed unnamed, const WordUnit& unit) {
  return Sizer(network, unnamed, unit).run();
}

namespace {

// A word of the operand needs a word of its own of what it is made from: that one's loads can stand for its own.
bool one_to_one(const Through& through) {
  switch (through.op) {
    case Operator::Resize: return through.factor == 1;
    // The first line and column of a window that are no border; two windows may begin in the border.
    case Operator::Pool: return through.pad.value_or(through.window - 1) < through.stride;
    default: return true;
  }
}

bool overlap(const Edge& a, const Edge& b) {
  if (a.from != b.from || a.from_input != b.from_input) return false;
  if (!a.slice || !b.slice || a.slice->rank != b.slice->rank) return true;
  return a.slice->from < b.slice->from + b.slice->words && b.slice->from < a.slice->from + a.slice->words;
}

class Charger {
 public:
  Charger(const Network& network, Unnamed unnamed, const WordUnit& unit)
      : network_(network), unnamed_(network, unnamed), sizes_(network_sizes(network, unnamed, unit)) {}

  NetworkCharges run() {
    for (const Layer& layer : network_.layers) {
      out_.layer.emplace_back(layer.workload.tensors.size());
      nests_.push_back(access_nest(layer.workload));
    }
    for (int l = 0; l < layers(); ++l)
      for (int v = 0; v < static_cast<int>(workload(l).tensors.size()); ++v) alone(l, v);
    std::vector<int> order(network_.layers.size());
    std::iota(order.begin(), order.end(), 0);
    // Large layers first: what they count says most.
    const auto macs = [&](int l) { return u128{network_.layers[l].count} * workload(l).macs(); };
    std::ranges::stable_sort(order, [&](int a, int b) { return macs(a) > macs(b); });
    for (const int l : order)
      for (int v = 0; v < static_cast<int>(workload(l).tensors.size()); ++v)
        if (std::vector<Edge> edges = edges_into(network_, l, v); !edges.empty()) fed(l, v, std::move(edges));
    for (int l = 0; l < layers(); ++l)
      for (int v = 0; v < static_cast<int>(workload(l).tensors.size()); ++v)
        if (const auto first = workload(l).tensors[v].access_of) charge(l, v) = charge(l, *first);
    uncounted_inputs();
    return std::move(out_);
  }

 private:
  // An operand that counts what some of its sources load.
  struct Claim {
    std::vector<Edge> sources;  // all of the operand's
    std::vector<Edge> counted;  // whose loads stand for the operand's
  };

  int layers() const { return static_cast<int>(network_.layers.size()); }
  const Workload& workload(int l) const { return network_.layers[l].workload; }
  TensorCharge& charge(int l, int v) { return out_.layer[l][v]; }
  u64 touched(int l, int v) const { return touched_words(nests_[l], nests_[l].accesses[v]); }

  // As without edges into it.
  void alone(int l, int v) {
    TensorCharge& c = charge(l, v);
    c.size = sizes_.tensor[l][v];
    const bool output = workload(l).tensors[v].is_output();
    const auto consumes = [&](const Edge& e) { return !e.from_input && e.from == l; };
    if (output && (std::ranges::any_of(network_.edges, consumes) || unnamed_.may_take_output(l)))
      c.unmoved = workload(l).tensor_words(v);
    else if (!output && unnamed_.may_be_shared(l, v)) c.counted = false;
    else c.compulsory = touched(l, v);
  }

  void fed(int l, int v, std::vector<Edge> edges) {
    TensorCharge& c = charge(l, v);
    c.counted = false;
    c.compulsory = 0;
    const Combine combine = edges.front().combine;
    std::vector<std::vector<Edge>> choices;
    if (combine == Combine::Concat) {
      choices.push_back(edges);
    } else {
      // Any one source will do; outputs first, so that inputs are left to those who read nothing else.
      for (const bool input : {false, true})
        for (const Edge& e : edges)
          if (e.from_input == input) choices.push_back({e});
    }
    for (const std::vector<Edge>& counted : choices)
      if (free(edges, counted)) {
        count(l, v, counted);
        claims_.push_back({std::move(edges), counted});
        return;
      }
  }

  // Whether no word that stands for the operand's stands for another's: such a word is made of nothing but what both
  // are made of, and of what either counts.
  bool free(const std::vector<Edge>& sources, const std::vector<Edge>& counted) const {
    const auto among = [](const Edge& e, const std::vector<Edge>& edges) {
      return std::ranges::any_of(edges, [&](const Edge& other) { return overlap(e, other); });
    };
    if (!std::ranges::all_of(counted, [](const Edge& e) { return one_to_one(e.through); })) return false;
    return std::ranges::none_of(claims_, [&](const Claim& claim) {
      return std::ranges::any_of(counted, [&](const Edge& e) { return among(e, claim.sources); }) &&
             std::ranges::any_of(claim.counted, [&](const Edge& e) { return among(e, sources); });
    });
  }

  void count(int l, int v, const std::vector<Edge>& counted) {
    TensorCharge& c = charge(l, v);
    c.counted = true;
    const u64 box = workload(l).tensor_words(v);
    WordRange made, unmoved;
    for (const Edge& e : counted) {
      const auto [from, tensor] = edge_source(network_, e);
      const WordRange words = made_words(workload(from), tensor, e);
      for (WordRange* sum : {&made, e.from_input ? nullptr : &unmoved})
        if (sum != nullptr) *sum = {sum->least + words.least, sum->most + words.most};
      if (repeats(network_, e) == Repeats::Shared) c.arrays = network_.layers[e.from].count;
      if (!e.from_input) continue;
      const Input& input = network_.inputs[e.from];
      if (input.same_in_repeats) c.arrays = 1;
      c.compulsory += input_words(e.from);
      counted_inputs_.push_back(e.from);
    }
    c.made = made.least;
    c.unmoved = std::min(box, unmoved.most);
  }

  // Elements that some reader touches, at least: those that it takes as they are, less its own holes.
  u64 input_words(int input) const {
    u64 most = 0;
    for (const Edge& e : network_.edges) {
      if (!e.from_input || e.from != input || !reads_whole(e)) continue;
      const u64 box = workload(e.to).tensor_words(e.tensor), words = std::min(box, network_.inputs[input].words);
      const u64 holes = box - std::min(box, touched(e.to, e.tensor));
      most = std::max(most, words - std::min(words, holes));
    }
    return most;
  }

  void uncounted_inputs() {
    for (int i = 0; i < static_cast<int>(network_.inputs.size()); ++i) {
      if (std::ranges::find(counted_inputs_, i) != counted_inputs_.end()) continue;
      const auto reader =
          std::ranges::find_if(network_.edges, [&](const Edge& e) { return e.from_input && e.from == i; });
      const u64 arrays = network_.inputs[i].same_in_repeats ? 1 : network_.layers[reader->to].count;
      out_.inputs += arrays * input_words(i) * sizes_.input[i];
    }
  }

  const Network& network_;
  const UnnamedOperands unnamed_;
  const NetworkSizes sizes_;
  NetworkCharges out_;
  std::vector<AccessNest> nests_;  // by layer
  std::vector<Claim> claims_;
  std::vector<int> counted_inputs_;
};

}  // namespace

NetworkCharges network_charges(const Network& network, Unnamed unnamed, const WordUnit& unit) {
  return Charger(network, unnamed, unit).run();
}

}  // namespace heliolite
