#pragma once
// In what two machines differ, field by field.
#include "arch/architecture.h"
#include "engine/base/result.h"

namespace heliolite {

// Levels are matched by name, and by place where the names differ. The names of the machines and their descriptions are
// labels and are not compared; all that can change a cost or a mapspace is. Empty: the fingerprints are equal.
FieldDifferences differences(const Architecture& a, const Architecture& b);

}  // namespace heliolite
