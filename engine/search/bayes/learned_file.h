#pragma once
// What searches of strategy bayes learned, as a YAML file (docs/bayes.md).
#include <string>
#include <vector>

#include "engine/base/field_table.h"
#include "engine/base/result.h"
#include "engine/search/core/options.h"

namespace heliolite {

// The fields of files of mappings that searches have priced (docs/bayes.md), map by map.

inline constexpr double kMostCoordinate = 64;     // log2
inline constexpr double kMostLearnedValue = 1e4;  // log of a ratio
inline constexpr i64 kMostChoices = 1'000'000;

const FieldTable& learned_file_fields();  // the document
const FieldTable& learned_task_fields();

std::string learned_text(const std::vector<LearnedTask>& tasks);

// Loads such a file into options.bayes.from; nothing if the path is empty. Errors: those of reading a YAML file, and
// what is missing, out of range or of another length than it must be.
Diagnostics load_learned(const std::string& path, SearchOptions& options);

}  // namespace heliolite
