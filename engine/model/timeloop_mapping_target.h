#pragma once
// What a directive of a Timeloop mapping is about: a level, or the fan-out below one.
#include <optional>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

struct MappingTarget {
  std::size_t level = 0;
  // Named is what fans out below the level (the container "PE", or "inter_PE_spatial"): it has spatial loops, but no
  // temporal ones, and it holds nothing. Timeloop gives it a level of its own, and a line of each type in its files.
  bool is_fanout = false;
};

// Finds a level by its name or number (innermost = 0), or a fan-out by its owner's name, which goes first when the
// directive is spatial: in v0.4 the owner may bear the name of the component below. Complains, with what is allowed.
std::optional<MappingTarget> find_mapping_target(const YamlNode& target, bool is_spatial,
                                                 const Architecture& architecture, Diagnostics& errors);

}  // namespace heliolite
