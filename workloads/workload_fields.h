#pragma once
// The fields of our workload files (docs/formats_workload.md), map by map.
#include <vector>

#include "engine/base/field_reader.h"
#include "workloads/families.h"

namespace heliolite {

const FieldTable& workload_file_fields();  // the document: a network or one workload
const FieldTable& layer_fields();          // an entry of `layers`
const FieldTable& block_fields();          // another: several layers
const FieldTable& family_defaults_fields();

// The parameters of a family, which may also be written in capitals.
const FieldTable& parameter_fields(const Family& family);

// The fields that describe one workload, of a layer or of the whole file.
const std::vector<FileField>& shape_fields();

}  // namespace heliolite
