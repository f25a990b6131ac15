#pragma once
// What searches of strategy bayes learned, as a YAML file (docs/bayes.md).
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/search/core/bayes_options.h"

namespace heliolite {

std::string learned_text(const std::vector<LearnedTask>& tasks);

// Errors: those of reading a YAML file, and what is missing, out of range or of another length than it must be.
Result<std::vector<LearnedTask>> load_learned(const std::string& path);

}  // namespace heliolite
