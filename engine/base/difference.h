#pragma once
// In what two things differ: one field with both values as text.
#include <string>
#include <vector>

namespace heliolite {

struct FieldDifference {
  std::string field;  // "GLB.entries"
  std::string a, b;   // "" where one of them has no such thing
};

using FieldDifferences = std::vector<FieldDifference>;

}  // namespace heliolite
