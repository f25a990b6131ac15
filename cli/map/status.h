#pragma once
// The status of an answer names the mapspace that it speaks of: an optimum of perfect factors need not be one of all.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/ui/json.h"
#include "engine/model/counts.h"
#include "engine/search/core/tiles.h"

namespace heliolite::cli {

// The status with the mapspace: "optimal, perfect factors"; even tiles go without saying.
inline std::string status_text(std::string_view status, bool imperfect, Tiles tiles) {
  return fmt::format("{}, {} factors{}", status, imperfect ? "any" : "perfect",
                     tiles == Tiles::Uneven ? ", uneven tiles" : "");
}

// The mapspace as the JSON object "mapspace" of an answer: its factors, how those are counted that do not divide, and
// its tiles.
inline Json mapspace_json(bool imperfect, Counts counts, Tiles tiles) {
  return {{"factors", imperfect ? "any" : "perfect"}, {"counts", name(counts)}, {"tiles", name(tiles)}};
}

}  // namespace heliolite::cli
