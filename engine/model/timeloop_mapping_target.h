#pragma once
// What a directive of a Timeloop mapping, or a heading of a nest that Timeloop prints, is about: a level, or the
// fan-out below one.
#include <optional>
#include <string>
#include <string_view>

#include "arch/architecture.h"

namespace heliolite {

struct MappingTarget {
  std::size_t level = 0;
  // Named is what fans out below the level (the container "PE", or "inter_PE_spatial"): it has spatial loops, but no
  // temporal ones, and it holds nothing. Timeloop gives it a level of its own, and a line of each type in its files.
  bool is_fanout = false;
};

// Finds a level by its name or number (innermost = 0), or a fan-out by its owner's name, which goes first when the
// directive is spatial: in v0.4 the owner may bear the name of the component below.
std::optional<MappingTarget> find_mapping_target(std::string_view target, bool is_spatial,
                                                 const Architecture& architecture);

// What may be named: "A, B or C", and a suggestion for a `target` that is not found.
std::string allowed_mapping_targets(std::string_view target, const Architecture& architecture);

}  // namespace heliolite
