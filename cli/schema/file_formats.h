#pragma once
// Our file formats that have a JSON Schema.
#include <span>
#include <string_view>

#include "cli/convert/recognise.h"
#include "engine/base/field_table.h"

namespace heliolite::cli {

struct FileFormat {
  std::string_view name;  // "machine": of the schema, and of schemas/machine.json
  Part part;              // what such a file is recognised as
  std::string_view page;  // of the documentation
  Shape (*document)();
};

std::span<const FileFormat> file_formats();

}  // namespace heliolite::cli
