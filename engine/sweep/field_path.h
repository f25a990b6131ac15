#pragma once
// From a field path of a parameter and a value to a variant of the machine, by the machine's own readers.
#include "engine/base/yaml_node.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// What `node` names in the machine. Errors: unknown levels and fields that cannot be swept (names, the list of levels).
// Keys are checked when a value is read.
std::optional<FieldPath> read_field_path(const YamlNode& node, const ArchitectureSpec& machine, Diagnostics& errors);

// The variant in which the field has this value; complaints are those of the machine's reader, at the value.
Setting read_setting(const FieldPath& field, const YamlNode& value, Diagnostics& errors);

// The machine with the field set. Errors as of vary().
ArchitectureSpec with_setting(ArchitectureSpec machine, const Setting& setting, Diagnostics& errors);

// Whether setting one of the two changes what the other set.
bool overlap(const FieldPath& a, const FieldPath& b);

// Whether the field changes no more than what memories hold and how fast they are, and what things cost: what machines
// may differ in that are co-searched.
bool is_memory_field(const FieldPath& field);

}  // namespace heliolite
