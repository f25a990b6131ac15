#include "engine/formats/language_model/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite::language_model {
namespace {

constexpr i64 kMost = 2'147'483'647;
constexpr i64 kMostBlocks = 10'000;

// Fields of a config by name: each is marked as read, complaints are collected. A field that is null is not there; what
// the family means then is noted.
class ConfigFields {
 public:
  ConfigFields(const YamlNode& root, const ModelFamily& family, Diagnostics& errors)
      : root_(root), family_(family), errors_(errors) {}

  std::optional<YamlNode> find(std::string_view name) {
    read_.insert(std::string(name));
    const std::optional<YamlNode> node = root_.find(name);
    return node && !node->is_null() ? node : std::nullopt;
  }

  std::optional<u64> number(std::string_view name, i64 least = 1, i64 most = kMost) {
    const std::optional<YamlNode> node = find(name);
    if (!node) return std::nullopt;
    const std::optional<i64> value = node->as_integer();
    if (value && *value >= least && *value <= most) return static_cast<u64>(*value);
    errors_.push_back(
        node->error(fmt::format("{} = {}, must be an integer from {} to {}", name, shown(*node), least, most)));
    return std::nullopt;
  }

  // The number by any of its names, else the one that the family assumes. Two names that differ contradict each other.
  std::optional<u64> number(const FieldNames& names, i64 least = 1, i64 most = kMost) {
    const std::size_t before = errors_.size();
    std::optional<u64> value = stated(names, least, most);
    if (!value && errors_.size() == before) value = assumed(names.names.front());
    return value;
  }

  // The number that the family means where its config does not say it.
  std::optional<u64> assumed(std::string_view name) {
    const std::optional<u64> value = assumed_number(family_.name, name);
    if (value) assumed_.push_back(fmt::format("{} {}", name, *value));
    return value;
  }
  const std::vector<std::string>& all_assumed() const { return assumed_; }

  u64 required(const FieldNames& names, i64 most = kMost) {
    const std::size_t before = errors_.size();
    const std::optional<u64> value = number(names, 1, most);
    if (!value && errors_.size() == before)
      errors_.push_back(root_.error(fmt::format("{} is missing: {}", names.what, fmt::join(names.names, " or "))));
    return value.value_or(1);
  }

  u64 required(std::string_view name, std::string_view what) { return required(FieldNames{what, {name}}); }

  bool flag(std::string_view name, bool usual) {
    const std::optional<YamlNode> node = find(name);
    if (!node) return usual;
    const std::optional<bool> value = node->as_bool();
    if (!value) errors_.push_back(node->error(fmt::format("{} = {}, must be true or false", name, shown(*node))));
    return value.value_or(usual);
  }

  void error(std::string_view name, const std::string& message) {
    const std::optional<YamlNode> node = root_.find(name);
    errors_.push_back(node ? node->error(message) : root_.error(message));
  }

  // Fields that nothing has asked for and that shapes may depend on.
  std::vector<std::string> unknown() const {
    std::vector<std::string> names;
    for (const std::string& key : root_.keys())
      if (!read_.contains(key) && !is_harmless(key)) names.push_back(shortened(key));
    return names;
  }

 private:
  std::optional<u64> stated(const FieldNames& names, i64 least, i64 most) {
    std::optional<u64> value;
    std::string_view said;
    for (const std::string_view name : names.names) {
      const std::optional<u64> again = number(name, least, most);
      if (again && value && *again != *value)
        errors_.push_back(root_.find(name)->error(
            fmt::format("{} = {}, and {} = {}: both are {}", name, *again, said, *value, names.what)));
      if (!again || value) continue;
      value = again;
      said = name;
    }
    return value;
  }

  const YamlNode& root_;
  const ModelFamily& family_;
  Diagnostics& errors_;
  std::set<std::string> read_;
  std::vector<std::string> assumed_;
};

class ConfigReader {
 public:
  ConfigReader(const YamlNode& root, const ModelFamily& family)
      : root_(root), family_(family), fields_(root, family, errors_) {}

