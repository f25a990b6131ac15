// The best cuts of a chain against all cuts, and the numbers of the paper on networks.
#include "engine/bounds/fusion/cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>

#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/network/network_bound.h"
#include "tests/support/load.h"
#include "workloads/workload_yaml.h"

namespace heliolite::segment_test {
namespace {

Network network_of(const std::string& text) {
  const auto root = YamlNode::parse(text, "net.yaml");
  EXPECT_TRUE(root.ok());
  const auto network = network_from_yaml(*root, "net");
  EXPECT_TRUE(network.ok()) << to_string(network.errors());
  return *network;
}

const char* const kThree =
    "layers:\n- {name: a, gemm: 6x8x4}\n- {name: b, gemm: 12x8x6}\n- {name: c, gemm: 4x8x12}\n"
    "edges:\n- {from: a, to: b, tensor: B}\n- {from: b, to: c, tensor: B}\n";

// Accesses of links [first, last) as one segment: alone, with whole intermediates inside, or tiled.
std::optional<u64> segment_accesses(const Network& network, const Chain& chain, std::size_t first, std::size_t last,
                                    u64 capacity) {
  const auto accesses = [&](std::size_t e, bool operand, bool output) -> std::optional<u64> {
    const Workload& w = network.layers[static_cast<std::size_t>(chain.links[e].layer)].workload;
    OrojenesisOptions options;
    options.word_size = chain.unit.sizes(w);
    if (operand) options.resident |= static_cast<TensorMask>(1u << chain.links[e].input);
    if (output) options.resident |= static_cast<TensorMask>(1u << w.output());
    const auto curve = one_buffer_curve(w, options);
    const auto* point = curve->at(capacity);
    return point == nullptr ? std::nullopt : std::optional(point->accesses);
  };
  std::optional<u64> untiled = 0;
  for (std::size_t e = first; e < last; ++e) {
    const auto one = accesses(e, e > first, e + 1 < last);
    untiled = one && untiled ? std::optional(*untiled + *one) : std::nullopt;
  }
  const auto tiled = tiled_fusion(std::span(chain.links).subspan(first, last - first));
  const auto point = tiled ? tiled->at(capacity) : std::nullopt;
  if (!point) return untiled;
  return untiled ? std::min(*untiled, point->accesses) : point->accesses;
}

TEST(Segments, AreTheBestOfAllCuts) {
  for (const std::string& text :
       {std::string(kThree),
        std::string("layers:\n- {name: a, bmm: 2x6x4x3}\n"
                    "- {name: b, bmm: 2x3x4x6}\n- {name: c, gemm: 5x4x6}\n"
                    "edges:\n- {from: a, to: b, tensor: B, through: softmax}\n"
                    "- {from: b, to: c, tensor: B}\n"),
        kThree + std::string("word_bits: {A: 4, B: 8, Z: 12}\n"), kThree + std::string("word_bits: 16\n")}) {
    const Network network = network_of(text);
    const auto chains = find_chains(network, *word_unit(network));
    ASSERT_EQ(chains.size(), 1u);
    SegmentCurves known;
    const auto segmented = SegmentedChain::create(network, chains[0], {}, known);
    ASSERT_TRUE(segmented.ok());
    const std::size_t count = chains[0].links.size();
    for (const u64 capacity : segmented->capacities()) {
      u64 best = ~u64{0};
      for (u32 cuts = 0; cuts < 1u << (count - 1); ++cuts) {
        u64 sum = 0;
        bool fits = true;
        for (std::size_t first = 0, e = 0; e < count; ++e) {
          if (e + 1 < count && (cuts >> e & 1) == 0) continue;
          const auto one = segment_accesses(network, chains[0], first, e + 1, capacity);
          fits = fits && one;
          sum += one.value_or(0);
          first = e + 1;
        }
        if (fits) best = std::min(best, sum);
      }
      const Segmentation found = segmented->best(capacity);
      EXPECT_EQ(found.accesses, best) << capacity;
      for (const Segment& s : found.segments) EXPECT_LE(s.buffer, capacity);
    }
  }
}

// And never less than any schedule must move.
TEST(Segments, NeverLoseAgainstNoFusion) {
  for (const char* name : {"gpt3_6.7b_block", "bert_base_block", "conv_pair", "inverted_bottleneck"}) {
    const auto network = load_network(name);
    ASSERT_TRUE(network.ok());
    const auto segmented = SegmentedNetwork::create(*network);
    ASSERT_TRUE(segmented.ok());
    u64 before = ~u64{0};
    for (const u64 capacity : segmented->capacities()) {
      const u64 fused = segmented->fused(capacity);
      EXPECT_LE(fused, segmented->unfused(capacity)) << name;
      EXPECT_LE(fused, before) << name;
      before = fused;
    }
    for (u64 capacity = 1; capacity < u64{1} << 32; capacity *= 16)
      EXPECT_GE(segmented->fused(capacity), network_bound(*network, static_cast<double>(capacity)).words) << name;
  }
}

TEST(Segments, PointsStopWhenAsked) {
  const auto segmented = SegmentedNetwork::create(*load_network("conv_pair"));
  ASSERT_TRUE(segmented.ok());
  std::atomic<bool> stop = false;
  const std::vector<u64> buffers{100, 10'000};
  EXPECT_EQ(segmented->points(buffers, &stop).size(), 2u);
  EXPECT_GT(segmented->points(&stop).size(), 2u);
  stop = true;
  EXPECT_TRUE(segmented->points(buffers, &stop).empty());
  EXPECT_TRUE(segmented->points(&stop).empty());
}

// Large buffers leave operands of the first links, the residual, weights and results: what no fusion avoids.
TEST(Segments, EndAtTheCompulsoryWords) {
  const auto block = load_network("gpt3_6.7b_block");
  const auto segmented = SegmentedNetwork::create(*block);
  ASSERT_TRUE(segmented.ok());
  const u64 tokens = 2048, d = 4096;
  const u64 key_and_value = 2 * (2 * tokens * d + d * d);
  const u64 chain = 2 * tokens * d + 2 * tokens * d + 2 * d * d + 8 * d * d;
  const u64 residual = tokens * d;
  EXPECT_EQ(segmented->fused(u64{1} << 40), key_and_value + chain + residual);
}

// Huang et al., ISCA 2024, bytes of one word each: 5.6 times less from 320 MB on, 2.5 times at 50 MB.
TEST(Segments, SaveWhatThePaperSaysAndMore) {
  const auto block = load_network(HELIOLITE_TEST_DATA "/../configs/orojenesis/gpt3_block.yaml@batch=16");
  SegmentOptions options{.fusion = kPublishedTemplates};
  for (const bool inner_pairs : {false, true}) {
    options.fusion.inner_pairs = inner_pairs;
    const auto segmented = SegmentedNetwork::create(*block, options);
    ASSERT_TRUE(segmented.ok());
    const auto reduction = [&](u64 capacity) {
      return static_cast<double>(segmented->unfused(capacity)) / static_cast<double>(segmented->fused(capacity));
    };
    EXPECT_NEAR(reduction(320'000'000), 5.84, 0.01);
    EXPECT_NEAR(reduction(50'000'000), inner_pairs ? 3.18 : 2.83, 0.01);
  }
}

// A network of equal layers costs what its different segments cost: the 198 segments of 24 links have 11 shapes.
TEST(Segments, KnowEqualLayers) {
  std::string text = "layers:\n", edges = "edges:\n";
  for (int l = 0; l < 24; ++l) text += "- {name: g" + std::to_string(l) + ", gemm: 60x60x60}\n";
  for (int l = 1; l < 24; ++l)
    edges += "- {from: g" + std::to_string(l - 1) + ", to: g" + std::to_string(l) + ", tensor: B}\n";
  const Network network = network_of(text + edges);
  SegmentCurves known;
  ASSERT_TRUE(SegmentedChain::create(network, find_chains(network)[0], {}, known).ok());
  EXPECT_EQ(known.segments.size(), 11u);  // of 2 to 12 links
  EXPECT_EQ(known.layers.size(), 4u);     // operand, output, both or neither in the buffer
}

TEST(Provision, TakesTheBestStep) {
  const Chip chip{.area_um2 = 100, .mac_um2 = 1, .word_um2 = 1, .hertz = 1, .words_per_second = 1};
  const std::vector<CurveStep> curve{{0, 1000}, {10, 100}, {50, 20}, {200, 10}};
  const auto all = provisions(chip, 6000, curve);
  ASSERT_EQ(all.size(), 3u);  // 200 words do not fit
  EXPECT_DOUBLE_EQ(all[0].macs_per_second, 6);
  EXPECT_DOUBLE_EQ(all[1].macs_per_second, 60);
  EXPECT_DOUBLE_EQ(all[2].macs_per_second, 50);  // the units left are the limit
  EXPECT_EQ(best_provision(all).buffer, 10u);
  EXPECT_EQ(best_provision({}).macs_per_second, 0);
}

}  // namespace
}  // namespace heliolite::segment_test
