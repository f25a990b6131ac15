#pragma once
// The fields of our workload files (docs/formats_workload.md), map by map, and what their readers share.
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/field_reader.h"
#include "engine/base/yaml_node.h"
#include "workloads/families.h"

namespace heliolite {

const FieldTable& workload_file_fields();  // the document: a network or one workload
const FieldTable& layer_fields();          // an entry of `layers`
const FieldTable& block_fields();          // another: several layers
const FieldTable& family_defaults_fields();

// The fields that describe one workload, of a layer or of the whole file.
const std::vector<FileField>& shape_fields();

// Helpers that the readers of workload files share.

// Adds the complaints `inner` of a reader of text or of check() to `errors`, with the file and line of `node`.
void add_at(const YamlNode& node, const Diagnostics& inner, Diagnostics& errors);

// Reads an integer from 1 to `largest`; `name` is for the complaint.
std::optional<u64> read_size(const YamlNode& node, std::string_view name, u64 largest, Diagnostics& errors);

// Reads the parameters of a family: `{k: 64, c: 64}` or "k=64,c=64".
std::optional<Arguments> read_arguments(const Family& family, const YamlNode& node, Diagnostics& errors);

}  // namespace heliolite
