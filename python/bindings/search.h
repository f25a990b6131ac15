#pragma once
// Options of a search as Python gives them: names of docs/commands.md with their values as text.
#include <heliolite/map.h>
#include <string>
#include <utility>
#include <vector>

#include "engine/search/core/option_table.h"

namespace heliolite::python {

using GivenTexts = std::vector<std::pair<std::string, std::string>>;

// The options in the table; throws InputError with all complaints.
std::vector<GivenOption> given_options(const GivenTexts& given);

// The defaults with these options set.
SearchOptions options_with(const std::vector<GivenOption>& given);

}  // namespace heliolite::python
