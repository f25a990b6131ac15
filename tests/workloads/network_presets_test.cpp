// The presets against the published totals, and every way of naming a workload.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "engine/formats/load_network.h"
#include "workloads/compact_text.h"
#include "workloads/workload_yaml.h"

namespace heliolite::network_presets_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

Network load(const std::string& what) {
  const Result<Network> network = load_network(what);
  EXPECT_TRUE(network.ok()) << what << "\n" << to_string(network.errors());
  return network.ok() ? *network : Network{};
}

std::string complaint(const std::string& what) {
  const Result<Network> network = load_network(what);
  return network.ok() ? "" : to_string(network.errors());
}

u64 executions(const Network& network) {
  u64 count = 0;
  for (const Layer& layer : network.layers) count += layer.count;
  return count;
}

const Workload& layer(const Network& network, const std::string& name) {
  const auto it = std::ranges::find(network.layers, name, [](const Layer& l) { return l.workload.name; });
  EXPECT_NE(it, network.layers.end()) << name;
  return it->workload;
}

u64 size(const Workload& w, const char* dimension) {
  const auto d = w.find_dimension(dimension);
  return d ? w.dimensions[static_cast<std::size_t>(*d)].size : 0;
}

// Words of the trained weights of all layers, repeats included; products of activations (dimension H) have none.
u64 weights(const Network& network) {
  u64 words = 0;
  for (const Layer& l : network.layers) {
    if (l.workload.find_dimension("H")) continue;
    for (std::size_t v = 0; v < l.workload.tensors.size(); ++v) {
      if (l.workload.tensors[v].role == Role::Weight) words += l.count * l.workload.tensor_words(static_cast<int>(v));
    }
  }
  return words;
}

struct Published {
  u64 macs;        // batch 1, classifier included
  u64 executions;  // convolutions and fully connected layers
  u64 weights;     // without biases and normalisation
};

