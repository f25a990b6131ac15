#pragma once
// What answers say in addition to mappings: their status, the least that levels must move, what an evaluator and a
// witness come to, and why answers are not proven.
#include <fmt/format.h>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "cli/ui/lines.h"
#include "cli/ui/output.h"
#include "engine/base/result.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/model/cost.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/objective.h"
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

// The least words, or bytes or bits of words that have sizes, that any mapping moves across each level's boundary, as
// table and as JSON: alone, or with what one mapping moves.

// The levels as a table, without and with a mapping.
std::string level_table(std::span<const LevelBound> levels, const Workload& workload);
std::string level_table(std::span<const LevelDistance> levels, const Workload& workload);

// The elements of "bounds" in docs/json.md; `tiles` says for which mappings they hold.
Json level_bound_json(const LevelBound& level, const std::string& tiles);
Json level_bound_json(const LevelDistance& level, const std::string& tiles);

// The names of the two curves in tables, CSV and JSON: the least of all mappings on one buffer, and on any levels.
inline constexpr const char* kOneBufferCurve = "orojenesis";
inline constexpr const char* kNestedCurve = "nested";

// Assumptions under which the bounds hold, put together from these.
inline constexpr const char* kAnyMapping = "any mapping, ";
inline constexpr const char* kPerfectTiles = "perfect tiles";
inline constexpr const char* kAnyTiles = "tiles of any size";

// "; A and A#2 are one tensor" for the assumptions of a bound that counts such a tensor once; else empty.
std::string repeated_tensors(const Workload& workload);

// What an evaluator said of the mappings that a search found by it (docs/evaluator.md).

// The evaluator's values next to the cost model's numbers in the table, and what failed; empty without an evaluator.
std::string evaluator_text(const NetworkResult& result, const EvaluatorOptions& evaluator);

// What an evaluator said of one layer; null without an evaluator.
Json evaluator_json(const MappingResult& layer, const EvaluatorOptions& evaluator);

// What `map --witness` says of the mapping that it was given.

// A line for the witness, and one for each rule or limit that removed it. `value`: of the search's answer.
std::string witness_text(const WitnessReport& report, Objective objective, double value,
                         const Architecture& architecture);

// What became of the witness; null without a report.
Json witness_json(const std::optional<WitnessReport>& report, const Architecture& architecture);

// The errors of the program that the witness has shown; empty: none.
Diagnostics witness_errors(const WitnessReport& report);

// Why answers are not proven, for people: each reason once, with the layers.

// Why the answer for a layer is not proven.
struct NotProven {
  std::string layer;
  std::string why;  // empty: it is proven, or nothing but the strategy stands in its way
};

// Lines to print below a table of these layers; empty if there is nothing to say.
std::string not_proven_text(std::span<const NotProven> layers);

}  // namespace heliolite::cli
