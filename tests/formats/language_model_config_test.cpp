// Configs of many families are read by their own field names, and what is wrong with one, or with what is asked of it,
// is said by field, value and what is allowed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/base/yaml_node.h"
#include "engine/formats/language_model/config.h"
#include "engine/formats/load_network.h"
#include "tests/support/cli_runner.h"

namespace heliolite::language_model_config_test {
namespace {

using language_model::Config;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<Config> read(const std::string& text) {
  const Result<YamlNode> root = YamlNode::parse(text, "config.json");
  if (!root) return root.errors();
  return language_model::read_config(*root);
}

Config config(const std::string& text) {
  const Result<Config> found = read(text);
  EXPECT_TRUE(found.ok()) << text << "\n" << to_string(found.errors());
  return found.ok() ? *found : Config{};
}

std::string complaint(const std::string& text) {
  const Result<Config> found = read(text);
  return found.ok() ? "" : to_string(found.errors());
}

std::string asked(const std::string& what) {
  const Result<Network> network = load_network(what);
  return network.ok() ? "" : to_string(network.errors());
}

std::string llama(const std::string& more) {
  return "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 8,\n" +
         more + "\"intermediate_size\": 128, \"vocab_size\": 100}";
}

// The files of model hubs, in their own words: {heads of keys, words of a head, inner width}.
TEST(LanguageModelConfig, KnowsTheNamesOfFamilies) {
  const Config gpt2 = config(R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_inner": null,
    "n_ctx": 1024, "n_positions": 1024, "vocab_size": 50257, "activation_function": "gelu_new", "attn_pdrop": 0.1})");
  EXPECT_EQ(gpt2.feed_forward, 3072U);
  EXPECT_EQ(gpt2.positions, 1024U);
  EXPECT_FALSE(gpt2.gated);
  EXPECT_THAT(gpt2.notes, IsEmpty());
  const Config falcon = config(R"({"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32,
    "num_attention_heads": 71, "multi_query": true, "parallel_attn": true, "alibi": false, "vocab_size": 65024})");
  EXPECT_EQ(falcon.key_heads, 1U);
  EXPECT_TRUE(falcon.parallel);
  EXPECT_EQ(falcon.feed_forward, 4U * 4544);
  const Config phi = config(R"({"model_type": "phi", "hidden_size": 2560, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": null, "intermediate_size": 10240, "vocab_size": 51200})");
  EXPECT_EQ(phi.key_heads, 32U);
  EXPECT_EQ(phi.head, 80U);
  const Config opt = config(R"({"model_type": "opt", "hidden_size": 768, "num_hidden_layers": 12,
    "num_attention_heads": 12, "ffn_dim": 3072, "vocab_size": 50272, "word_embed_proj_dim": 768})");
  EXPECT_EQ(opt.feed_forward, 3072U);
  EXPECT_THAT(opt.notes, ElementsAre(HasSubstr("fields that are not known, shapes may depend on them: word_embed")));
  const Config moe = config(R"({"model_type": "qwen2_moe", "hidden_size": 2048, "num_hidden_layers": 4,
    "num_attention_heads": 16, "intermediate_size": 5632, "moe_intermediate_size": 1408, "num_experts": 60,
    "num_experts_per_tok": 4, "shared_expert_intermediate_size": 5632, "decoder_sparse_step": 2,
    "mlp_only_layers": [1], "use_sliding_window": false, "sliding_window": 4096, "vocab_size": 151936})");
  EXPECT_EQ(moe.experts->width, 1408U);
  EXPECT_EQ(moe.experts->shared_width, 5632U);
  EXPECT_EQ(moe.window, 0U);
  EXPECT_TRUE(!moe.blocks[0].experts && !moe.blocks[1].experts && !moe.blocks[2].experts && moe.blocks[3].experts);
}

