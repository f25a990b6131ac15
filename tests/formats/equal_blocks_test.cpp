// Runs of equal blocks against a search that compares every block that may begin anywhere, layer by layer.
#include "engine/formats/onnx/merge.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace heliolite::equal_blocks_test {
namespace {

using onnx::Link;
using onnx::Repetition;
using Links = std::vector<std::vector<Link>>;

// Links from within a block that begins `offset` layers before the layer.
std::vector<Link> within(const std::vector<Link>& links, std::size_t offset) {
  std::vector<Link> out;
  for (const Link& link : links)
    if (link.input < 0 && link.back <= offset) out.push_back(link);
  return out;
}

bool equal_layers(const std::vector<int>& tokens, const Links& links, std::size_t a, std::size_t b, std::size_t o) {
  return b + o < tokens.size() && tokens[a + o] == tokens[b + o] && within(links[a + o], o) == within(links[b + o], o);
}

// Blocks from `first` on that equal the first one.
Repetition run_from(const std::vector<int>& tokens, const Links& links, std::size_t first, std::size_t length) {
  Repetition run{first, length, 1};
  for (;; ++run.repeats)
    for (std::size_t o = 0; o < length; ++o)
      if (!equal_layers(tokens, links, first, run.end(), o)) return run;
}

std::vector<Repetition> slow_runs(const std::vector<int>& tokens, const Links& links) {
  std::vector<Repetition> out;
  for (std::size_t length = 2; length <= tokens.size() / 2; ++length) {
    for (std::size_t first = 0, last = 0; last + length <= tokens.size(); first = ++last) {
      while (last + length < tokens.size() && tokens[last] == tokens[last + length]) ++last;
      if (last - first < length) continue;
      Repetition best;
      std::size_t most = 0;
      for (std::size_t start = first; start <= first + (last - first) % length; ++start) {
        std::size_t count = 0;
        for (std::size_t o = 0; o < length; ++o) count += within(links[start + o], o).size();
        const Repetition run = run_from(tokens, links, start, length);
        if (run.repeats < 2 || count <= most) continue;
        most = count;
        best = run;
      }
      if (most > 0) out.push_back(best);
    }
  }
  return out;
}

}  // namespace

RC_GTEST_PROP(EqualBlocks, AreThoseOfTheSlowSearch, ()) {
  const auto below = [](int end) { return *rc::gen::inRange(0, end); };
  // A few blocks, repeated, with some layers and links changed.
  const int period = 1 + below(5), layers = below(40);
  std::vector<int> tokens;
  Links links;
  for (int i = 0; i < layers; ++i) {
    const bool odd = below(12) == 0;
    tokens.push_back(odd ? below(3) : i % period % 3);
    std::vector<Link>& of = links.emplace_back();
    for (int l = odd ? below(3) : 1 + i % period % 2; l > 0; --l) {
      const std::size_t back = static_cast<std::size_t>(odd ? 1 + below(12) : 1 + (i % period) * l);
      if (back <= static_cast<std::size_t>(i)) of.push_back({back, below(10) == 0, below(15) == 0 ? 0 : -1});
    }
    std::ranges::sort(of);
  }
  RC_ASSERT(onnx::equal_runs(tokens, links) == slow_runs(tokens, links));
}

TEST(EqualBlocks, DisjointRunsSaveMostFirst) {
  const std::vector<Repetition> runs = onnx::disjoint({{0, 2, 3}, {4, 4, 3}, {16, 2, 2}, {0, 4, 2}}, 20);
  EXPECT_EQ(runs, (std::vector<Repetition>{{4, 4, 3}, {16, 2, 2}}));
}

// Every length fits everywhere, and every layer reads another way back: work that grew with the square of the length
// would take minutes.
TEST(EqualBlocks, TakeTimeLinearInTheLayers) {
  const std::size_t layers = 20'000;
  const std::vector<int> tokens(layers, 0);
  Links links(layers);
  for (std::size_t i = 1; i < layers; ++i) links[i].push_back({1 + i * i % std::min<std::size_t>(i, 499)});
  const std::vector<Repetition> runs = onnx::equal_runs(tokens, links);
  EXPECT_FALSE(runs.empty());
}

}  // namespace heliolite::equal_blocks_test
