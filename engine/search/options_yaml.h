#pragma once
// How to search, as suites of mappers and sweeps state it: the keys are the names of the table of options.
#include <initializer_list>
#include <string_view>

#include "engine/base/yaml_node.h"
#include "engine/search/core/options.h"

namespace heliolite {

// The keys of the map that are options of a search, into `options`; complains about values that are not allowed. Keys
// in `leave` are not looked at.
void read_search_options(MapReader& reader, SearchOptions& options, Diagnostics& errors,
                         std::initializer_list<std::string_view> leave = {});

// The value of `node` as that of the option `name`.
void read_search_option(const YamlNode& node, std::string_view name, SearchOptions& options, Diagnostics& errors);

}  // namespace heliolite
