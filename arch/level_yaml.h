#pragma once
// Reads one storage level, or one buffer of a split level, of our YAML.
#include <optional>
#include <vector>

#include "arch/architecture_spec.h"
#include "engine/base/field_reader.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// File, line and field of a value.
Place place_of(const YamlNode& node);

// "pat" or "table"; anything else is complained about.
std::optional<EnergyModel> read_energy_model(const YamlNode& node, Diagnostics& errors);

// Reads a number in [0, most] or one of `models` ("pat", "table"); anything else is complained about.
std::optional<Amount> read_amount(const std::optional<YamlNode>& node, double most,
                                  const std::vector<std::string>& models, Diagnostics& errors);

// Reads one entry of `levels`. A unified level gives one level; a split one (`buffers`) gives a chain of single-tensor
// levels, innermost first, of which only the innermost has loops and the fan-out.
std::vector<LevelSpec> read_level(const YamlNode& node, Diagnostics& errors);

// Reads `fanout`, `network` and `constraints`, of a map that has them beside other keys.
void read_feed(FieldReader& reader, LevelSpec& level, Diagnostics& errors);

}  // namespace heliolite
