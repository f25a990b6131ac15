#pragma once
// Errors are values at the file boundary: what is wrong, where, and what is allowed. The types are those of the public
// header, so that what a reader complains of reaches a user of the library unchanged.
#include <heliolite/result.h>  // IWYU pragma: export
#include <string>
#include <vector>

namespace heliolite {

// In what two things differ: one field with both values as text.

struct FieldDifference {
  std::string field;  // "GLB.entries"
  std::string a, b;   // "" where one of them has no such thing
};

using FieldDifferences = std::vector<FieldDifference>;

}  // namespace heliolite
