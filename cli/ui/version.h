#pragma once
// The version of the program as JSON, for every answer.
#include <nlohmann/json.hpp>

namespace heliolite::cli {

nlohmann::ordered_json version_json();  // {"version", "commit", "compiler", "build_type", "sanitizers", "assertions"}

}  // namespace heliolite::cli