TEST(LanguageModelConfig, ReadsTheTextOfModelsWithMore) {
  const Config text =
      config("{model_type: gemma3, vision_config: {hidden_size: 1152}, text_config: " +
             std::string("{hidden_size: 64, num_hidden_layers: 6, num_attention_heads: 4, head_dim: 32, "
                         "num_key_value_heads: 2, intermediate_size: 96, vocab_size: 100}}"));
  EXPECT_EQ(text.family, "gemma3_text");
  EXPECT_EQ(text.head, 32U);
  EXPECT_THAT(text.notes, ElementsAre(HasSubstr("text_config alone is read, not the other parts of gemma3")));
}

// The file of gemma-3-4b-it: its heads are those that the family means, not the width by some number of heads.
TEST(LanguageModelConfig, TakesWhatAFamilyMeansByWhatItLeavesOut) {
  const Config text = config(
      R"({"model_type": "gemma3", "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
    "model_type": "gemma3_text", "num_hidden_layers": 34, "sliding_window": 1024},
    "vision_config": {"hidden_size": 1152}})");
  EXPECT_EQ(text.heads, 8U);
  EXPECT_EQ(text.key_heads, 4U);
  EXPECT_EQ(text.head, 256U);
  EXPECT_EQ(text.vocabulary, 262'208U);
  EXPECT_THAT(text.notes, Contains(HasSubstr("as gemma3_text means them: num_attention_heads 8, num_key_value_heads 4, "
                                             "head_dim 256, vocab_size 262208")));
  const Config stated = config(llama("\"head_dim\": 16,"));
  EXPECT_EQ(stated.head, 16U);
  EXPECT_THAT(stated.notes, IsEmpty());
}

// Experts behind a first block without, and one that every token takes: the file of GLM-4.5-Air.
TEST(LanguageModelConfig, ReadsExpertsOfOtherFamilies) {
  const Config glm = config(R"({"model_type": "glm4_moe", "hidden_size": 4096, "num_hidden_layers": 46,
    "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 10944,
    "moe_intermediate_size": 1408, "n_routed_experts": 128, "n_shared_experts": 1, "num_experts_per_tok": 8,
    "first_k_dense_replace": 1, "use_qk_norm": true, "vocab_size": 151552})");
  EXPECT_THAT(glm.notes, IsEmpty());
  EXPECT_TRUE(!glm.blocks[0].experts && glm.blocks[1].experts && glm.normed_heads);
  EXPECT_EQ(glm.experts->shared_width, 1408U);
  const Config kimi = config(R"({"model_type": "kimi_k2", "hidden_size": 7168, "num_hidden_layers": 61,
    "num_attention_heads": 64, "num_key_value_heads": 64, "kv_lora_rank": 512, "q_lora_rank": 1536,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "n_routed_experts": 384, "n_shared_experts": 1, "num_experts_per_tok": 8,
    "first_k_dense_replace": 1, "moe_layer_freq": 1, "vocab_size": 163840})");
  EXPECT_THAT(kimi.notes, IsEmpty());
  EXPECT_EQ(kimi.latent->keys, 512U);
  EXPECT_EQ(kimi.experts->count, 384U);
}

TEST(LanguageModelConfig, ReadsTheWordsOfModelsThatSee) {
  const Config qwen = config(R"({"model_type": "qwen2_5_vl", "hidden_size": 3584, "num_hidden_layers": 28,
    "num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944, "vocab_size": 152064,
    "use_sliding_window": false, "sliding_window": 32768, "max_window_layers": 28, "image_token_id": 151655,
    "vision_config": {"depth": 32}})");
  EXPECT_EQ(qwen.head, 128U);
  EXPECT_THAT(qwen.notes, ElementsAre(HasSubstr("the layers of words alone are read, not vision_config")));
}

TEST(LanguageModelConfig, PageListsAllFamilies) {
  const std::string page = read_text(std::string(HELIOLITE_TEST_DATA) + "/../docs/formats_language_models.md");
  const std::string configs = page.substr(page.find("## Configs"), page.find("## Presets") - page.find("## Configs"));
  for (const std::string& family : language_model::family_names()) EXPECT_THAT(configs, HasSubstr("`" + family + "`"));
}