  Result<Config> run() {
    config_.family = family_.name;
    config_.gated = family_.gated;
    config_.normed_heads = fields_.flag("use_qk_norm", family_.normed_heads);
    config_.encoder = family_.kind == ModelKind::Encoder || family_.kind == ModelKind::Vision;
    config_.parallel = fields_.flag("use_parallel_residual", fields_.flag("parallel_attn", family_.parallel));
    for (const char* known : {"model_type", "name", "source"}) fields_.find(known);
    config_.hidden = fields_.required(field::kHidden);
    has_width_ = errors_.empty();
    config_.blocks.resize(fields_.required(field::kLayers, kMostBlocks));
    if (family_.kind == ModelKind::StateSpace) state_space();
    else if (family_.kind == ModelKind::DualStateSpace) dual_state_space();
    else attention();
    if (family_.kind == ModelKind::Vision) image();
    else vocabulary();
    note();
    if (!errors_.empty()) return errors_;
    return std::move(config_);
  }

 private:
  void note() {
    if (fields_.find("vision_config"))
      config_.notes.push_back(fmt::format("{}: the layers of words alone are read, not vision_config", root_.file()));
    if (const auto& assumed = fields_.all_assumed(); !assumed.empty())
      config_.notes.push_back(fmt::format("{}: numbers that the file leaves out, as {} means them: {}", root_.file(),
                                          family_.name, fmt::join(assumed, ", ")));
    if (const auto unknown = fields_.unknown(); !unknown.empty())
      config_.notes.push_back(fmt::format("{}: fields that are not known, shapes may depend on them: {}", root_.file(),
                                          fmt::join(unknown, ", ")));
  }

  void attention() {
    config_.heads = fields_.required(field::kHeads);
    const bool shared = fields_.flag("multi_query", false) && !fields_.flag("new_decoder_architecture", false);
    config_.key_heads = fields_.number(field::kKeyHeads).value_or(config_.heads);
    if (shared) config_.key_heads = 1;
    if (config_.heads % config_.key_heads != 0)
      fields_.error("num_key_value_heads", fmt::format("{} heads of keys, must divide the {} heads of queries",
                                                       config_.key_heads, config_.heads));
    latent();
    if (config_.latent) {
      config_.key_heads = config_.heads;
    } else {
      const std::optional<u64> head = fields_.number(field::kHead);
      if (!head && has_width_ && config_.hidden % config_.heads != 0)
        fields_.error("hidden_size",
                      fmt::format("a width of {}, must be a multiple of the {} heads, or head_dim be said",
                                  config_.hidden, config_.heads));
      config_.head = config_.value_head = head.value_or(std::max<u64>(1, config_.hidden / config_.heads));
    }
    feed_forward();
    reach();
  }

  void latent() {
    const std::optional<u64> keys = fields_.number("kv_lora_rank");
    const std::optional<u64> queries = fields_.number("q_lora_rank");
    if (!keys) return;
    Latent latent{.queries = queries.value_or(0), .keys = *keys};
    latent.plain = fields_.required("qk_nope_head_dim", "the words of a head without a position");
    latent.rotated = fields_.number("qk_rope_head_dim", 0).value_or(0);
    config_.value_head = fields_.required("v_head_dim", "the words of a head's values");
    config_.head = latent.plain + latent.rotated;
    fields_.find("head_dim");
    fields_.find("qk_head_dim");
    config_.latent = latent;
  }

  void feed_forward() {
    const u64 experts = fields_.number(field::kExperts, 0).value_or(0);
    const std::optional<u64> width = fields_.number(field::kFeedForward);
    const std::optional<u64> dense = fields_.number("intermediate_size_mlp");
    const std::optional<u64> expert_width = fields_.number(field::kExpertWidth);
    if (!width && family_.gated && !expert_width)
      errors_.push_back(root_.error(
          fmt::format("{} is missing: {}", field::kFeedForward.what, fmt::join(field::kFeedForward.names, " or "))));
    config_.feed_forward = dense.value_or(width.value_or(4 * config_.hidden));
    if (experts == 0) return;
    Experts& e = config_.experts.emplace();
    e.count = experts;
    e.per_token = fields_.required(field::kExpertsPerToken);
    e.width = expert_width.value_or(width.value_or(1));
    e.shared_width = fields_.number("shared_expert_intermediate_size", 0).value_or(0);
    if (const auto shared = fields_.number("n_shared_experts", 0)) e.shared_width = *shared * e.width;
    if (family_.name == "llama4_text") e.shared_width = e.width;
    if (e.per_token > e.count)
      fields_.error("num_experts_per_tok",
                    fmt::format("{} experts of each token, must be at most the {} experts", e.per_token, e.count));
    which_have_experts();
  }

