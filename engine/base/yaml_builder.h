#pragma once
// From a YAML text to the tree of its values; the only place that knows yaml-cpp.
#include <memory>

#include "engine/base/result.h"
#include "engine/base/yaml_value.h"

namespace heliolite {

inline constexpr int kMaxYamlDepth = 64;

// The root of the text's only document, or null when there is none. Complains about syntax, depth, size with aliases
// expanded, duplicate keys and further documents.
std::shared_ptr<const YamlValue> build_yaml(const YamlText& text, Diagnostics& errors);

// The place of a line (1-based) of the text; 0 is the text as a whole.
YamlLine origin_of(const YamlText& text, int line);

}  // namespace heliolite
