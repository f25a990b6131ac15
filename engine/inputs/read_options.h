#pragma once
// How input files are to be read, as far as a user can say (--define, --sparse, --rename, --link-transfers,
// --word-bits).
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/inputs/word_bits.h"

namespace heliolite {

// Another name for a dimension of a workload.
struct Rename {
  std::string from, to;
};

struct ReadOptions {
  std::map<std::string, std::string> defines{};  // names of templates and their values
  bool ignore_sparse = false;                    // read sparse machines and problems as dense ones, with notes
  std::vector<Rename> renames{};                 // carried out all at once
  std::optional<bool> link_transfers{};          // of machines; none: as they say themselves
  WordBits word_bits{};                          // of workloads
};

}  // namespace heliolite