TEST(LanguageModelConfig, SaysWhatIsWrong) {
  EXPECT_THAT(complaint("{model_type: lama}"),
              AllOf(HasSubstr("model_type = lama, must be one of bert"), HasSubstr("did you mean 'llama'?")));
  EXPECT_THAT(complaint("{model_type: llama}"),
              AllOf(HasSubstr("the width of the model is missing: hidden_size or n_embd"),
                    HasSubstr("the heads of queries is missing"), HasSubstr("vocab_size")));
  EXPECT_THAT(complaint(llama("\"num_key_value_heads\": 3,")),
              HasSubstr("config.json:2: num_key_value_heads: 3 heads of keys, must divide the 8 heads of queries"));
  EXPECT_THAT(complaint(llama("\"num_key_value_heads\": \"8\",")), HasSubstr("must be an integer from 1 to"));
  EXPECT_THAT(complaint(llama("\"n_embd\": 65,")), HasSubstr("n_embd = 65, and hidden_size = 64: both are the width"));
  EXPECT_THAT(complaint(llama("\"num_experts\": 4, \"num_experts_per_tok\": 5,")), HasSubstr("at most the 4 experts"));
  EXPECT_THAT(complaint(llama("\"sliding_window\": 8, \"layer_types\": [\"full_attention\", \"half\"],")),
              HasSubstr("a layer of type \"half\", must be full_attention, sliding_attention or chunked_attention"));
  EXPECT_THAT(complaint("{model_type: llama, hidden_size: 65, num_hidden_layers: 1, num_attention_heads: 8, "
                        "intermediate_size: 8, vocab_size: 8}"),
              HasSubstr("must be a multiple of the 8 heads, or head_dim be said"));
  // A width that is none says nothing of heads.
  EXPECT_THAT(complaint("{model_type: llama, hidden_size: wide, num_hidden_layers: 1, num_attention_heads: 8, "
                        "intermediate_size: 8, vocab_size: 8}"),
              AllOf(HasSubstr("must be an integer from 1"), Not(HasSubstr("multiple of the 8 heads"))));
  EXPECT_THAT(complaint("{model_type: gemma3, text_config: null}"), HasSubstr("text_config, is missing"));
}

TEST(LanguageModelConfig, SaysWhatCannotBeAsked) {
  EXPECT_THAT(asked("llama3_8b@phse=decode"), HasSubstr("unknown option 'phse', must be phase, batch, new"));
  EXPECT_THAT(asked("llama3_8b@phase=decod"), HasSubstr("phase = decod, must be prefill or decode, did you mean"));
  EXPECT_THAT(asked("llama3_8b@"), HasSubstr("nothing after '@'"));
  EXPECT_THAT(asked("llama3_8b@new=0"), HasSubstr("new = 0, must be an integer from 1"));
  EXPECT_THAT(asked("llama3_8b@layers=33"), HasSubstr("of 32"));
  EXPECT_THAT(asked("llama3_8b@batch=1+2"), HasSubstr("batch has 2 values, must be one for all runs"));
  EXPECT_THAT(asked("llama3_8b@cached=1+2,new=1+2+3"),
              HasSubstr("cached has 2 values, must be one for all runs, or 3"));
  EXPECT_THAT(asked("llama3_8b@phase=decode,cached=7+7"), HasSubstr("two runs are a decode of 1 token after 7"));
  EXPECT_THAT(asked("llama3_8b@absorbed=yes"), HasSubstr("absorbed is of latent attention"));
  EXPECT_THAT(asked("llama3_8b@new=1,new=2"), HasSubstr("new is said twice"));
  EXPECT_THAT(asked("llama3_8b@batch=1000000,new=100000"), HasSubstr("1000000 sequences of 100000 tokens"));
  EXPECT_THAT(asked("vit_l16@new=5"), HasSubstr("new is of models that read or make tokens"));
  EXPECT_THAT(asked("vit_l16@phase=decode"), HasSubstr("vit makes no tokens"));
  EXPECT_THAT(asked("llama3_8b/k_prj"), HasSubstr("did you mean 'k_proj'?"));
  EXPECT_THAT(load_network("llama3_8b@new=9000")->notes,
              ElementsAre(HasSubstr("a context of 9000 tokens, the config states 8192 positions")));
}

}  // namespace
}  // namespace heliolite::language_model_config_test