  // Families count differently which blocks have experts: from a first one on, every n-th, or by lists.
  void which_have_experts() {
    const u64 first = fields_.number("first_k_dense_replace", 0).value_or(0);
    const u64 every = fields_.number("moe_layer_freq").value_or(1);
    const u64 step =
        fields_.number(FieldNames{"the step", {"decoder_sparse_step", "interleave_moe_layer_step"}}).value_or(1);
    const std::set<u64> dense = positions("mlp_only_layers"), stated = positions("moe_layers");
    for (u64 i = 0; i < config_.blocks.size(); ++i)
      config_.blocks[i].experts = i >= first && i % every == 0 && (i + 1) % step == 0 && !dense.contains(i) &&
                                  (stated.empty() || stated.contains(i));
  }

  // A list of blocks, counted from 0.
  std::set<u64> positions(std::string_view name) {
    std::set<u64> found;
    for (const YamlNode& node : elements(fields_.find(name))) {
      const std::optional<i64> value = node.as_integer();
      if (value && *value >= 0 && static_cast<u64>(*value) < config_.blocks.size())
        found.insert(static_cast<u64>(*value));
      else
        errors_.push_back(node.error(
            fmt::format("{} names block {}, must be from 0 to {}", name, shown(node), config_.blocks.size() - 1)));
    }
    return found;
  }

  void reach() {
    const bool used = fields_.flag("use_sliding_window", family_.local != Local::SecondHalf);
    const u64 from = fields_.number("max_window_layers", 0).value_or(0);
    std::optional<u64> pattern = fields_.number("sliding_window_pattern");
    const std::optional<u64> window = fields_.number(field::kWindow);
    const auto types = fields_.find("layer_types");
    const auto rotated = fields_.find("no_rope_layers");
    fields_.find("no_rope_layer_interval");
    if (!window || !used) return;
    config_.window = *window;
    if (types) return listed(*types);
    if (!pattern) pattern = fields_.assumed("sliding_window_pattern");
    const LookBack local = family_.local == Local::Rotated ? LookBack::Chunk : LookBack::Window;
    const u64 period = pattern.value_or(family_.local == Local::FiveOfSix ? 6
                                        : family_.local == Local::Rotated ? 4
                                                                          : 2);
    const std::vector<YamlNode> flags = elements(rotated);
    for (u64 i = 0; i < config_.blocks.size(); ++i) {
      bool whole = false;
      if (family_.local == Local::SecondHalf) whole = i < from;
      else if (family_.local != Local::All) whole = i % period == period - 1;
      if (family_.local == Local::Rotated && i < flags.size()) whole = flags[i].as_integer() == 0;
      if (!whole) config_.blocks[i].reach = local;
    }
  }

  void listed(const YamlNode& types) {
    const std::vector<YamlNode> names = elements(types);
    if (names.size() != config_.blocks.size())
      errors_.push_back(types.error(fmt::format("layer_types has {} entries, must have one for each of {} blocks",
                                                names.size(), config_.blocks.size())));
    for (u64 i = 0; i < std::min(names.size(), config_.blocks.size()); ++i) {
      const std::string& type = names[i].text();
      if (type == "sliding_attention") config_.blocks[i].reach = LookBack::Window;
      else if (type == "chunked_attention") config_.blocks[i].reach = LookBack::Chunk;
      else if (type != "full_attention")
        errors_.push_back(names[i].error(fmt::format(
            "a layer of type {}, must be full_attention, sliding_attention or chunked_attention", shown(names[i]))));
    }
  }

