#pragma once
// The parts of our YAML that say what a level keeps and which loops it may run.
#include "arch/architecture_spec.h"
#include "engine/base/field_reader.h"

namespace heliolite {

// Reads `keep`, `bypass` and `open` of a level or buffer.
KeepSpec read_keep(FieldReader& level, Diagnostics& errors);

// "C=4", "K<=16", "R*S=max", as read_constraints() reads it.
std::string factor_text(const FactorConstraint& factor);

// Reads the map under `constraints`.
LevelConstraints read_constraints(const YamlNode& node, Diagnostics& errors);

}  // namespace heliolite
