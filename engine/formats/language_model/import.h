#pragma once
// Language models by their config (docs/formats_language_models.md): the file that model hubs ship, or a preset, and
// what of a model is asked for behind its name.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/language_model/config.h"
#include "workloads/network.h"

namespace heliolite::language_model {

enum class Phase : u8 {
  Prefill,  // reads the tokens of a prompt
  Decode,   // makes tokens after those in the cache
};

std::string_view name(Phase phase);  // "prefill", "decode"

// One run of the model.
struct Run {
  Phase phase = Phase::Prefill;
  u64 fresh = 1;   // tokens of each sequence that are read or made
  u64 cached = 0;  // tokens before them, whose keys and values lie in memory
  u64 times = 1;
  bool absorbed = false;  // latent attention: scores are taken in the latent space

  u64 context() const { return cached + fresh; }
  std::string text() const;  // "prefill of 2048 tokens", "decode after 2047 tokens"
};

// For how many tokens of a sequence the scores of the next word are computed.
enum class Logits : u8 { None, Last, All };

struct Request {
  std::vector<Run> runs;
  u64 batch = 1;            // sequences
  u64 first = 0, last = 0;  // the blocks, from 0, the last one included
  Logits logits = Logits::Last;
  bool elementwise = false;  // softmax, gates and sums are layers of their own
};

inline constexpr u64 kUsualContext = 2048;  // tokens, where nothing is said and the model takes as many

// The network as a file of ours (docs/formats_workload.md).
std::string network_text(const Config& config, const Request& request, const std::string& name);

// The network of a config. `options` is what stands behind '@', `what` the whole request, for complaints; `batch` is
// that of a network around it. Errors: those of read_config() and read_request(), and sizes that are too large.
Result<Network> import_config(const YamlNode& root, const std::string& fallback_name, const std::string& what,
                              const std::optional<std::string>& options, std::optional<u64> batch);

}  // namespace heliolite::language_model
