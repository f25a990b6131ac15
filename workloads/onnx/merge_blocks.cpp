#include <algorithm>
#include <compare>
#include <map>
#include <tuple>

#include "engine/base/integers.h"
#include "workloads/onnx/merge.h"

namespace heliolite::onnx {
namespace {

constexpr std::size_t kLongestBlock = 512;  // layers; keeps the search linear in the network

// `repeats` equal blocks of `length` layers each, one after the other.
struct Run {
  std::size_t first = 0, length = 0, repeats = 1;

  std::size_t end() const { return first + length * repeats; }
  std::size_t saving() const { return length * (repeats - 1); }
};

// An edge seen from its reader: from `back` layers before, or from an input.
struct Link {
  std::size_t back = 0;
  int tensor = 0, input = -1, op = 0, combine = 0;

  auto operator<=>(const Link&) const = default;
};

class BlockMerger {
 public:
  explicit BlockMerger(Network network)
      : network_(std::move(network)), tokens_(shape_tokens(network_)), links_(tokens_.size()) {
    for (const Edge& e : network_.edges)
      links_[at(e.to)].push_back({e.from_input ? 0 : at(e.to - e.from), e.tensor, e.from_input ? e.from : -1,
                                  static_cast<int>(e.through.op), static_cast<int>(e.combine)});
    for (std::vector<Link>& links : links_) std::ranges::sort(links);
  }

  Network run() {
    choose();
    place();
    keep_edges();
    keep_inputs();
    return std::move(out_);
  }

 private:
  std::size_t layers() const { return tokens_.size(); }
  static bool inside(const Link& link, std::size_t offset) { return link.input < 0 && link.back <= offset; }

  // Links within a block that begins `offset` layers before the layer.
  std::vector<Link> inner(std::size_t layer, std::size_t offset) const {
    std::vector<Link> out;
    for (const Link& link : links_[layer])
      if (inside(link, offset)) out.push_back(link);
    return out;
  }

  // The run that begins at `first`, as far as its blocks have equal links within; and how many links a block has.
  std::pair<Run, std::size_t> equal_run(std::size_t first, std::size_t length, std::size_t repeats) const {
    Run run{first, length, 1};
    std::size_t links = 0;
    for (std::size_t o = 0; o < length; ++o) links += inner(first + o, o).size();
    for (; run.repeats < repeats && links > 0; ++run.repeats)
      for (std::size_t o = 0; o < length; ++o)
        if (inner(first + o, o) != inner(run.end() + o, o)) return {run, links};
    return {run, links};
  }

  // Layers `first` to `last` equal those `length` after them: the block may begin at several of them.
  void add_candidate(std::size_t first, std::size_t last, std::size_t length, std::vector<Run>& runs) const {
    const std::size_t matched = last - first;
    if (matched < length) return;
    std::pair<Run, std::size_t> best{{}, 0};
    for (std::size_t start = first; start <= first + matched % length; ++start) {
      const auto found = equal_run(start, length, (last - start) / length + 1);
      if (found.first.repeats > 1 && found.second > best.second) best = found;
    }
    if (best.second > 0) runs.push_back(best.first);
  }

  void choose() {
    std::vector<Run> runs;
    for (std::size_t length = 2; length <= std::min(kLongestBlock, layers() / 2); ++length) {
      std::size_t first = 0;
      for (std::size_t i = 0; i + length <= layers(); ++i) {
        const bool equal = i + length < layers() && tokens_[i] == tokens_[i + length] &&
                           network_.layers[i].count == network_.layers[i + length].count;
        if (equal) continue;
        add_candidate(first, i, length, runs);
        first = i + 1;
      }
    }
    std::ranges::stable_sort(runs, [](const Run& a, const Run& b) {
      return std::tuple(b.saving(), a.length, a.first) < std::tuple(a.saving(), b.length, b.first);
    });
    std::vector<bool> taken(layers(), false);
    for (const Run& run : runs) {
      const auto begin = taken.begin() + static_cast<std::ptrdiff_t>(run.first);
      const auto end = taken.begin() + static_cast<std::ptrdiff_t>(run.end());
      if (std::find(begin, end, true) != end) continue;
      std::fill(begin, end, true);
      chosen_.emplace(run.first, run);
    }
  }

  // The layers that stay, and where the others went.
  void place() {
    out_.name = network_.name;
    for (std::size_t i = 0; i < layers();) {
      const auto found = chosen_.find(i);
      const Run run = found == chosen_.end() ? Run{i, 1, 1} : found->second;
      for (std::size_t o = 0; o < run.length; ++o) {
        kept_.emplace(i + o, out_.layers.size());
        out_.layers.push_back(std::move(network_.layers[i + o]));
        out_.layers.back().count *= run.repeats;
      }
      i = run.end();
    }
  }

  // Of the run that the layer is in; itself alone if it is in none.
  Run run_of(std::size_t layer) const {
    auto after = chosen_.upper_bound(layer);
    if (after == chosen_.begin()) return {layer, 1, 1};
    const Run& run = std::prev(after)->second;
    return layer < run.end() ? run : Run{layer, 1, 1};
  }

