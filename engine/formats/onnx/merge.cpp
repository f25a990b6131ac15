#include "engine/formats/onnx/merge.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "engine/base/integers.h"
#include "workloads/edge_ranks.h"
#include "workloads/workload_yaml.h"

namespace heliolite::onnx {

std::vector<int> shape_tokens(const Network& network) {
  std::map<std::string, int> seen;
  std::vector<int> tokens;
  for (const Layer& layer : network.layers) {
    Workload nameless = layer.workload;
    nameless.name.clear();
    tokens.push_back(seen.emplace(write_workload(nameless), static_cast<int>(seen.size())).first->second);
  }
  return tokens;
}

Network merge_shapes(Network network) {
  const std::vector<int> tokens = shape_tokens(network);
  Network out{network.name, {}};
  std::map<int, std::size_t> place;  // [token]: layer of `out`
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto [at_token, added] = place.emplace(tokens[i], out.layers.size());
    if (added) out.layers.push_back(std::move(network.layers[i]));
    else out.layers[at_token->second].count += network.layers[i].count;
  }
  return out;
}

namespace {

constexpr std::size_t kLongestBlock = 512;  // layers; keeps the search linear in the network

class RunFinder {
 public:
  RunFinder(const std::vector<int>& tokens, const std::vector<std::vector<Link>>& links)
      : tokens_(tokens), inner_(links) {
    std::map<std::vector<Link>, int> seen;
    for (std::vector<Link>& of : inner_) {
      std::erase_if(of, [](const Link& link) { return link.input >= 0; });
      link_tokens_.push_back(seen.emplace(of, static_cast<int>(seen.size())).first->second);
    }
  }

  std::vector<Repetition> run() {
    for (length_ = 2; length_ <= std::min(kLongestBlock, layers() / 2); ++length_) {
      counted_ = false;
      std::size_t first = 0;
      for (std::size_t i = 0; i + length_ <= layers(); ++i) {
        if (i + length_ < layers() && tokens_[i] == tokens_[i + length_]) continue;
        stretch(first, i);
        first = i + 1;
      }
    }
    return std::move(runs_);
  }

 private:
  std::size_t layers() const { return tokens_.size(); }

  // Layers `first` to `last` equal those `length_` after them: a block may begin at several of them.
  void stretch(std::size_t first, std::size_t last) {
    const std::size_t matched = last - first;
    if (matched < length_) return;
    if (!counted_) count_links();
    count_repeats(first, last);
    std::size_t most = 0;
    Repetition best;
    for (std::size_t start = first; start <= first + matched % length_; ++start) {
      if (repeats_[start - first] < 2 || within_[start] <= most) continue;
      most = within_[start];
      best = {start, length_, repeats_[start - first]};
    }
    if (most > 0) runs_.push_back(best);
  }

  // within_[first]: links from layer to layer in the block that begins there.
  void count_links() {
    counted_ = true;
    std::vector<std::ptrdiff_t> change(layers() + 1, 0);
    for (std::size_t i = 0; i < layers(); ++i) {
      for (const Link& link : inner_[i]) {
        if (link.back >= length_) break;
        ++change[i + 1 >= length_ ? i + 1 - length_ : 0];
        --change[i - link.back + 1];
      }
    }
    within_.assign(layers(), 0);
    std::ptrdiff_t links = 0;
    for (std::size_t i = 0; i < layers(); ++i) within_[i] = static_cast<std::size_t>(links += change[i]);
  }

  // The shortest way back by which the links of the layer and of the one `length_` after it differ.
  std::size_t differing(std::size_t layer) const {
    if (link_tokens_[layer] == link_tokens_[layer + length_]) return length_;
    const std::vector<Link>&a = inner_[layer], &b = inner_[layer + length_];
    const auto [in_a, in_b] = std::ranges::mismatch(a, b);
    const std::size_t of_a = in_a == a.end() ? length_ : in_a->back, of_b = in_b == b.end() ? length_ : in_b->back;
    return std::min(of_a, of_b);
  }

  // repeats_[start - first]: equal blocks from `start` on. Where links differ by `back`, blocks are unequal that begin
  // `back` or more layers before: of the starts still open, one interval, or two around the end of a block. Each start
  // is closed once.
  void count_repeats(std::size_t first, std::size_t last) {
    const std::size_t starts = (last - first) % length_ + 1;
    repeats_.resize(starts);
    for (std::size_t s = 0; s < starts; ++s) repeats_[s] = (last - first - s) / length_ + 1;
    next_open_.resize(starts + 1);
    std::iota(next_open_.begin(), next_open_.end(), std::size_t{0});
    for (std::size_t place = 0; first + place < last && open_from(0) < starts; ++place) {
      const std::size_t back = differing(first + place), in_block = place % length_;
      if (back >= length_) continue;
      if (in_block >= back) close(0, in_block - back, place);
      if (place >= length_) close(in_block + 1, in_block + length_ - back, place);
    }
  }

