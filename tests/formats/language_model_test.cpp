// Language models by their config: sizes against published parameters and closed forms, against the presets that list
// their layers one by one, and against counts of random models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "engine/base/yaml_node.h"
#include "engine/formats/language_model/blocks.h"
#include "engine/formats/language_model/import.h"
#include "engine/formats/load_network.h"
#include "workloads/workload_yaml.h"

namespace heliolite::language_model_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Network load(const std::string& what) {
  const Result<Network> network = load_network(what);
  EXPECT_TRUE(network.ok()) << what << "\n" << to_string(network.errors());
  return network.ok() ? *network : Network{};
}

Result<Network> read(const std::string& config, const std::optional<std::string>& options = {}) {
  const Result<YamlNode> root = YamlNode::parse(config, "config.json");
  if (!root) return root.errors();
  return language_model::import_config(*root, "model", "config.json" + (options ? "@" + *options : ""), options, {});
}

Network model(const std::string& config, const std::optional<std::string>& options = {}) {
  const Result<Network> network = read(config, options);
  EXPECT_TRUE(network.ok()) << config << "\n" << to_string(network.errors());
  return network.ok() ? *network : Network{};
}

Layer layer(const Network& network, const std::string& name) {
  const auto it = std::ranges::find(network.layers, name, [](const Layer& l) { return l.workload.name; });
  if (it == network.layers.end()) throw std::runtime_error("no layer " + name);
  return *it;
}

// Words of trained weights: the operand A of the products, and the kernels of convolutions and state spaces.
u64 weights(const Network& network) {
  u64 words = 0;
  for (const Layer& l : network.layers) {
    const bool cache = l.workload.find_tensor("K") || l.workload.find_tensor("V");
    for (std::size_t v = 0; v < l.workload.tensors.size() && !cache; ++v)
      if (l.workload.tensors[v].role == Role::Weight) words += l.count * l.workload.tensor_words(static_cast<int>(v));
  }
  return words;
}

// Sizes of each layer, its count beside them.
std::map<std::string, u64> shapes(const Network& network) {
  std::map<std::string, u64> found;
  for (const Layer& l : network.layers) found[shape_text(l.workload)] += l.count;
  return found;
}

// What the makers publish, less the table of embeddings, which is looked up, and norms.
TEST(LanguageModel, HasThePublishedParameters) {
  struct Published {
    double all, active, embeddings;
  };
  const std::map<std::string, Published> models{{"gpt3_175b", {174.6e9, 174.6e9, 0.64e9}},
                                                {"llama3_8b", {8.03e9, 8.03e9, 0.525e9}},
                                                {"llama3_70b", {70.55e9, 70.55e9, 1.05e9}},
                                                {"llama4_scout", {107.8e9, 17.2e9, 1.03e9}},
                                                {"llama4_maverick", {400.7e9, 17.2e9, 1.03e9}},
                                                {"qwen3_8b", {8.19e9, 8.19e9, 0.622e9}},
                                                {"qwen3_30b_a3b", {30.53e9, 3.35e9, 0.311e9}},
                                                {"mixtral_8x22b", {140.6e9, 39.15e9, 0.197e9}},
                                                {"deepseek_v3", {671.0e9, 37.55e9, 0.927e9}},
                                                {"mamba_2.8b", {2.77e9 + 0.129e9, 2.77e9 + 0.129e9, 0.129e9}},
                                                {"mamba2_2.7b", {2.70e9 + 0.129e9, 2.70e9 + 0.129e9, 0.129e9}}};
  for (const auto& [name, published] : models) {
    const double all = static_cast<double>(weights(load(name + "@new=2048"))) + published.embeddings;
    const double active = static_cast<double>(weights(load(name + "@phase=decode"))) + published.embeddings;
    EXPECT_NEAR(all, published.all, published.all * 0.005) << name;
    EXPECT_NEAR(active, published.active, published.active * 0.01) << name;
  }
}

