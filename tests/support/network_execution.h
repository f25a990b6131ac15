#pragma once
// A small network as what an execution sees: operations and the words they need. Two machines run it: the least words
// of all schedules, by search (tiny networks), and the words of one schedule with the best evictions found (larger
// ones). Both are as liberal as a machine can be: sums start as zeros anywhere and are stored by adding outside;
// borders, and what lies on an edge, cost nothing; an operand that is joined from several tensors may be kept as such;
// and whatever is complete has the smallest size of all that some layer states for it.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "workloads/graph.h"
#include "workloads/network.h"
#include "workloads/word_bits.h"

namespace heliolite::testing {

// One multiply-accumulate: the word that it adds to, and what each operand needs.
struct Operation {
  struct Need {
    std::vector<int> words;  // all of them inside; none: a border
    int made = -1;           // or this word, made from them
  };
  int layer = 0;
  std::vector<u64> index;  // of the loops
  int output = 0;
  std::vector<Need> needs;
};

class NetworkExecution {
 public:
  enum class Kind : u8 { Input, Output, Made };

  // Every repetition of a layer reads inputs without `same_in_repeats`, and operands without edges, of its own.
  explicit NetworkExecution(const Network& network, const WordUnit& unit = {}) : network_(network), unit_(unit) {
    const auto order = topological_order(network.layers.size(), network.edges);
    for (const int l : *order)
      for (u64 repeat = 0; repeat < network.layers[l].count; ++repeat) add_layer(l, repeat);
  }

  const std::vector<Operation>& operations() const { return operations_; }
  const std::vector<Kind>& words() const { return kind_; }
  // Of outputs: whether some layer needs it.
  const std::vector<bool>& consumed() const { return consumed_; }
  // Units of a word once it is complete, in the smallest size of those who make or read it; before that, of outputs.
  u64 size(int word) const { return size_[word]; }
  u64 partial_size(int word) const { return partial_[word]; }

 private:
  using Positions = std::vector<u64>;

  int word(const std::vector<u64>& key, Kind kind) {
    const auto [known, fresh] = index_.try_emplace(key, kind_.size());
    if (fresh) {
      kind_.push_back(kind);
      consumed_.push_back(false);
      size_.push_back(~u64{0});
      partial_.push_back(0);
    }
    return static_cast<int>(known->second);
  }

  void add_layer(int l, u64 repeat) {
    const Workload& w = network_.layers[l].workload;
    const WordUnit::Sizes sizes = unit_.sizes(w);
    std::vector<u64> i(w.dimensions.size(), 0);
    for (bool more = true; more;) {
      Operation operation{.layer = l, .index = i, .output = 0, .needs = {}};
      for (int v = 0; v < static_cast<int>(w.tensors.size()); ++v) {
        const Positions position = positions(w, v, i);
        if (w.tensors[v].is_output()) {
          operation.output = word({0, u64(l), repeat, flat(w, v, position)}, Kind::Output);
          partial_[operation.output] = sizes[v];
          shrink(operation.output, sizes[v]);
        } else {
          operation.needs.push_back(need(l, w.tensors[v].access_of.value_or(v), repeat, position));
          for (const int read : operation.needs.back().words) shrink(read, sizes[v]);
          if (operation.needs.back().made >= 0) shrink(operation.needs.back().made, sizes[v]);
        }
      }
      operations_.push_back(std::move(operation));
      more = false;
      for (std::size_t d = i.size(); d-- > 0 && !more;) more = ++i[d] < w.dimensions[d].size ? true : (i[d] = 0) != 0;
    }
  }

  void shrink(int word, u64 size) { size_[word] = std::min(size_[word], size); }

  static Positions positions(const Workload& w, int v, const std::vector<u64>& i) {
    Positions position;
    for (const Rank& rank : w.tensors[v].ranks) {
      position.push_back(0);
      for (const Term& term : rank.terms) position.back() += term.coefficient * i[term.dimension];
    }
    return position;
  }

  static std::vector<u64> shape(const Workload& w, int v) {
    std::vector<u64> sizes;
    for (const Rank& rank : w.tensors[v].ranks) sizes.push_back(rank_size(w, rank));
    return sizes;
  }

