#pragma once
// The fields of experiment files and of chips (docs/orojenesis.md), map by map.
#include "engine/base/field_table.h"

namespace heliolite::cli {

const FieldTable& experiment_fields();  // the document
const FieldTable& experiment_row_fields();
const FieldTable& chip_fields();  // a document of its own, or a part of an experiment

}  // namespace heliolite::cli
