#pragma once
// The status of an answer names the mapspace that it speaks of: an optimum of perfect factors need not be one of all.
#include <fmt/format.h>
#include <cstddef>
#include <string>
#include <string_view>

#include "arch/peer_channel.h"
#include "cli/ui/json.h"
#include "cli/ui/lines.h"
#include "cli/ui/output.h"
#include "engine/model/cost.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/options.h"

namespace heliolite::cli {

// The status of an answer; where words between peers were not searched, that of the answer without them.
inline std::string status_word(const MappingResult& r) {
  if (!r.without_peers || r.status == Status::Optimal) return std::string(name(r.status));
  return fmt::format("{} without {}", name(r.without_peers->status), kPeerChannel.name);
}

// The status with the mapspace: "optimal, perfect factors"; even tiles go without saying.
inline std::string status_text(std::string_view status, bool any_factors, Tiles tiles) {
  const Tone tone = status == "optimal" ? Tone::Good : status == "infeasible" ? Tone::Bad : Tone::Doubt;
  return fmt::format("{}, {} factors{}", painted(status, tone), any_factors ? "any" : "perfect",
                     tiles == Tiles::Uneven ? ", uneven tiles" : "");
}

// The mapspace as the JSON object "mapspace" of an answer: its factors, how those are counted that do not divide, and
// its tiles.
inline Json mapspace_json(bool any_factors, Counts counts, Tiles tiles) {
  return {{"factors", any_factors ? "any" : "perfect"}, {"counts", name(counts)}, {"tiles", name(tiles)}};
}

// The end of a command whose parts are answered one after the other, and that Ctrl-C may have stopped on the way.

// Adds "interrupted" to the answer and writes it; a stopped command notes that it has `done` of its parts. Returns the
// exit code: `code`, or that of an interrupted command or of an output that cannot be written.
int write_partial_answer(const Output& output, Json& answer, std::size_t done, std::size_t of, const char* parts,
                         int code = kSuccess);

}  // namespace heliolite::cli
