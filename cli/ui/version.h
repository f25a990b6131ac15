#pragma once
// Which program gave a result.
#include <nlohmann/json.hpp>

namespace heliolite::cli {

nlohmann::ordered_json version_json();  // {"version", "commit", "compiler", "build_type", "sanitizers", "assertions"}

}  // namespace heliolite::cli
