#pragma once
// The fields of the edges and inputs of a network (docs/formats_workload.md), map by map.
#include "engine/base/field_table.h"

namespace heliolite {

const FieldTable& edge_fields();   // an entry of `edges`
const FieldTable& input_fields();  // an entry of `inputs` that is no name
const FieldTable& through_fields();
const FieldTable& pool_fields();
const FieldTable& resize_fields();
const FieldTable& concat_fields();
const FieldTable& slice_fields();

}  // namespace heliolite