  static u64 flat(const Workload& w, int v, const Positions& position) {
    u64 at = 0;
    const std::vector<u64> sizes = shape(w, v);
    for (std::size_t r = 0; r < sizes.size(); ++r) at = at * sizes[r] + position[r];
    return at;
  }

  Operation::Need need(int l, int v, u64 repeat, const Positions& position) {
    const Workload& w = network_.layers[l].workload;
    const std::vector<Edge> edges = edges_into(network_, l, v);
    const u64 place = flat(w, v, position);
    if (edges.empty()) return {{word({1, u64(l), u64(v), repeat, place}, Kind::Input)}};
    Operation::Need need;
    u64 part = 0;  // of a concatenation along the first rank, where this edge's begins
    for (const Edge& e : edges) {
      const auto [from, tensor] = edge_source(network_, e);
      const u64 words = made_words(network_.layers[from].workload, tensor, e).least;
      if (e.combine != Combine::Concat || (place >= part && place < part + words))
        add_sources(e, repeat, place - (e.combine == Combine::Concat ? part : 0), w.tensor_words(v), words, need);
      part += words;
    }
    if (need.words.size() > 1) {
      std::vector<u64> key{2};
      for (const Edge& e : edges) key.insert(key.end(), {u64(e.from), e.from_input, u64(e.combine), u64(e.through.op)});
      key.insert(key.end(), {repeat, place});
      need.made = word(key, Kind::Made);
    }
    return need;
  }

  // Words of the source that position `place` of an operand is made of. Sources and operands are flat, but for what
  // slides, is pooled or resized: those have one rank.
  void add_sources(const Edge& e, u64 repeat, u64 place, u64 operand, u64 words, Operation::Need& need) {
    const u64 border = e.combine != Combine::Concat && operand > words ? (operand - words) / 2 : 0;
    if (place < border || place - border >= words) return;
    place -= border;
    const auto [from, tensor] = edge_source(network_, e);
    const u64 size = network_.layers[from].workload.tensor_words(tensor);
    std::vector<u64> from_places{place};
    if (e.slice) from_places = {e.slice->from * (size / shape(network_.layers[from].workload, tensor)[0]) + place};
    if (e.through.op == Operator::Resize) from_places = {place / e.through.factor};
    if (e.through.op == Operator::Pool) {
      from_places.clear();
      const u64 pad = e.through.pad.value_or(0);
      for (u64 k = 0; k < e.through.window; ++k)
        if (const u64 line = place * e.through.stride + k; line >= pad && line - pad < size)
          from_places.push_back(line - pad);
    }
    for (const u64 p : from_places) {
      if (e.from_input) {
        const bool same = network_.inputs[e.from].same_in_repeats;
        need.words.push_back(word({3, u64(e.from), same ? 0 : repeat, p}, Kind::Input));
      } else {
        const auto [made_in, place_there] = feeding(e, repeat, p, size);
        need.words.push_back(word({0, u64(e.from), made_in, place_there}, Kind::Output));
        consumed_[need.words.back()] = true;
      }
    }
  }

  // The repetition whose output feeds position p of what repetition `repeat` reads, and the position there.
  std::pair<u64, u64> feeding(const Edge& e, u64 repeat, u64 p, u64 size) const {
    const u64 from = network_.layers[e.from].count, to = network_.layers[e.to].count;
    switch (repeats(network_, e)) {
      case Repeats::Each: break;
      case Repeats::Last: return {(repeat + 1) * (from / to) - 1, p};
      case Repeats::Joined: return {repeat * e.outputs + p / size, p % size};
      case Repeats::Shared: return {repeat / (to / from), p};
      case Repeats::Divided: return {repeat / e.shares, repeat % e.shares * (size / e.shares) + p};
    }
    return {repeat, p};
  }

  const Network& network_;
  WordUnit unit_;
  std::map<std::vector<u64>, std::size_t> index_;
  std::vector<Kind> kind_;
  std::vector<bool> consumed_;
  std::vector<u64> size_, partial_;  // by word
  std::vector<Operation> operations_;
};

}  // namespace heliolite::testing
