#pragma once
// The fields of our mapping files (docs/formats_mapping.md), map by map.
#include "engine/base/field_table.h"

namespace heliolite {

Shape mapping_document_shape();  // the list of levels, or a map that has it

const FieldTable& mapping_file_fields();
const FieldTable& mapping_level_fields();
const FieldTable& mapping_fanout_fields();

}  // namespace heliolite
