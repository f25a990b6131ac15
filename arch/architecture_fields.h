#pragma once
// The fields of our architecture files (docs/formats_architecture.md), map by map.
#include <string>
#include <vector>

#include "engine/base/field_reader.h"

namespace heliolite {

// The fields of a storage level of our architecture files (docs/formats_architecture.md), map by map.

// A number from 0 to `most`, or one of `models`, which work it out ("pat", "table").
Shape amount_shape(double most, const std::vector<std::string>& models);

const FieldTable& level_fields();  // of a unified level
const FieldTable& split_level_fields();
const FieldTable& buffer_fields();  // of a buffer of a split level
const FieldTable& access_energy_fields();
const FieldTable& bandwidth_fields();
const FieldTable& network_energy_fields();
const FieldTable& fanout_fields();

const FieldTable& constraints_fields();
const FieldTable& temporal_constraint_fields();
const FieldTable& spatial_constraint_fields();

const FieldTable& machine_file_fields();  // the document
const FieldTable& architecture_fields();
const FieldTable& compute_fields();
const FieldTable& unit_fields();  // a further compute unit

}  // namespace heliolite