  // Starts `from` to `to`, as many as there are, end their runs with the block that holds `place`.
  void close(std::size_t from, std::size_t to, std::size_t place) {
    const std::size_t starts = repeats_.size();
    for (std::size_t s = from < starts ? open_from(from) : starts; s <= to && s < starts; s = open_from(s)) {
      repeats_[s] = (place - s) / length_ + 1;
      next_open_[s] = s + 1;
    }
  }

  std::size_t open_from(std::size_t start) {
    while (next_open_[start] != start) start = next_open_[start] = next_open_[next_open_[start]];
    return start;
  }

  const std::vector<int>& tokens_;             // [layer]
  std::vector<std::vector<Link>> inner_;       // [layer]: links from layers
  std::vector<int> link_tokens_;               // [layer]: equal for equal links
  std::size_t length_ = 0;                     // layers of the blocks looked at
  bool counted_ = false;                       // within_ is of this length
  std::vector<std::size_t> within_, repeats_;  // see count_links(), count_repeats()
  std::vector<std::size_t> next_open_;         // [start - first]: a start at or after it, itself if its run goes on
  std::vector<Repetition> runs_;
};

}  // namespace

std::vector<Repetition> equal_runs(const std::vector<int>& tokens, const std::vector<std::vector<Link>>& links) {
  return RunFinder(tokens, links).run();
}

std::vector<Repetition> disjoint(std::vector<Repetition> runs, std::size_t layers) {
  std::ranges::stable_sort(runs, [](const Repetition& a, const Repetition& b) {
    return std::tuple(b.saving(), a.length, a.first) < std::tuple(a.saving(), b.length, b.first);
  });
  std::vector<bool> taken(layers, false);
  std::erase_if(runs, [&](const Repetition& run) {
    const auto begin = taken.begin() + run.first;
    const auto end = taken.begin() + run.end();
    if (std::find(begin, end, true) != end) return true;
    std::fill(begin, end, true);
    return false;
  });
  return runs;
}

// Equal blocks of layers as one block with a count (merge.h).

namespace {

class BlockMerger {
 public:
  explicit BlockMerger(Network network)
      : network_(std::move(network)), tokens_(shape_tokens(network_)), links_(tokens_.size()) {
    for (const Edge& e : network_.edges)
      links_[e.to].push_back({e.from_input ? 0 : at(e.to - e.from), e.tensor, e.from_input ? e.from : -1,
                              static_cast<int>(e.through.op), static_cast<int>(e.combine), e.ranks});
    for (std::vector<Link>& links : links_) std::ranges::sort(links);
  }

  Network run() {
    for (std::size_t i = 0; i < network_.inputs.size(); ++i)
      read_by_.push_back(first_reader(network_.edges, static_cast<int>(i)));
    choose();
    place();
    keep_edges();
    keep_inputs();
    return std::move(out_);
  }

 private:
  std::size_t layers() const { return tokens_.size(); }

  void choose() {
    std::vector<int> tokens;
    std::map<std::pair<int, u64>, int> seen;
    for (std::size_t i = 0; i < layers(); ++i)
      tokens.push_back(
          seen.emplace(std::pair(tokens_[i], network_.layers[i].count), static_cast<int>(seen.size())).first->second);
    for (const Repetition& run : disjoint(equal_runs(tokens, links_), layers())) chosen_.emplace(run.first, run);
  }

  // The layers that stay, and where the others went.
  void place() {
    out_.name = network_.name;
    for (std::size_t i = 0; i < layers();) {
      const auto found = chosen_.find(i);
      const Repetition run = found == chosen_.end() ? Repetition{i, 1, 1} : found->second;
      for (std::size_t o = 0; o < run.length; ++o) {
        kept_.emplace(i + o, out_.layers.size());
        out_.layers.push_back(std::move(network_.layers[i + o]));
        out_.layers.back().count *= run.repeats;
      }
      i = run.end();
    }
  }

  // The run that the layer is in; itself alone if it is in none.
  Repetition run_of(std::size_t layer) const {
    auto after = chosen_.upper_bound(layer);
    if (after == chosen_.begin()) return {layer, 1, 1};
    const Repetition& run = std::prev(after)->second;
    return layer < run.end() ? run : Repetition{layer, 1, 1};
  }

