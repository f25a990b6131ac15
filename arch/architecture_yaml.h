#pragma once
// Our own architecture YAML (docs/formats_architecture.md), outermost level first.
#include "arch/architecture_spec.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// True for a document of ours: an `architecture` with `levels` or a `base`.
bool is_architecture_yaml(const YamlNode& document);

// What the document states; its `base`, if any, is not followed (load_architecture_spec does). Unknown keys,
// wrong types and values out of range are errors, all reported in one go.
Result<ArchitectureSpec> read_architecture_yaml(const YamlNode& document);

}  // namespace heliolite
