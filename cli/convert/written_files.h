#pragma once
// What `convert` writes, before it is written.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/output.h"
#include "engine/base/result.h"
#include "engine/formats/timeloop/form.h"
#include "engine/model/mapping.h"
#include "workloads/network.h"

namespace heliolite::cli {

struct WrittenFile {
  std::string name, what, text;  // "arch.yaml", "machine"
};

struct WrittenFiles {
  std::vector<WrittenFile> files;
  Diagnostics notes;  // what the format does not say

  void add(std::string name, std::string what, std::string text) {
    files.push_back({std::move(name), std::move(what), std::move(text)});
  }
};

// What is converted; each part may be missing.
struct Convertible {
  std::optional<Architecture> machine;
  std::optional<Network> network;
  std::vector<std::optional<Mapping>> mappings;  // [layer of `network`], empty without mappings
  std::vector<std::size_t> units;                // [layer]: likewise, the compute unit that it is mapped on
};

// Files of one version of Timeloop, each read again and compared: the same machine, workloads and mappings, the same
// energies and cycles. Errors: what the format has no words for (docs/formats_timeloop.md).
Result<WrittenFiles> to_timeloop(const Convertible& from, TimeloopVersion version);

// Files of our own, with everything resolved to numbers.
Result<WrittenFiles> to_heliolite(const Convertible& from);

// Files of AccelForge, each read again. Errors: what the format has no words for (docs/formats_accelforge.md).
Result<WrittenFiles> to_accelforge(const Convertible& from);

}  // namespace heliolite::cli
