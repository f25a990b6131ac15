// The families of language models that are known by their model_type, with what their configs leave unsaid.
#include <algorithm>
#include <array>

#include "engine/base/named.h"
#include "engine/formats/language_model/config.h"

namespace heliolite::language_model {
namespace {

constexpr bool kGated = true, kPlain = false, kParallel = true, kNormed = true, kNo = false;

constexpr std::array kFamilies{
    ModelFamily{"bert", ModelKind::Encoder},
    ModelFamily{"bloom"},
    ModelFamily{"codegen", ModelKind::Decoder, kPlain, kParallel},
    ModelFamily{"cohere", ModelKind::Decoder, kGated, kParallel},
    ModelFamily{"cohere2", ModelKind::Decoder, kGated, kParallel, kNo, Local::Alternating},
    ModelFamily{"deepseek_v2", ModelKind::Decoder, kGated},
    ModelFamily{"deepseek_v3", ModelKind::Decoder, kGated},
    ModelFamily{"distilbert", ModelKind::Encoder},
    ModelFamily{"ernie4_5", ModelKind::Decoder, kGated},
    ModelFamily{"falcon", ModelKind::Decoder, kPlain, kParallel},
    ModelFamily{"gemma", ModelKind::Decoder, kGated},
    ModelFamily{"gemma2", ModelKind::Decoder, kGated, kNo, kNo, Local::Alternating},
    ModelFamily{"gemma3_text", ModelKind::Decoder, kGated, kNo, kNormed, Local::FiveOfSix},
    ModelFamily{"glm", ModelKind::Decoder, kGated},
    ModelFamily{"glm4", ModelKind::Decoder, kGated},
    ModelFamily{"glm4_moe", ModelKind::Decoder, kGated},
    ModelFamily{"gpt2"},
    ModelFamily{"gpt_bigcode"},
    ModelFamily{"gpt_neox", ModelKind::Decoder, kPlain, kParallel},
    ModelFamily{"gpt_oss", ModelKind::Decoder, kGated, kNo, kNo, Local::Alternating},
    ModelFamily{"gptj", ModelKind::Decoder, kPlain, kParallel},
    ModelFamily{"granite", ModelKind::Decoder, kGated},
    ModelFamily{"granitemoe", ModelKind::Decoder, kGated},
    ModelFamily{"internlm2", ModelKind::Decoder, kGated},
    ModelFamily{"kimi_k2", ModelKind::Decoder, kGated},
    ModelFamily{"llama", ModelKind::Decoder, kGated},
    ModelFamily{"llama4_text", ModelKind::Decoder, kGated, kNo, kNo, Local::Rotated},
    ModelFamily{"mamba", ModelKind::StateSpace},
    ModelFamily{"mamba2", ModelKind::DualStateSpace},
    ModelFamily{"minicpm", ModelKind::Decoder, kGated},
    ModelFamily{"mistral", ModelKind::Decoder, kGated},
    ModelFamily{"mixtral", ModelKind::Decoder, kGated},
    ModelFamily{"nemotron"},
    ModelFamily{"olmo", ModelKind::Decoder, kGated},
    ModelFamily{"olmo2", ModelKind::Decoder, kGated, kNo, kNormed},
    ModelFamily{"olmoe", ModelKind::Decoder, kGated, kNo, kNormed},
    ModelFamily{"opt"},
    ModelFamily{"phi", ModelKind::Decoder, kPlain, kParallel},
    ModelFamily{"phi3", ModelKind::Decoder, kGated},
    ModelFamily{"phimoe", ModelKind::Decoder, kGated},
    ModelFamily{"qwen2", ModelKind::Decoder, kGated, kNo, kNo, Local::SecondHalf},
    ModelFamily{"qwen2_5_vl", ModelKind::Decoder, kGated, kNo, kNo, Local::SecondHalf},
    ModelFamily{"qwen2_5_vl_text", ModelKind::Decoder, kGated, kNo, kNo, Local::SecondHalf},
    ModelFamily{"qwen2_moe", ModelKind::Decoder, kGated, kNo, kNo, Local::SecondHalf},
    ModelFamily{"qwen2_vl", ModelKind::Decoder, kGated, kNo, kNo, Local::SecondHalf},
    ModelFamily{"qwen2_vl_text", ModelKind::Decoder, kGated, kNo, kNo, Local::SecondHalf},
    ModelFamily{"qwen3", ModelKind::Decoder, kGated, kNo, kNormed, Local::SecondHalf},
    ModelFamily{"qwen3_moe", ModelKind::Decoder, kGated, kNo, kNormed, Local::SecondHalf},
    ModelFamily{"qwen3_vl_moe_text", ModelKind::Decoder, kGated, kNo, kNormed, Local::SecondHalf},
    ModelFamily{"qwen3_vl_text", ModelKind::Decoder, kGated, kNo, kNormed, Local::SecondHalf},
    ModelFamily{"roberta", ModelKind::Encoder},
    ModelFamily{"smollm3", ModelKind::Decoder, kGated, kNo, kNo, Local::SecondHalf},
    ModelFamily{"stablelm", ModelKind::Decoder, kGated},
    ModelFamily{"starcoder2"},
    ModelFamily{"vit", ModelKind::Vision},
    ModelFamily{"xlm-roberta", ModelKind::Encoder},
};
static_assert(std::ranges::is_sorted(kFamilies, {}, &ModelFamily::name));

// Numbers that configs of a family leave out where they are its usual ones, and that do not follow from others: the
// defaults of the classes Gemma3TextConfig, Gemma2Config, GemmaConfig, Cohere2Config and Qwen3Config of Hugging Face
// transformers 4.56.
struct AssumedNumber {
  std::string_view family, name;
  u64 value;
};
constexpr std::array kAssumed{
    AssumedNumber{"cohere2", "sliding_window_pattern", 4},
    AssumedNumber{"gemma", "head_dim", 256},
    AssumedNumber{"gemma2", "head_dim", 256},
    AssumedNumber{"gemma2", "num_attention_heads", 8},
    AssumedNumber{"gemma2", "num_key_value_heads", 4},
    AssumedNumber{"gemma2", "vocab_size", 256'000},
    AssumedNumber{"gemma3_text", "head_dim", 256},
    AssumedNumber{"gemma3_text", "num_attention_heads", 8},
    AssumedNumber{"gemma3_text", "num_key_value_heads", 4},
    AssumedNumber{"gemma3_text", "vocab_size", 262'208},
    AssumedNumber{"qwen3", "head_dim", 128},
};

// Rates, constants, names and tokens: the words that move are the same whatever these say. Words' sizes are
// --word-bits.
constexpr std::array<std::string_view, 141> kHarmless{"_attn_implementation",
                                                      "_attn_implementation_autoset",
                                                      "_name_or_path",
                                                      "activation",
                                                      "activation_dropout",
                                                      "activation_function",
                                                      "add_bias_linear",
                                                      "add_qkv_bias",
                                                      "alibi",
                                                      "apply_residual_connection_post_layernorm",
                                                      "architectures",
                                                      "attention_bias",
                                                      "attention_dropout",
                                                      "attention_multiplier",
                                                      "attention_probs_dropout_prob",
                                                      "attention_softmax_in_fp32",
                                                      "attn_dropout",
                                                      "attn_logit_softcapping",
                                                      "attn_pdrop",
                                                      "attn_scale",
                                                      "attn_temperature_tuning",
                                                      "auto_map",
                                                      "aux_loss_alpha",
                                                      "bias",
                                                      "bos_token_id",
                                                      "cache_implementation",
                                                      "chat_template",
                                                      "classifier_dropout",
                                                      "classifier_dropout_prob",
                                                      "clip_qkv",
                                                      "compression_ratio",
                                                      "dim_model_base",
                                                      "do_layer_norm_before",
                                                      "dropout",
                                                      "dtype",
                                                      "embd_pdrop",
                                                      "embedding_bias",
                                                      "embedding_dropout",
                                                      "embedding_multiplier",
                                                      "encoder_stride",
                                                      "eos_token_id",
                                                      "ep_size",
                                                      "ffn_dim_multiplier",
                                                      "final_logit_softcapping",
                                                      "floor_scale",
                                                      "fused_add_norm",
                                                      "gradient_checkpointing",
                                                      "head_bias",
                                                      "hidden_act",
                                                      "hidden_activation",
                                                      "hidden_dropout",
                                                      "hidden_dropout_prob",
                                                      "image_token_id",
                                                      "init_std",
                                                      "initializer_cutoff_factor",
                                                      "initializer_factor",
                                                      "initializer_range",
                                                      "label2id",
                                                      "lambd",
                                                      "layer_norm_elementwise_affine",
                                                      "layer_norm_eps",
                                                      "layer_norm_epsilon",
                                                      "layerdrop",
                                                      "layernorm_epsilon",
                                                      "lm_head_bias",
                                                      "logit_scale",
                                                      "logits_scaling",
                                                      "max_batch_size",
                                                      "mlp_bias",
                                                      "model_max_length",
                                                      "mrope_section",
                                                      "n_group",
                                                      "name_or_path",
                                                      "norm_eps",
                                                      "norm_epsilon",
                                                      "norm_topk_prob",
                                                      "num_groups",
                                                      "original_max_position_embeddings",
                                                      "output_router_logits",
                                                      "pad_token_id",
                                                      "partial_rotary_factor",
                                                      "position_embedding_type",
                                                      "pretraining_tp",
                                                      "problem_type",
                                                      "qk_layernorm",
                                                      "qkv_bias",
                                                      "quantization_config",
                                                      "query_pre_attn_scalar",
                                                      "rescale_prenorm_residual",
                                                      "resid_dropout",
                                                      "resid_pdrop",
                                                      "residual_dropout",
                                                      "residual_in_fp32",
                                                      "residual_multiplier",
                                                      "rms_norm",
                                                      "rms_norm_eps",
                                                      "rope_local_base_freq",
                                                      "rope_parameters",
                                                      "rope_scaling",
                                                      "rope_theta",
                                                      "rotary",
                                                      "rotary_dim",
                                                      "rotary_emb_base",
                                                      "rotary_pct",
                                                      "routed_scaling_factor",
                                                      "router_aux_loss_coef",
                                                      "router_jitter_noise",
                                                      "scale_attention_softmax_in_fp32",
                                                      "scale_attn_by_inverse_layer_idx",
                                                      "scale_attn_weights",
                                                      "scale_depth",
                                                      "scale_emb",
                                                      "scoring_func",
                                                      "seq_aux",
                                                      "seq_classif_dropout",
                                                      "sinusoidal_pos_embds",
                                                      "summary_activation",
                                                      "summary_first_dropout",
                                                      "summary_proj_to_labels",
                                                      "summary_type",
                                                      "summary_use_proj",
                                                      "swiglu_limit",
                                                      "task_specific_params",
                                                      "tie_word_embeddings",
                                                      "time_step_floor",
                                                      "time_step_init_scheme",
                                                      "time_step_max",
                                                      "time_step_min",
                                                      "time_step_scale",
                                                      "topk_group",
                                                      "topk_method",
                                                      "torch_dtype",
                                                      "transformers_version",
                                                      "type_vocab_size",
                                                      "use_bias",
                                                      "use_cache",
                                                      "use_conv_bias",
                                                      "video_token_id",
                                                      "vision_end_token_id",
                                                      "vision_start_token_id",
                                                      "vision_token_id"};
static_assert(std::ranges::is_sorted(kHarmless));

}  // namespace

const ModelFamily* find_family(std::string_view name) { return find_row(kFamilies, name); }

std::optional<u64> assumed_number(std::string_view family, std::string_view name) {
  for (const AssumedNumber& known : kAssumed)
    if (known.family == family && known.name == name) return known.value;
  return std::nullopt;
}

std::vector<std::string> family_names() { return names_of(kFamilies); }

namespace field {

const FieldNames kHidden{"the width of the model", {"hidden_size", "n_embd", "d_model", "dim", "n_embed"}};
const FieldNames kLayers{"the number of blocks", {"num_hidden_layers", "n_layer", "num_layers", "n_layers"}};
const FieldNames kHeads{"the heads of queries", {"num_attention_heads", "n_head", "n_heads"}};
const FieldNames kKeyHeads{"the heads of keys", {"num_key_value_heads", "num_kv_heads"}};
const FieldNames kHead{"the words of a head", {"head_dim"}};
const FieldNames kFeedForward{"the width of the feed-forward part",
                              {"intermediate_size", "n_inner", "ffn_dim", "hidden_dim", "ffn_hidden_size"}};
const FieldNames kVocabulary{"the words of the vocabulary", {"vocab_size"}};
const FieldNames kPositions{"the longest context", {"max_position_embeddings", "n_positions", "n_ctx"}};
const FieldNames kWindow{"the window", {"sliding_window", "sliding_window_size", "attention_chunk_size"}};
const FieldNames kExperts{"the experts", {"num_local_experts", "num_experts", "n_routed_experts"}};
const FieldNames kExpertsPerToken{"the experts of a token", {"num_experts_per_tok", "experts_per_token"}};
const FieldNames kExpertWidth{"the width of an expert", {"moe_intermediate_size"}};

}  // namespace field

bool is_harmless(std::string_view field) { return std::ranges::binary_search(kHarmless, field); }

}  // namespace heliolite::language_model
