#pragma once
// The parts of our YAML that say what a level keeps and which loops it may run.
#include "arch/architecture.h"
#include "engine/base/field_reader.h"

namespace heliolite {

// Reads `keep`, `bypass` and `open` of a level or buffer; nothing if it has none of these keys. A tensor that none of
// them names is bypassed if there is a `keep`, unless both `keep` and `bypass` are there without `open`: then it is
// open; without a `keep` it is kept.
std::optional<KeepRule> read_keep_rule(FieldReader& level, Diagnostics& errors);

// Reads the map under `constraints`.
LevelConstraints read_constraints(const YamlNode& node, Diagnostics& errors);

}  // namespace heliolite
