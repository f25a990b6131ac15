#pragma once
// Our own architecture files (docs/formats_architecture.md), read and written: whole machines, levels, constraints, and
// the fields of each map.
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "arch/architecture_spec.h"
#include "engine/base/field_reader.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// Reads our own architecture YAML (docs/formats_architecture.md), which lists the outermost level first.

// Whether the document is in our format: an `architecture` with `levels` or a `base`.
bool is_architecture_yaml(const YamlNode& document);

// What the document states; its `base`, if any, is not followed (load_architecture_spec does). Unknown keys, wrong
// types and values out of range are errors, all reported at once.
Result<ArchitectureSpec> read_architecture_yaml(const YamlNode& document);

// A machine in the project's own format (docs/formats_architecture.md), with every energy and area as a number, for
// programs that know neither presets nor tables.

// A YAML document that is read back to a machine of the same costs and mapspaces. Where it is not (a machine that was
// put together by hand with other instances than its fan-outs make), the fingerprints differ.
std::string write_architecture(const Architecture& architecture);

// In what two machines differ. Levels are matched by name, and by place where the names differ. The names of the
// machines and their descriptions are labels and are not compared; all that can change a cost or a mapspace is. Empty:
// the fingerprints are equal.
FieldDifferences differences(const Architecture& a, const Architecture& b);

// Reads one storage level, or one buffer of a split level, of our YAML.

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

// The parts of our YAML that say what a level keeps and which loops it may run.

// Reads `keep`, `bypass` and `open` of a level or buffer.
KeepSpec read_keep(FieldReader& level, Diagnostics& errors);

// "C=4", "K<=16", "R*S=max", as read_constraints() reads it.
std::string factor_text(const FactorConstraint& factor);

// Reads the map under `constraints`.
LevelConstraints read_constraints(const YamlNode& node, Diagnostics& errors);

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
