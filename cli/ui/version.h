#pragma once
// Which program gave a result.
#include <nlohmann/json.hpp>
#include <string>

namespace heliolite::cli {

std::string version_line();             // "heliolite 0.1.0 (commit .., compiler, build)"
nlohmann::ordered_json version_json();  // {"version", "commit", "compiler", "build_type", "sanitizers", "assertions"}

}  // namespace heliolite::cli
