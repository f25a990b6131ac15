#pragma once
// Field paths of parameters, and the variants of the machine that they make with a value, read by the machine's own
// readers.
#include "engine/base/yaml_node.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// The field that `node` names in the machine; none after a complaint: unknown levels, fields that cannot be swept
// (names, the list of levels). Keys are checked when a value is read.
std::optional<FieldPath> read_field_path(const YamlNode& node, const ArchitectureSpec& machine, Diagnostics& errors);

// The setting of the field to this value; complaints are those of the machine's reader, at the value.
Setting read_setting(const FieldPath& field, const YamlNode& value, Diagnostics& errors);

// The machine with the field set. Errors as of vary().
ArchitectureSpec with_setting(ArchitectureSpec machine, const Setting& setting, Diagnostics& errors);

// Whether setting one of the two changes what the other set.
bool overlap(const FieldPath& a, const FieldPath& b);

// Whether the field changes only capacities, bandwidths and costs: what the machines of a family may differ in
// (engine/search/core/machine_family.h).
bool is_memory_field(const FieldPath& field);

}  // namespace heliolite
