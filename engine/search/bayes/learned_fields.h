#pragma once
// The fields of files of mappings that searches have priced (docs/bayes.md), map by map.
#include "engine/base/field_table.h"

namespace heliolite {

inline constexpr double kMostCoordinate = 64;     // log2
inline constexpr double kMostLearnedValue = 1e4;  // log of a ratio
inline constexpr i64 kMostChoices = 1'000'000;

const FieldTable& learned_file_fields();  // the document
const FieldTable& learned_task_fields();

}  // namespace heliolite
