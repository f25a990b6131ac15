#include "engine/formats/onnx/merge.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "engine/base/integers.h"
#include "workloads/network_writer.h"

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
    if (added) {
      out.layers.push_back(std::move(network.layers[i]));
    } else {
      out.layers[at_token->second].count += network.layers[i].count;
    }
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
    const auto begin = taken.begin() + static_cast<std::ptrdiff_t>(run.first);
    const auto end = taken.begin() + static_cast<std::ptrdiff_t>(run.end());
    if (std::find(begin, end, true) != end) return true;
    std::fill(begin, end, true);
    return false;
  });
  return runs;
}

}  // namespace heliolite::onnx
