#pragma once
// What searches of strategy bayes learned, as a YAML file (docs/bayes.md).
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/search/core/options.h"

namespace heliolite {

std::string learned_text(const std::vector<LearnedTask>& tasks);

// Loads such a file into options.from; nothing if the path is empty. Errors: those of reading a YAML file, and what is
// missing, out of range or of another length than it must be.
Diagnostics load_learned(const std::string& path, SearchOptions& options);

}  // namespace heliolite
