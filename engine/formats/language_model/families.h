#pragma once
// The families of language models that are known by their model_type, with what their configs leave unsaid because
// their code assumes it: the kind of feed-forward part, and what reads what.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

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

}  // namespace heliolite::language_model
