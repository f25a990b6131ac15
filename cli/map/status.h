#pragma once
// The status of an answer names the mapspace that it speaks of: an optimum of perfect factors need not be one of all.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/ui/json.h"

namespace heliolite::cli {

// The status with the mapspace: "optimal, perfect factors".
inline std::string status_text(std::string_view status, bool imperfect) {
  return fmt::format("{}, {} factors", status, imperfect ? "any" : "perfect");
}

// The mapspace as the JSON object "mapspace" of an answer.
inline Json mapspace_json(bool imperfect) { return {{"factors", imperfect ? "any" : "perfect"}}; }

}  // namespace heliolite::cli