// Decoding multiplies each active weight once for each sequence, and each cached key and value once for each head.
TEST(LanguageModel, MultipliesWeightsAndCachesOnce) {
  const Network one = load("llama3_70b@phase=decode,cached=8191"),
                many = load("llama3_70b@phase=decode,cached=8191,batch=16");
  const u64 caches = u64{80} * 2 * 64 * 128 * 8192;
  EXPECT_EQ(one.macs(), weights(one) + caches);
  EXPECT_EQ(many.macs(), 16 * one.macs());
  EXPECT_EQ(weights(many), weights(one));
  const Workload scores = layer(many, "scores").workload;
  EXPECT_EQ(scores.tensor_words(*scores.find_tensor("K")), u64{16} * 8 * 8192 * 128);
  EXPECT_EQ(many.batch, 16U);
  EXPECT_EQ(many.tokens, 1U);
}

TEST(LanguageModel, HasTheLayersOfPresetsThatListThem) {
  EXPECT_EQ(shapes(load("llama3_8b@layers=1")), shapes(load("llama3_8b_prefill_block")));
  EXPECT_EQ(shapes(load("llama3_8b@layers=1,phase=decode")), shapes(load("llama3_8b_decode_block")));
  for (const auto& [ours, listed] : {std::pair{"llama3_8b@layers=1", "llama3_8b_prefill_block"},
                                     {"llama3_8b@layers=1,phase=decode", "llama3_8b_decode_block"}})
    EXPECT_EQ(load(ours).edges.size(), load(listed).edges.size());
  EXPECT_EQ(load("llama3_8b").macs(), load("llama3_8b_prefill_whole").macs());
  EXPECT_EQ(load("llama3_8b@phase=decode").macs(), load("llama3_8b_decode_whole").macs());
  const Network vit = model(
      "{model_type: vit, hidden_size: 768, num_hidden_layers: 12, num_attention_heads: 12, intermediate_size: 3072, "
      "image_size: 224, patch_size: 16, num_channels: 3, num_labels: 1000}");
  EXPECT_EQ(vit.macs(), load("vit_b16").macs());
  const Network bert = model(
      "{model_type: bert, hidden_size: 768, num_hidden_layers: 12, num_attention_heads: 12, intermediate_size: 3072, "
      "max_position_embeddings: 512, vocab_size: 30522}");
  EXPECT_EQ(bert.macs(), load("bert_base").macs());
}

// 61.6 G MACs: the count that model libraries state for ViT-L/16 at 224 pixels.
TEST(LanguageModel, ReadsImages) { EXPECT_NEAR(static_cast<double>(load("vit_l16").macs()), 61.6e9, 0.1e9); }

TEST(LanguageModel, SpreadsTokensOverExperts) {
  const std::string config =
      "{model_type: mixtral, hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, "
      "num_local_experts: 6, num_experts_per_tok: 2, vocab_size: 32}";
  const auto experts = [&](u64 tokens) {
    std::vector<std::pair<u64, u64>> found;  // experts, tokens of each
    const Network network = model(config, fmt::format("new={}", tokens));
    u64 macs = 0;
    for (const Layer& l : network.layers)
      if (l.workload.name.starts_with("expert_")) {
        macs += l.workload.macs();
        if (l.workload.name.starts_with("expert_up"))
          found.emplace_back(l.workload.dimensions[0].size,
                             l.workload.tensor_words(2) / l.workload.dimensions[0].size / 16);
      }
    EXPECT_EQ(macs, tokens * 2 * 3 * 8 * 16);
    return found;
  };
  EXPECT_THAT(experts(1), ElementsAre(std::pair{2, 1}));
  EXPECT_THAT(experts(3), ElementsAre(std::pair{6, 1}));
  EXPECT_THAT(experts(4), ElementsAre(std::pair{4, 1}, std::pair{2, 2}));
  EXPECT_THAT(experts(6), ElementsAre(std::pair{6, 2}));
}

