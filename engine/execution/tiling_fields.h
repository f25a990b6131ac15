#pragma once
// The fields of tiling files (docs/execution.md), map by map.
#include "engine/base/field_table.h"

namespace heliolite {

const FieldTable& tiling_file_fields();  // the document
const FieldTable& tiling_fields();
const FieldTable& tile_fields();

}  // namespace heliolite
