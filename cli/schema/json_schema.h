#pragma once
// Tables of fields as JSON Schemas.
#include <string>

#include "cli/ui/json.h"
#include "engine/base/field_table.h"

namespace heliolite::cli {

// Of documents of this shape, in draft-07, which the language servers of editors know best. What it refuses the readers
// refuse; they refuse more, for it knows neither names nor what fields say together.
Json json_schema(const std::string& title, const Shape& document);

}  // namespace heliolite::cli
