#pragma once
// Reads one workload of a YAML file: a named shape, an Einsum as text, or explicit dimensions and tensors.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/field_reader.h"
#include "engine/inputs/read_options.h"
#include "workloads/families.h"
#include "workloads/workload_yaml.h"

namespace heliolite {

// Settings that all layers of a network share.
struct LayerContext {
  u64 batch = 1;
  Pass pass = Pass::Forward;
  std::map<std::string, Arguments, std::less<>> defaults;  // [family]: values of its parameters
  std::vector<TensorBits> word_bits;                       // of tensors of layers that do not say
};

// Reads the fields of `map` that describe the shape and the roles (shape_fields()), leaving finish() to the caller.
// Complains and returns nothing when there is no valid workload. What was read otherwise than it is written is added to
// `notes`, each with its place.
std::optional<Workload> read_workload(FieldReader& map, const LayerContext& context, std::vector<std::string>& notes,
                                      Diagnostics& errors);

}  // namespace heliolite