// MACs and layers as in the papers; the weights are the papers' parameter counts less biases and normalisation, which
// catches what MACs alone do not (a wrong size compensated by another).
TEST(NetworkPresets, HavePublishedTotals) {
  const std::map<std::string, Published> published{
      {"resnet18", {1'814'073'344, 21, 11'678'912}},
      {"resnet50", {4'089'184'256, 54, 25'502'912}},
      {"mobilenet_v2", {300'774'272, 53, 3'469'760}},
      {"vgg16", {15'470'264'320, 16, 138'344'128}},
      {"alexnet", {724'406'816, 8, 60'954'656}},
      {"inception_v3", {5'713'216'096, 95, 23'799'136}},
      {"bert_base", {48'318'382'080, 96, 84'934'656}},
      {"resnet18_unrolled", {1'814'073'344, 21, 11'678'912}},
      {"resnet50_unrolled", {4'089'184'256, 54, 25'502'912}},
      {"mobilenet_v2_unrolled", {300'774'272, 53, 3'469'760}},
      {"vit_b16", {17'563'828'224, 98, 86'292'480}},
  };
  for (const auto& [name, expected] : published) {
    const Network network = load(name);
    EXPECT_EQ(network.name, name);
    EXPECT_EQ(network.macs(), expected.macs) << name;
    EXPECT_EQ(executions(network), expected.executions) << name;
    EXPECT_EQ(weights(network), expected.weights) << name;
  }
}

// To the digits usually quoted.
TEST(NetworkPresets, HaveTheQuotedGigaMacs) {
  const std::map<std::string, double> quoted{{"resnet18", 1.81},   {"resnet50", 4.09}, {"mobilenet_v2", 0.30},
                                             {"vgg16", 15.5},      {"alexnet", 0.724}, {"inception_v3", 5.71},
                                             {"gpt3_6.7b", 446.7}, {"bert_base", 48.3}};
  for (const auto& [name, giga] : quoted) {
    EXPECT_NEAR(static_cast<double>(load(name).macs()) / 1e9, giga, giga * 0.005) << name;
  }
}

// A network with edges has the layers of the one that counts them; groups of queries as a dimension change no words.
TEST(NetworkPresets, WithEdgesHaveTheSameLayers) {
  for (const char* name : {"resnet18", "resnet50", "mobilenet_v2"}) {
    std::map<std::string, u64> counted, unrolled;
    for (const Layer& l : load(name).layers) counted[shape_text(l.workload)] += l.count;
    for (const Layer& l : load(std::string(name) + "_unrolled").layers) unrolled[shape_text(l.workload)] += l.count;
    EXPECT_EQ(counted, unrolled) << name;
  }
  for (const auto& [grouped, stacked] :
       {std::pair{"llama3_8b_prefill_block", "llama3_8b_block"}, {"llama3_8b_decode_block", "llama3_8b_decode"}}) {
    EXPECT_EQ(load(grouped).macs(), load(stacked).macs()) << grouped;
    u64 words[2] = {0, 0};
    for (std::size_t which = 0; which < 2; ++which)
      for (const Layer& l : load(which == 0 ? grouped : stacked).layers)
        for (std::size_t v = 0; v < l.workload.tensors.size(); ++v)
          words[which] += l.count * l.workload.tensor_words(static_cast<int>(v));
    EXPECT_EQ(words[0], words[1]) << grouped;
  }
  // 3x3 convolutions, transposed ones of 2x2, and the last one: Ronneberger et al., figure 1, with two classes.
  EXPECT_EQ(weights(load("unet")), 31'023'808U);
}

// Whole models are their blocks, repeated, and a head. Weights of Llama 3 8B: 8.03 G, less the table of
// embeddings, which is looked up (128,256 x 4096), and norms.
TEST(NetworkPresets, WholeModelsRepeatTheirBlocks) {
  const Network decode = load("llama3_8b_decode_whole"), prefill = load("llama3_8b_prefill_whole");
  EXPECT_EQ(weights(decode), 8'030'261'248U - 128'256U * 4096 - 65U * 4096);
  EXPECT_EQ(weights(prefill), weights(decode));
  EXPECT_EQ(decode.macs(), 32 * load("llama3_8b_decode").macs() + 128'256U * 4096);
  EXPECT_EQ(prefill.macs(), 32 * load("llama3_8b_block").macs() + 128'256U * 4096);
  EXPECT_EQ(prefill.edges.size(), load("llama3_8b_block").edges.size());
  EXPECT_EQ(weights(load("gpt3_6.7b_whole")), 32 * weights(load("gpt3_6.7b")) + 50'257U * 4096);
}

// What one run of a preset is: a whole model, or it says what else.
TEST(NetworkPresets, SayWhatOneRunIs) {
  for (const char* whole : {"llama3_8b_decode_whole", "llama3_8b_prefill_whole", "gpt3_6.7b_whole", "bert_base"}) {
    EXPECT_EQ(load(whole).one_run, "") << whole;
    EXPECT_TRUE(load(whole).tokens) << whole;
  }
  for (const char* whole : {"resnet18", "resnet50", "mobilenet_v2", "vgg16", "alexnet", "inception_v3"})
    EXPECT_EQ(load(whole).one_run, "") << whole;
  EXPECT_EQ(load("inception_v3_wu").one_run, "the weight update");
  for (const char* part : {"llama3_8b_decode", "llama3_8b_block", "gpt3_6.7b", "gpt3_6.7b_block"})
    EXPECT_THAT(load(part).one_run, HasSubstr("one of the 32 blocks")) << part;
  for (const char* list : {"gemm", "gemm_prime", "conv", "mttkrp", "tccg"})
    EXPECT_THAT(load(list).one_run, HasSubstr("no network")) << list;
}

TEST(NetworkPresets, AllAreValid) {
  const std::vector<std::string> names = workload_preset_names();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (const char* name :
       {"resnet18", "resnet50", "mobilenet_v2", "inception_v3", "inception_v3_wu", "alexnet", "vgg16", "bert_base",
        "gpt3_6.7b", "llama3_8b_decode", "mttkrp", "ttmc", "sddmm", "mmc", "tcl", "gemm", "gemm_prime", "conv"}) {
    EXPECT_THAT(names, Contains(name));
  }
  for (const std::string& name : names) {
    for (const Layer& l : load(name).layers)
      EXPECT_EQ(to_string(check(l.workload)), "") << name << " " << l.workload.name;
  }
}

// Llama 3 8B: 8.03 G parameters, of which two matrices of 128256 x 4096 are the embedding and the head. Decoding reads
// the same weights, each once.
TEST(NetworkPresets, LlamaHasThePublishedParameters) {
  const Network prefill = load("llama3_8b_block"), decode = load("llama3_8b_decode");
  EXPECT_NEAR(static_cast<double>(32 * weights(prefill) + u64{2} * 128256 * 4096), 8.03e9, 0.005e9);
  EXPECT_EQ(weights(decode), weights(prefill));
  EXPECT_EQ(decode.macs(), weights(decode) + u64{2} * 8 * 4 * 2048 * 128);
}

TEST(NetworkPresets, MatchTheLayersOfTheReferenceRuns) {
  const Workload conv2 = layer(load("resnet18"), "conv2_x");
  EXPECT_EQ(conv2.macs(), 115'605'504U);
  EXPECT_EQ(size(layer(load("mobilenet_v2"), "b2_pw1"), "P"), 112U);
  EXPECT_EQ(size(layer(load("mobilenet_v2"), "b15_dw"), "C"), 960U);
  EXPECT_EQ(layer(load("mobilenet_v2"), "b15_dw").find_dimension("K"), std::nullopt);
  const Workload update = layer(load("conv"), "weight_update");
  for (const auto& [dimension, value] :
       std::map<std::string, u64>{{"R", 8}, {"S", 8}, {"P", 3}, {"Q", 3}, {"C", 16}, {"K", 384}, {"N", 384}}) {
    EXPECT_EQ(size(update, dimension.c_str()), value) << dimension;
  }
  EXPECT_EQ(layer(load("mttkrp"), "poisson").macs(), u64{256} * 256 * 256 * 32);
  EXPECT_EQ(layer(load("mmc"), "attention").macs(), u64{512} * 64 * 512 * 64);
  EXPECT_EQ(layer(load("sddmm"), "bcsstk17").macs(), u64{10974} * 10974 * 512);
  EXPECT_EQ(size(layer(load("alexnet"), "conv2"), "G"), 2U);
}

// The weight update of a layer does the MACs of its forward pass, batch included.
TEST(NetworkPresets, WeightUpdateSwapsRoles) {
  const Network forward = load("inception_v3"), update = load("inception_v3_wu");
  EXPECT_EQ(update.macs(), 16 * forward.macs());
  const Workload &f = layer(forward, "6a_3x3"), &u = layer(update, "6a_3x3");  // 3x3, stride 2, 288 -> 384, 17x17
  EXPECT_EQ(size(f, "C"), size(u, "N"));
  EXPECT_EQ(size(u, "C"), 16U);
  EXPECT_EQ(size(f, "K"), size(u, "K"));
  EXPECT_EQ(size(f, "P"), size(u, "R"));
  EXPECT_EQ(size(f, "R"), size(u, "P"));
  // The same input words are read, once per image.
  EXPECT_EQ(u.tensor_words(*u.find_tensor("Inputs")), 16 * f.tensor_words(*f.find_tensor("Inputs")));
  EXPECT_EQ(u.tensor_words(*u.find_tensor("Outputs")), f.tensor_words(*f.find_tensor("Weights")));
  EXPECT_EQ(u.tensor_words(*u.find_tensor("Weights")), 16 * f.tensor_words(*f.find_tensor("Outputs")));
}

TEST(LoadNetwork, TakesOptionsAndLayers) {
  EXPECT_EQ(load("resnet18@batch=16").macs(), 16 * load("resnet18").macs());
  const Network one = load("resnet18/conv2_x");
  EXPECT_EQ(one.name, "resnet18/conv2_x");
  ASSERT_EQ(one.layers.size(), 1U);
  EXPECT_EQ(one.layers[0].count, 1U);
  EXPECT_EQ(size(load("resnet18/conv3_1@batch=4").layers[0].workload, "N"), 4U);
  EXPECT_EQ(size(load("resnet18/conv3_1@batch=4,pass=weight_update").layers[0].workload, "C"), 4U);
  EXPECT_EQ(load("inception_v3@batch=16,pass=weight_update").macs(), load("inception_v3_wu").macs());
  EXPECT_EQ(load("gemm:8x8x8").layers.size(), 1U);
  EXPECT_EQ(load("o[i] += a[i,k]; i=2,k=3").macs(), 6U);
}

TEST(LoadNetwork, ExplainsWhatItDoesNotFind) {
  EXPECT_THAT(complaint("resnet81"), AllOf(HasSubstr("resnet81: no such workload, did you mean 'resnet18'?"),
                                           HasSubstr("gemm:512x512x512"), HasSubstr("a file"), HasSubstr("Einsum")));
  EXPECT_THAT(complaint(""), HasSubstr("no such workload"));
  EXPECT_THAT(complaint("resnet18/conv2"), AllOf(HasSubstr("no layer 'conv2'"), HasSubstr("did you mean 'conv")));
  EXPECT_THAT(complaint("resnet18/zzz"), HasSubstr("must be one of conv1, conv2_x"));
  EXPECT_THAT(complaint("resnet18@batch=0"), HasSubstr("batch = 0, must be an integer from 1 to 1000000"));
  EXPECT_THAT(complaint("resnet18@batch=99999999999999999999"), HasSubstr("must be an integer from 1 to 1000000"));
  EXPECT_THAT(complaint("resnet18@pass=up"), HasSubstr("pass = up, must be forward or weight_update"));
  EXPECT_THAT(complaint("resnet18@bathc=2"),
              HasSubstr("unknown option 'bathc', must be batch or pass, did you mean 'batch'?"));
  EXPECT_THAT(complaint("resnet18@"), HasSubstr("must be batch=N or pass=weight_update"));
  EXPECT_THAT(complaint("mttkrp@batch=2"), HasSubstr("has no batch dimension"));
  EXPECT_THAT(complaint("mobilenet_v2@pass=weight_update"), HasSubstr("layers are all conv or fc"));
  EXPECT_THAT(complaint("nowhere/x.yaml"), HasSubstr("nowhere/x.yaml: no such file"));
  EXPECT_THAT(complaint("/"), HasSubstr("no file in this folder ends in .yaml or .yml"));
  EXPECT_THAT(complaint("gem:1x2x3"), HasSubstr("did you mean 'gemm'?"));
}

class LoadFile : public ::testing::Test {
 protected:
  LoadFile() { std::filesystem::create_directories(folder_); }
  ~LoadFile() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("heliolite_load_" + std::to_string(::getpid()));
};

TEST_F(LoadFile, TellsFormatsApartByContent) {
  EXPECT_EQ(load(write("mine.yaml", "gemm: 2x3x4\n")).name, "mine");
  const std::string timeloop = write("tl.yaml", "problem: {shape: gemm-ABZ, instance: {M: 2, N: 3, K: 4}}\n");
  EXPECT_EQ(load(timeloop).macs(), 24U);
  EXPECT_EQ(load(write("net.json", R"({"layers": [{"name": "a", "gemm": "2x3x4", "count": 2}]})")).macs(), 48U);
  EXPECT_EQ(load(write("net.yaml", "layers: [{name: a, gemm: 2x3x4}]\n") + "@batch=5").macs(), 120U);
  EXPECT_THAT(complaint(timeloop + "@batch=2"), HasSubstr("'@batch' and '@pass' are for networks of ours"));
  EXPECT_THAT(complaint((folder_ / "nte.yaml").string()), AllOf(HasSubstr("no such file"), HasSubstr("'net.yaml'")));
}

TEST(LoadText, IsReadAsAFileIs) {
  const auto network = parse_network("layers: [{name: a, gemm: 2x3x4, count: 2}]", "folder/mine.yaml");
  ASSERT_TRUE(network.ok()) << to_string(network.errors());
  EXPECT_EQ(network->name, "mine");
  EXPECT_EQ(network->macs(), 48U);
  const auto wrong = parse_network("layers:\n  - {name: a, gemm: 2x3}", "mine.yaml");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(to_string(wrong.errors()), HasSubstr("mine.yaml:2: layers[0]"));
}

}  // namespace
}  // namespace heliolite::network_presets_test
