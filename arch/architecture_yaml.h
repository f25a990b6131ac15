#pragma once
// Our own architecture files (docs/formats_architecture.md), read and written.
#include <string>

#include "arch/architecture.h"
#include "arch/architecture_spec.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// Reads our own architecture YAML (docs/formats_architecture.md), which lists the outermost level first.

// Whether the document is in our format: an `architecture` with `levels` or a `base`.
bool is_architecture_yaml(const YamlNode& document);

// What the document states; its `base`, if any, is not followed (load_architecture_spec does). Unknown keys, wrong
// types and values out of range are errors, all reported at once.
Result<ArchitectureSpec> read_architecture_yaml(const YamlNode& document);

// A machine in the project's own format (docs/formats_architecture.md), with every energy and area as a number, for
// programs that know neither presets nor tables.

// A YAML document that is read back to a machine of the same costs and mapspaces. Where it is not (a machine that was
// put together by hand with other instances than its fan-outs make), the fingerprints differ.
std::string write_architecture(const Architecture& architecture);

// In what two machines differ. Levels are matched by name, and by place where the names differ. The names of the
// machines and their descriptions are labels and are not compared; all that can change a cost or a mapspace is. Empty:
// the fingerprints are equal.
FieldDifferences differences(const Architecture& a, const Architecture& b);

}  // namespace heliolite
