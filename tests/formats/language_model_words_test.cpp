// Words of language models against another program's: AccelForge's regression_reference.json (MIT, commit 1c1929c2)
// records for its machine `snowcat` the bits that cross DRAM when every Einsum reads its operands once and writes its
// output once. Its models have no router, no rotated part of latent keys, and softmax, gates and sums as Einsums.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "engine/base/yaml_node.h"
#include "engine/formats/language_model/import.h"
#include "engine/formats/load_network.h"
#include "workloads/workload_yaml.h"

namespace heliolite::language_model_words_test {
namespace {

using Bits = std::function<u64(const std::string& layer, const std::string& tensor)>;

u64 bits_moved(const Network& network, const Bits& bits) {
  u64 sum = 0;
  for (const Layer& layer : network.layers) {
    if (layer.workload.name == "router") continue;
    for (std::size_t v = 0; v < layer.workload.tensors.size(); ++v)
      sum += layer.count * layer.workload.tensor_words(static_cast<int>(v)) *
             bits(layer.workload.name, layer.workload.tensors[v].name);
  }
  return sum;
}

Bits all(u64 bits) {
  return [bits](const std::string&, const std::string&) { return bits; };
}

Network load(const std::string& what) {
  const Result<Network> network = load_network(what);
  EXPECT_TRUE(network.ok()) << what << "\n" << to_string(network.errors());
  return network.ok() ? *network : Network{};
}

Network of_text(const std::string& text, const std::string& options) {
  const Result<YamlNode> root = YamlNode::parse(text, "config.json");
  EXPECT_TRUE(root.ok()) << to_string(root.errors());
  const Result<Network> network = language_model::import_config(*root, "model", "config.json", options, {});
  EXPECT_TRUE(network.ok()) << to_string(network.errors());
  return network.ok() ? *network : Network{};
}

constexpr const char* kBlock = "new=256,elementwise=layers,layers=";

TEST(LanguageModelWords, OfABlockAreThoseOfAccelForge) {
  const std::map<std::string, std::pair<std::string, u64>> rows{
      {"gpt3_175b", {"1", 30'500'978'688}},         {"llama3_8b", {"1", 4'177'526'784}},
      {"mixtral_8x22b", {"1", 41'439'723'520}},     {"qwen3_8b", {"1", 3'724'541'952}},
      {"qwen3_30b_a3b", {"1", 10'561'257'472}},     {"llama4_scout", {"1", 36'175'872'000}},
      {"llama4_maverick", {"2-2", 261'661'655'040}}};
  for (const auto& [preset, row] : rows)
    EXPECT_EQ(bits_moved(load(preset + "@" + kBlock + row.first), all(16)), row.second) << preset;
}

TEST(LanguageModelWords, OfAConfigAreThoseOfAccelForge) {
  const std::string gpt3_6_7b =
      R"({"model_type": "gpt2", "n_embd": 4096, "n_layer": 32, "n_head": 32, "n_inner": null, "vocab_size": 50257})";
  EXPECT_EQ(bits_moved(of_text(gpt3_6_7b, std::string(kBlock) + "1"), all(16)), 3'724'541'952U);
}

// Latent attention in the latent space, whose row has words of 8 and of 16 bits.
TEST(LanguageModelWords, OfLatentAttentionAreThoseOfAccelForge) {
  std::string config(*workload_preset("deepseek_v3"));
  const std::string rotated = "qk_rope_head_dim: 64";
  config.replace(config.find(rotated), rotated.size(), "qk_rope_head_dim: 0");
  const Network block = of_text(config, std::string(kBlock) + "4-4,absorbed=yes");
  // [layer]: operands of 16 bits.
  const std::map<std::string, std::string> wide{
      {"kv_down", "Z"},     {"q_absorb", "Z"},    {"scores", "KQS"},  {"softmax", "SP"},
      {"context", "VS"},    {"shared_gate", "Z"}, {"shared_up", "Z"}, {"shared_multiply", "GU"},
      {"shared_down", "Z"}, {"expert_gate", "Z"}, {"expert_up", "Z"}, {"expert_multiply", "GU"},
      {"expert_down", "Z"}, {"sum", "ABZ"}};
  const Bits bits = [&](const std::string& layer, const std::string& tensor) -> u64 {
    const auto found = wide.find(layer);
    return found != wide.end() && found->second.find(tensor) != std::string::npos ? 16 : 8;
  };
  EXPECT_EQ(bits_moved(block, bits), 94'466'211'840U);
}

// The rows that are no language models: chains of products, two mobile bottlenecks, one step of a state space.
TEST(LanguageModelWords, OfOtherRowsAreThoseOfAccelForge) {
  const auto sum = [](const std::vector<std::string>& einsums) {
    u64 words = 0;
    for (const std::string& text : einsums) words += bits_moved(load(text), all(8));
    return words;
  };
  const std::string gemm = "Z[m,n] += A[m,k]*B[k,n]; ";
  EXPECT_EQ(2 * sum({gemm + "m=64,n=64,k=64"}), 196'608U);
  EXPECT_EQ(sum({"Y[n] += A[m]*B[m,n]; m=4,n=3", "Z[n] += Y[m]*C[m,n]; m=3,n=4"}), 304U);
  EXPECT_EQ(3 * sum({gemm + "m=128,n=128,k=128"}), 1'179'648U);
  const std::string pixels = "p=28,q=28";
  EXPECT_EQ(2 * sum({"Z[t,p,q] += W[n,t]*I[n,p,q]; n=24,t=192," + pixels,
                     "Z[t,p,q] += W[t,r,s]*I[t,p+r,q+s]; t=192,r=3,s=3," + pixels,
                     "Z[n,p,q] += W[t,n]*I[t,p,q]; n=24,t=192," + pixels}),
            10'767'360U);
  const std::string d = "d=4096", n = "n=128", down = "B[n] += W[d,n]*X[d]; " + d + "," + n;
  const std::string outer = "Z[d,n] = A[d,n]*X[d]; " + d + "," + n, same = "Z[d,n] = A[d,n]*H[d,n]; " + d + "," + n;
  EXPECT_EQ(sum({down, down, down, "Z[d] += W[d,n]*X[n]; " + d + "," + n, "Z[d] = X[d]; " + d, outer, same, outer, same,
                 "S[d] += C[n]*H[d,n]; " + d + "," + n, "Z[d] = A[d]*X[d]; " + d, "Z[d] = X[d]; " + d}),
            63'378'432U);
}

}  // namespace
}  // namespace heliolite::language_model_words_test
