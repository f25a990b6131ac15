#pragma once
// The options of a search in YAML files of sweeps and mapper suites; the keys are the names in option_table.h.
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/field_reader.h"
#include "engine/search/core/options.h"

namespace heliolite {

// The options as fields of a file, but for those in `leave`.
std::vector<FileField> search_option_fields(std::span<const std::string_view> leave = {});
FileField search_option_field(std::string_view name);

// Reads the keys of the map that are options of a search into `options`, but for the keys in `leave`. A value that is
// not allowed becomes a complaint in `errors`.
void read_search_options(FieldReader& reader, SearchOptions& options, Diagnostics& errors,
                         std::span<const std::string_view> leave = {});

// Complains about keys of options that there were, with what to write in their place.
void refuse_former_options(FieldReader& reader);

// Sets the option `name` to the value of `node`; a value that is not allowed becomes a complaint in `errors`.
void read_search_option(const YamlNode& node, std::string_view name, SearchOptions& options, Diagnostics& errors);

}  // namespace heliolite
