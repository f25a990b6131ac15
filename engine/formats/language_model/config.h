#pragma once
// The config of a language model (the config.json that model hubs ship) as the few numbers that shapes follow from, and
// the families that are known by their model_type.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"
#include "engine/base/yaml_node.h"

namespace heliolite::language_model {

enum class ModelKind : u8 {
  Decoder,         // makes tokens one after the other
  Encoder,         // reads all tokens at once
  Vision,          // an encoder of patches
  StateSpace,      // a decoder without attention
  DualStateSpace,  // one whose channels decay alike in each head
};

// Which blocks of a family look at a part of the tokens alone, where its config has no list of them.
enum class Local : u8 {
  All,          // all blocks, if a window is stated
  SecondHalf,   // from block max_window_layers on, if use_sliding_window says so
  Alternating,  // every other block, the first one too
  FiveOfSix,    // all but every sixth
  Rotated,      // those with rotary positions: all but every fourth
};

struct ModelFamily {
  std::string_view name;  // model_type
  ModelKind kind = ModelKind::Decoder;
  bool gated = false;
  bool parallel = false;
  bool normed_heads = false;
  Local local = Local::All;
};

// The family of this name; null for other names.
const ModelFamily* find_family(std::string_view name);
std::vector<std::string> family_names();
// The number that configs of the family mean where they do not have the field `name`; none: they must have it, or it
// follows from others.
std::optional<u64> assumed_number(std::string_view family, std::string_view name);

// Names of one number in the configs of different families; the first is the usual one.
struct FieldNames {
  std::string_view what;  // for complaints
  std::vector<std::string_view> names;
};

namespace field {
extern const FieldNames kHidden, kLayers, kHeads, kKeyHeads, kHead, kFeedForward, kVocabulary, kPositions, kWindow;
extern const FieldNames kExperts, kExpertsPerToken, kExpertWidth;
}  // namespace field

// Fields that no shape depends on. A field that is neither read nor listed here is named in a note.
bool is_harmless(std::string_view field);

// How far back a token of a block looks.
enum class LookBack : u8 {
  All,     // at every token before it
  Window,  // at the last `window` tokens, itself included
  Chunk,   // at those of its own chunk of `window` tokens
};

// Latent attention: queries, keys and values are kept in fewer words and projected up again (DeepSeek-AI,
// "DeepSeek-V2", arXiv 2405.04434, section 2.1).
struct Latent {
  u64 queries = 0;  // words of a token's latent query; 0: queries are projected at once
  u64 keys = 0;     // words of a token's latent key and value
  u64 plain = 0;    // words of a head's query and key without a position
  u64 rotated = 0;  // and of those with one, whose keys all heads share
};

// A feed-forward part of which each token takes `per_token` experts.
struct Experts {
  u64 count = 0, per_token = 0;
  u64 width = 0;         // of one expert's inner layer
  u64 shared_width = 0;  // of the expert that every token takes; 0: none
};

// A selective state space in place of attention and feed-forward part (Gu and Dao, "Mamba", arXiv 2312.00752, section
// 3.4).
struct StateSpace {
  u64 inner = 0;   // channels
  u64 state = 0;   // words of a channel's state
  u64 rank = 0;    // words that a token's step is projected from
  u64 kernel = 0;  // tokens of the convolution
  // Where the channels of a head decay alike (Dao and Gu, "Transformers are SSMs", arXiv 2405.21060, section 7.1):
  u64 heads = 0;   // 0: each channel by itself
  u64 groups = 1;  // of heads, which read the same B and C
};

// The image that a vision transformer cuts into patches, which are its tokens.
struct Image {
  u64 patches = 0;  // along each side
  u64 patch = 0;    // pixels along each side of a patch
  u64 channels = 0;
};

// What one block of the model has of its own.
struct Block {
  bool experts = false;
  LookBack reach = LookBack::All;

  bool operator==(const Block&) const = default;
};

struct Config {
  std::string family;  // model_type
  u64 hidden = 0;
  u64 heads = 0, key_heads = 0, head = 0, value_head = 0;
  u64 feed_forward = 0;       // the inner width of blocks without experts
  bool gated = false;         // two layers upwards, of which one is a gate
  bool parallel = false;      // attention and feed-forward part read the same words
  bool normed_heads = false;  // heads of queries and keys are normalised
  bool encoder = false;       // reads all tokens at once and makes none
  u64 window = 0;             // of blocks that do not look at all tokens
  u64 vocabulary = 0;         // 0: no scores of words
  u64 classes = 0;            // of an image; 0: none
  u64 positions = 0;          // the longest context; 0: not stated
  std::optional<Latent> latent{};
  std::optional<Experts> experts{};
  std::optional<StateSpace> state_space{};
  std::optional<Image> image{};
  std::vector<Block> blocks{};       // in order
  std::vector<std::string> notes{};  // fields that are not known
};

// Whether a document is such a config: a map with model_type.
bool is_config(const YamlNode& root);

// Errors: a family that is not known, numbers that are missing, out of range or do not fit each other.
Result<Config> read_config(const YamlNode& root);

}  // namespace heliolite::language_model
