#pragma once
// Whether documents are valid under a JSON Schema, for the keywords that ours use (json-schema.org, draft-07). Written
// from the specification of the keywords; knows nothing of the program.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/yaml_node.h"

namespace heliolite {

// What is wrong with the document, each with its path; none when it is valid. Throws std::logic_error for a keyword
// that it does not know: nothing is skipped.
std::vector<std::string> violations(const nlohmann::json& schema, const nlohmann::json& document);

// The value as editors see it, by the core schema of YAML 1.2: a plain `yes` is a text.
nlohmann::json json_of(const YamlNode& node);

}  // namespace heliolite
