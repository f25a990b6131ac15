#pragma once
// Merge keys of YAML maps: `<<` fills in whole entries, `<<<` also what entries that are maps or lists lack.
#include <memory>
#include <vector>

#include "engine/base/yaml_value.h"

namespace heliolite {

// Adds to the entries of `map` those of each source, the first one going before the next. An entry that the map has
// stays as it is; unless `deep`: then a map gets what it lacks from the source's map, and a list is followed by the
// source's list. A value tagged !nomerge gets nothing. The entries' places are those of the files they come from.
void merge_into(YamlValue& map, const std::vector<std::shared_ptr<const YamlValue>>& sources, bool deep);

}  // namespace heliolite