  void keep_edges() {
    for (const Edge& e : network_.edges) {
      if (!kept_.contains(at(e.to))) continue;
      const Repetition to = run_of(at(e.to));
      if (e.from_input && (to.repeats == 1 || in_all_repeats(e, to))) {
        add_edge(e, to.repeats > 1);
      } else if (e.from_input) {
        outside_[{to.first, -1 - e.from, static_cast<int>(e.through.op)}].push_back(e);
      } else if (const Repetition from = run_of(at(e.from));
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
    if (e.from_input && at(e.from) < read_by_.size() && !first_stays(e.from)) e.ranks = {};
    if (e.from_input && same_in_repeats) network_.inputs[e.from].same_in_repeats = true;
    out_.edges.push_back(e);
    joined_.emplace(e.to, e.tensor);
  }

  // Whether the edge stays to which the ranks of all others of the input refer.
  bool first_stays(int input) const {
    const Edge* first = read_by_[input];
    if (first == nullptr || !kept_.contains(at(first->to))) return false;
    const Repetition run = run_of(at(first->to));
    return run.repeats == 1 || in_all_repeats(*first, run);
  }

  // Every block reads the same input there.
  bool in_all_repeats(const Edge& e, const Repetition& run) const {
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
      const bool alone = !joined_.contains({static_cast<int>(kept_.at(at(e.to))), e.tensor});
      if (alone && e.combine == Combine::Alone && shared_in_all(readers.front(), e)) fitting.push_back(e);
    }
    if (fitting.size() < 2) return;
    const Workload& reader = out_.layers[kept_.at(at(fitting.front().to))].workload;
    const int index = static_cast<int>(network_.inputs.size());
    network_.inputs.push_back({.name = unused("to_" + reader.name)});
    const Edge first = *std::ranges::min_element(fitting, {}, [](const Edge& e) { return std::pair(e.to, e.tensor); });
    for (Edge e : fitting) {
      e.ranks = between(first, e);
      e.from = index;
      e.from_input = true;
      e.through = {};
      add_edge(e, false);
    }
  }

  // The ranks of two readers of one tensor, by way of the ranks that each has in common with its maker.
  StatedRanks between(const Edge& first, const Edge& e) const {
    StatedRanks out{true, {}};
    for (const RankPair& pair : e.ranks.pairs) {
      const auto same = std::ranges::find(first.ranks.pairs, pair.maker, &RankPair::maker);
      if (same != first.ranks.pairs.end()) out.pairs.push_back({same->reader, pair.reader});
    }
    const auto reader = [&](const Edge& of) { return &out_.layers[kept_.at(at(of.to))].workload; };
    const EdgeEnds ends{reader(first), first.tensor, reader(e), e.tensor, true};
    if (out.pairs.empty() || rank_problem(ends, out.pairs)) return {};
    return out;
  }

  // The name, longer if a layer or an input has it.
  std::string unused(std::string name) {
    if (names_.empty()) {
      for (const Layer& layer : out_.layers) names_.insert(layer.workload.name);
      for (const Input& input : network_.inputs) names_.insert(input.name);
    }
    while (!names_.insert(name).second) name += "_";
    return name;
  }

  // Whether, in every block, both operands have one and the same source.
  bool shared_in_all(const Edge& a, const Edge& b) const {
    const auto words = [&](const Edge& e) { return out_.layers[kept_.at(at(e.to))].workload.tensor_words(e.tensor); };
    if (words(a) != words(b)) return false;
    const Repetition run = run_of(at(a.to));
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
      if (added) out_.inputs.push_back(network_.inputs[e.from]);
      e.from = found->second;
      const u64 words = out_.layers[e.to].workload.tensor_words(e.tensor);
      u64& least = out_.inputs[e.from].words;
      least = added ? words : std::min(least, words);
    }
    std::ranges::stable_sort(out_.edges, {}, [](const Edge& e) { return std::pair(e.to, e.tensor); });
  }

  Network network_;
  std::vector<const Edge*> read_by_;          // [input]: its first reader
  std::vector<int> tokens_;                   // [layer]
  std::vector<std::vector<Link>> links_;      // [layer]
  std::map<std::size_t, Repetition> chosen_;  // [first layer]
  std::map<std::size_t, std::size_t> kept_;   // [layer]: of out_
  std::map<std::tuple<std::size_t, int, int>, std::vector<Edge>>
      outside_;                            // [run, source (below 0: an input), operator]
  std::set<std::pair<int, int>> joined_;   // layers of out_ and their tensors that edges lead to
  std::unordered_set<std::string> names_;  // of the layers and inputs of out_
  Network out_;
};

}  // namespace

Network merge_blocks(Network network) { return BlockMerger(std::move(network)).run(); }

}  // namespace heliolite::onnx