  void keep_edges() {
    for (const Edge& e : network_.edges) {
      if (!kept_.contains(at(e.to))) continue;
      const Run to = run_of(at(e.to));
      if (e.from_input && (to.repeats == 1 || in_all_repeats(e, to))) {
        add_edge(e, to.repeats > 1);
      } else if (e.from_input) {
        outside_[{to.first, -1 - e.from, static_cast<int>(e.through.op)}].push_back(e);
      } else if (const Run from = run_of(at(e.from));
                 kept_.contains(at(e.from)) && (from.first == to.first || from.repeats * to.repeats == 1)) {
        add_edge(e, false);
      } else {
        outside_[{to.first, e.from, static_cast<int>(e.through.op)}].push_back(e);
      }
    }
    single_partners();
    for (const auto& [key, readers] : outside_) share_outside(readers);
  }

  void add_edge(Edge e, bool same_in_repeats) {
    e.to = static_cast<int>(kept_.at(at(e.to)));
    if (!e.from_input) e.from = static_cast<int>(kept_.at(at(e.from)));
    if (e.from_input && same_in_repeats) network_.inputs[at(e.from)].same_in_repeats = true;
    out_.edges.push_back(e);
  }

  // Every block reads the same input there.
  bool in_all_repeats(const Edge& e, const Run& run) const {
    for (std::size_t r = 1; r < run.repeats; ++r) {
      const std::vector<Link>& links = links_[at(e.to) + r * run.length];
      if (!std::ranges::any_of(links, [&](const Link& l) { return l.input == e.from && l.tensor == e.tensor; }))
        return false;
    }
    return true;
  }

  // An edge whose partner was left out is alone.
  void single_partners() {
    std::map<std::pair<int, int>, int> count;
    for (const Edge& e : out_.edges) ++count[{e.to, e.tensor}];
    for (Edge& e : out_.edges)
      if (count[{e.to, e.tensor}] == 1) e.combine = Combine::Alone;
  }

  // Operands of a block that read one tensor from outside it, in each of its repetitions.
  void share_outside(const std::vector<Edge>& readers) {
    std::vector<Edge> fitting;
    for (const Edge& e : readers) {
      const bool alone = std::ranges::none_of(out_.edges, [&](const Edge& other) {
        return at(other.to) == kept_.at(at(e.to)) && other.tensor == e.tensor;
      });
      if (alone && e.combine == Combine::Alone && shared_in_all(readers.front(), e)) fitting.push_back(e);
    }
    if (fitting.size() < 2) return;
    const Workload& reader = out_.layers[kept_.at(at(fitting.front().to))].workload;
    const int index = static_cast<int>(network_.inputs.size());
    network_.inputs.push_back({.name = unused("to_" + reader.name)});
    for (Edge e : fitting) {
      e.from = index;
      e.from_input = true;
      e.through = {};
      add_edge(e, false);
    }
  }

  // The name, longer if a layer or an input has it.
  std::string unused(std::string name) const {
    const auto is_used = [&] {
      return std::ranges::any_of(out_.layers, [&](const Layer& l) { return l.workload.name == name; }) ||
             std::ranges::any_of(network_.inputs, [&](const Input& i) { return i.name == name; });
    };
    while (is_used()) name += "_";
    return name;
  }

  // Whether, in every block, both operands have one and the same source.
  bool shared_in_all(const Edge& a, const Edge& b) const {
    const auto words = [&](const Edge& e) { return out_.layers[kept_.at(at(e.to))].workload.tensor_words(e.tensor); };
    if (words(a) != words(b)) return false;
    const Run run = run_of(at(a.to));
    const auto source = [&](const Edge& e, std::size_t r) {
      const std::size_t layer = at(e.to) + r * run.length;
      std::vector<std::pair<std::ptrdiff_t, int>> sources;
      for (const Link& l : links_[layer])
        if (l.tensor == e.tensor)
          sources.emplace_back(l.input >= 0 ? -1 - l.input : static_cast<std::ptrdiff_t>(layer - l.back), l.op);
      return sources;
    };
    for (std::size_t r = 0; r < run.repeats; ++r)
      if (source(a, r).empty() || source(a, r) != source(b, r)) return false;
    return true;
  }

  // Inputs that are still read, with their new numbers.
  void keep_inputs() {
    std::map<int, int> number;
    for (Edge& e : out_.edges) {
      if (!e.from_input) continue;
      const auto [found, added] = number.emplace(e.from, static_cast<int>(out_.inputs.size()));
      if (added) out_.inputs.push_back(network_.inputs[at(e.from)]);
      e.from = found->second;
      const u64 words = out_.layers[at(e.to)].workload.tensor_words(e.tensor);
      u64& least = out_.inputs[at(e.from)].words;
      least = added ? words : std::min(least, words);
    }
    std::ranges::stable_sort(out_.edges, {}, [](const Edge& e) { return std::pair(e.to, e.tensor); });
  }

  Network network_;
  std::vector<int> tokens_;                  // [layer]
  std::vector<std::vector<Link>> links_;     // [layer]
  std::map<std::size_t, Run> chosen_;        // [first layer]
  std::map<std::size_t, std::size_t> kept_;  // [layer]: of out_
  std::map<std::tuple<std::size_t, int, int>, std::vector<Edge>>
      outside_;  // [run, source (below 0: an input), operator]
  Network out_;
};

}  // namespace

Network merge_blocks(Network network) { return BlockMerger(std::move(network)).run(); }

}  // namespace heliolite::onnx