// In the latent space or out of it the same scores are made of other products.
TEST(LanguageModel, AbsorbsLatentProjections) {
  const Network absorbed = load("deepseek_v3@layers=1,new=64,absorbed=yes"), up = load("deepseek_v3@layers=1,new=64");
  EXPECT_EQ(layer(absorbed, "scores").workload.macs(), u64{128} * 64 * 64 * (512 + 64));
  EXPECT_EQ(layer(up, "scores").workload.macs(), u64{128} * 64 * 64 * (128 + 64));
  EXPECT_EQ(weights(absorbed), weights(up));
  // The cache of a token is 576 words, whatever the heads.
  const Workload scores = layer(load("deepseek_v3@layers=1,phase=decode,cached=4095"), "scores").workload;
  EXPECT_EQ(scores.tensor_words(*scores.find_tensor("K")), u64{576} * 4096);
}

TEST(LanguageModel, WeighsSeveralRuns) {
  const Network both = load("llama3_8b@phase=prefill+decode,new=512+1,cached=0+512,times=1+64");
  const u64 prefill = load("llama3_8b@new=512").macs(), decode = load("llama3_8b@phase=decode,cached=512").macs();
  EXPECT_EQ(both.macs(), prefill + 64 * decode);
  EXPECT_EQ(both.tokens, 512U + 64);
  EXPECT_EQ(both.one_run, "prefill of 512 tokens, 64 times decode of 1 token after 512");
  EXPECT_EQ(layer(both, "decode.k_proj").count, 32U * 64);
  const Network contexts = load("llama3_8b@phase=decode,cached=1024+4096");
  EXPECT_EQ(contexts.macs(),
            load("llama3_8b@phase=decode,cached=1024").macs() + load("llama3_8b@phase=decode,cached=4096").macs());
}

// Blocks that look at a window or a chunk alone.
TEST(LanguageModel, LooksBackAsFarAsItsBlocksDo) {
  using language_model::LookBack;
  using language_model::Run;
  const auto text = [](LookBack reach, u64 window, u64 fresh, u64 cached) {
    std::string all;
    for (const auto& s : language_model::spans(reach, window, Run{.fresh = fresh, .cached = cached}))
      all += fmt::format("{}x{}/{}{} ", s.count, s.fresh, s.context, s.sliding ? "s" : "");
    return all;
  };
  EXPECT_EQ(text(LookBack::All, 0, 5, 7), "1x5/12 ");
  EXPECT_EQ(text(LookBack::Window, 16, 5, 7), "1x5/12 ");
  EXPECT_EQ(text(LookBack::Window, 8, 1, 100), "1x1/8 ");
  EXPECT_EQ(text(LookBack::Window, 8, 32, 0), "1x32/8s ");
  EXPECT_EQ(text(LookBack::Chunk, 8, 8, 0), "1x8/8 ");
  EXPECT_EQ(text(LookBack::Chunk, 8, 20, 3), "1x5/8 1x8/8 1x7/7 ");
  EXPECT_EQ(text(LookBack::Chunk, 8, 1, 17), "1x1/2 ");
  const std::string gemma =
      "{model_type: gemma3_text, hidden_size: 32, num_hidden_layers: 7, num_attention_heads: 4, head_dim: 16, "
      "num_key_value_heads: 2, intermediate_size: 64, sliding_window: 8, vocab_size: 64}";
  const Network prefill = model(gemma, "new=32");
  EXPECT_EQ(layer(prefill, "local.scores").count, 6U);
  EXPECT_EQ(layer(prefill, "global.scores").count, 1U);
  const Workload local = layer(prefill, "local.scores").workload;
  EXPECT_EQ(local.macs(), u64{4} * 16 * 32 * 8);
  EXPECT_EQ(local.tensor_words(*local.find_tensor("K")), u64{2} * 16 * (32 + 8 - 1));
  EXPECT_EQ(layer(model(gemma, "phase=decode,cached=31"), "local.scores").workload.macs(), u64{4} * 16 * 8);
}

