#pragma once
// Reads our own architecture YAML (docs/formats_architecture.md), which lists the outermost level first.
#include "arch/architecture_spec.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// Whether the document is in our format: an `architecture` with `levels` or a `base`.
bool is_architecture_yaml(const YamlNode& document);

// What the document states; its `base`, if any, is not followed (load_architecture_spec does). Unknown keys, wrong
// types and values out of range are errors, all reported at once.
Result<ArchitectureSpec> read_architecture_yaml(const YamlNode& document);

}  // namespace heliolite
