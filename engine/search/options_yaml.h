#pragma once
// The options of a search in YAML files of sweeps and mapper suites; the keys are the names in option_table.h.
#include <initializer_list>
#include <string_view>

#include "engine/base/yaml_node.h"
#include "engine/search/core/options.h"

namespace heliolite {

// Reads the keys of the map that are options of a search into `options`, but for the keys in `leave`. A value that is
// not allowed becomes a complaint in `errors`.
void read_search_options(MapReader& reader, SearchOptions& options, Diagnostics& errors,
                         std::initializer_list<std::string_view> leave = {});

// Sets the option `name` to the value of `node`; a value that is not allowed becomes a complaint in `errors`.
void read_search_option(const YamlNode& node, std::string_view name, SearchOptions& options, Diagnostics& errors);

}  // namespace heliolite