// Random models of dense blocks: MACs are those of projections, scores and the head.
RC_GTEST_PROP(LanguageModel, MacsAreTheClosedForm, ()) {
  const u64 keys = *rc::gen::inRange<u64>(1, 4), groups = *rc::gen::inRange<u64>(1, 4),
            head = 8 * *rc::gen::inRange<u64>(1, 4);
  const u64 layers = *rc::gen::inRange<u64>(1, 5), wide = *rc::gen::inRange<u64>(1, 99),
            words = *rc::gen::inRange<u64>(1, 99);
  const u64 batch = *rc::gen::inRange<u64>(1, 4), fresh = *rc::gen::inRange<u64>(1, 9),
            cached = *rc::gen::inRange<u64>(0, 9);
  const u64 hidden = *rc::gen::inRange<u64>(1, 65);
  const bool gated = *rc::gen::arbitrary<bool>(), split = *rc::gen::arbitrary<bool>();
  const std::string config = fmt::format(
      "{{model_type: {}, hidden_size: {}, num_hidden_layers: {}, num_attention_heads: {}, num_key_value_heads: {}, "
      "head_dim: {}, intermediate_size: {}, vocab_size: {}}}",
      gated ? "llama" : "starcoder2", hidden, layers, keys * groups, keys, head, wide, words);
  const Network network = model(config, fmt::format("batch={},new={},cached={},logits=all,elementwise={}", batch, fresh,
                                                    cached, split ? "layers" : "edges"));
  const u64 tokens = batch * fresh;
  const u64 projections = hidden * head * keys * (2 + 2 * groups), feed_forward = hidden * wide * (gated ? 3 : 2);
  const u64 pairs = batch * keys * groups * fresh * (fresh + cached);
  const u64 elementwise = split ? pairs + (gated ? tokens * wide : 0) : 0;
  RC_ASSERT(network.macs() == layers * (tokens * (projections + feed_forward) + 2 * pairs * head + elementwise) +
                                  tokens * hidden * words);
}

// Of a token of the preset, by hand: 2560 words become 10576 (5120 of the gate, 5120 channels, 128 of B, 128 of C, the
// steps of 80 heads), 5376 pass a window of 4; 80 heads of 64 channels have states of 128 words, which decay, take in
// and are read out; 5120 become 2560.
TEST(LanguageModel, HasHeadsThatDecayAlike) {
  const u64 states = u64{80} * 64 * 128, projections = u64{2560} * 10576 + u64{5120} * 2560;
  const u64 of_token = projections + u64{5376} * 4 + 3 * states;
  EXPECT_EQ(load("mamba2_2.7b@phase=decode,layers=1").macs(), of_token);
  EXPECT_EQ(load("mamba2_2.7b@batch=3,new=16,layers=1").macs(), 48 * of_token);
  // Groups read B and C of their own.
  const std::string config =
      "model_type: mamba2\nhidden_size: 256\nnum_hidden_layers: 2\nnum_heads: 8\nhead_dim: 64\n"
      "n_groups: 2\nstate_size: 16\nvocab_size: 32\n";
  const Workload readout = layer(model(config, "new=5"), "readout").workload;
  EXPECT_EQ(readout.tensor_words(*readout.find_tensor("C")), u64{2} * 16 * 5);
  EXPECT_EQ(readout.macs(), u64{8} * 64 * 16 * 5);
  std::string odd = config;
  odd.replace(odd.find("num_heads: 8"), 12, "num_heads: 7");
  EXPECT_THAT(to_string(read(odd).errors()), HasSubstr("7 heads of 64 words"));
}

// What is written reads back, with its edges.
TEST(LanguageModel, IsWrittenAsANetwork) {
  for (const char* what : {"deepseek_v3@layers=4-4,batch=3,new=5", "mamba_2.8b@batch=2,new=7",
                           "mamba2_2.7b@batch=2,new=7", "llama4_maverick@new=9000"}) {
    const Network network = load(what);
    const Result<Network> again = parse_network(write_network(network), "again.yaml");
    ASSERT_TRUE(again.ok()) << to_string(again.errors());
    EXPECT_EQ(again->macs(), network.macs());
    EXPECT_EQ(again->edges.size(), network.edges.size());
  }
}

}  // namespace
}  // namespace heliolite::language_model_test
