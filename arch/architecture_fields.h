#pragma once
// The fields of our architecture files (docs/formats_architecture.md), map by map.
#include "engine/base/field_table.h"

namespace heliolite {

const FieldTable& machine_file_fields();  // the document
const FieldTable& architecture_fields();
const FieldTable& compute_fields();

}  // namespace heliolite
