#pragma once
// A machine in the project's own format (docs/formats_architecture.md), with every energy and area as a number, for
// programs that know neither presets nor tables.
#include <string>

#include "arch/architecture.h"

namespace heliolite {

// A YAML document that is read back to a machine of the same costs and mapspaces. Where it is not (a machine that was
// put together by hand with other instances than its fan-outs make), the fingerprints differ.
std::string write_architecture(const Architecture& architecture);

}  // namespace heliolite