  void state_space() {
    StateSpace& s = config_.state_space.emplace();
    s.state = fields_.number("state_size").value_or(16);
    s.kernel = fields_.number("conv_kernel").value_or(4);
    const u64 expand = fields_.number("expand", 1, 64).value_or(2);
    s.inner =
        fields_.number(FieldNames{"the channels", {"intermediate_size", "d_inner"}}).value_or(expand * config_.hidden);
    const auto rank = fields_.find("time_step_rank");
    s.rank = rank && rank->text() != "auto" ? fields_.number("time_step_rank").value_or(1)
                                            : ceil_div(config_.hidden, u64{16});
  }

  // Mamba-2 has no projection of steps: they come with the channels, one for each head.
  void dual_state_space() {
    StateSpace& s = config_.state_space.emplace();
    s.state = fields_.number("state_size").value_or(128);
    s.kernel = fields_.number("conv_kernel").value_or(4);
    s.inner = fields_.number("expand", 1, 64).value_or(2) * config_.hidden;
    const u64 head = fields_.number(field::kHead).value_or(64);
    s.heads = fields_.number("num_heads").value_or(std::max<u64>(1, s.inner / head));
    s.groups = fields_.number(FieldNames{"the groups of heads", {"n_groups", "num_groups"}}).value_or(1);
    for (const char* no_shape : {"chunk_size", "time_step_limit", "time_step_rank", "intermediate_size"})
      fields_.find(no_shape);
    if (s.heads * head != s.inner)
      fields_.error("num_heads",
                    fmt::format("{} heads of {} words, must be the {} channels together", s.heads, head, s.inner));
    if (s.heads % s.groups != 0)
      fields_.error("n_groups", fmt::format("{} groups, must divide the {} heads", s.groups, s.heads));
  }

  void image() {
    const u64 size = fields_.required("image_size", "the pixels along each side of the image");
    Image image{.patch = fields_.required("patch_size", "the pixels along each side of a patch")};
    image.channels = fields_.number("num_channels").value_or(3);
    if (size % image.patch != 0)
      fields_.error("patch_size", fmt::format("patches of {} pixels, must divide the image's {}", image.patch, size));
    image.patches = std::max<u64>(1, size / image.patch);
    config_.image = image;
    const auto names = fields_.find("id2label");
    config_.classes = fields_.number("num_labels", 0).value_or(names && names->is_map() ? names->size() : 0);
  }

  void vocabulary() {
    for (const char* classifier : {"id2label", "num_labels"}) fields_.find(classifier);
    std::optional<u64> words = fields_.number(field::kVocabulary);
    if (!config_.encoder) config_.vocabulary = words ? *words : fields_.required(field::kVocabulary);
    config_.positions = fields_.number(field::kPositions).value_or(0);
  }

  const YamlNode& root_;
  const ModelFamily& family_;
  bool has_width_ = false;  // config_.hidden is what the file says
  Diagnostics errors_;
  ConfigFields fields_;
  Config config_;
};

}  // namespace

bool is_config(const YamlNode& root) { return root.is_map() && root.has("model_type"); }

Result<Config> read_config(const YamlNode& root) {
  const YamlNode type = *root.find("model_type");
  // Models of several modes have the config of their text inside.
  if (const auto text = root.find("text_config"); text && text->is_map()) {
    const bool named = text->has("model_type");
    Result<Config> config = read_config(named ? *text : text->with("model_type", text->scalar(type.text() + "_text")));
    if (config)
      config->notes.push_back(
          fmt::format("{}: text_config alone is read, not the other parts of {}", root.file(), shortened(type.text())));
    return config;
  }
  const std::vector<std::string> known = family_names();
  const ModelFamily* family = find_family(type.text());
  if (!family && find_family(type.text() + "_text"))
    return type.error(
        fmt::format("{} is a model of several modes: the config of its text, text_config, is missing", shown(type)));
  if (!family)
    return type.error(fmt::format("model_type = {}, must be one of {}{} (the one whose blocks are the same will do)",
                                  shown(type), join(known, "or"), did_you_mean(type.text(), known)));
  return ConfigReader(root, *family).run();
}

}  // namespace heliolite::language_model
