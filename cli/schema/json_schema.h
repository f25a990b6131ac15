#pragma once
// Tables of fields as JSON Schemas.
#include <span>
#include <string>
#include <string_view>

#include "cli/convert/recognise.h"
#include "cli/ui/json.h"
#include "engine/base/field_reader.h"

namespace heliolite::cli {

// Our file formats that have a JSON Schema.

struct FileFormat {
  std::string_view name;  // "machine": of the schema, and of schemas/machine.json
  Part part;              // what such a file is recognised as
  std::string_view page;  // of the documentation
  Shape (*document)();
};

std::span<const FileFormat> file_formats();

// The schema of documents of this shape, in draft-07, which the language servers of editors know best. What it refuses
// the readers refuse; they refuse more, for it knows neither names nor what fields say together.
Json json_schema(const std::string& title, const Shape& document);

}  // namespace heliolite::cli
