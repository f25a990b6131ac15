#pragma once
// The fields of experiment files and of chips (docs/orojenesis.md), map by map.
#include <optional>
#include <string>

#include "engine/base/field_reader.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/bounds/curve/orojenesis.h"

namespace heliolite::cli {

const FieldTable& experiment_fields();  // the document
const FieldTable& experiment_row_fields();
const FieldTable& chip_fields();  // a document of its own, or a part of an experiment

// The chip of a question about how to divide it between buffer and compute units: a file, a part of an experiment, or
// "area_mm2=..,mac_um2=..,.." on the command line.

struct ChipQuestion {
  Chip chip;
  std::optional<double> roof_operations;  // that the memory roof counts; none: MACs

  u64 roof(u64 macs) const { return roof_operations ? static_cast<u64>(*roof_operations) : macs; }
};

// The keys of the map; complaints are added to `errors`.
ChipQuestion read_chip(const YamlNode& node, Diagnostics& errors);

// A text with '=' is the keys with their values, anything else a file of them.
Result<ChipQuestion> load_chip(const std::string& text);

}  // namespace heliolite::cli
