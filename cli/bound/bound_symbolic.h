#pragma once
// heliolite bound --kind hbl, conv, iolb or all: bounds over all schedules, of layers and of networks, and the best
// tilings against them.
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/bound/bound_curves.h"
#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/bounds/hbl/hbl_tile.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/inputs/read_options.h"
#include "workloads/network.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {

// The assumptions of network_bound().
inline constexpr const char* kNetworkHoldsUnder =
    "loads and stores, sums from zero; any schedule that computes no layer twice; operands without an edge are arrays "
    "of "
    "their own";

// The options as they were given.
struct SymbolicArguments : BoundQuestion {
  std::string kind;           // one of symbolic_kinds()
  bool loads = false;         // count loads alone
  bool outputs_read = false;  // outputs start as words to be read
  bool simulate = false;      // execute the best tilings
};

std::vector<std::string> symbolic_kinds();  // "all", "hbl", "conv", "iolb"

// Adds the options that only these kinds have to the command.
void add_symbolic_options(const Command& command, SymbolicArguments& arguments);

// Answers and returns the exit code.
int run_symbolic(SymbolicArguments arguments, const Output& output);

// One layer's lower bounds and best tilings as tables and JSON.

// What one tiling moves when it runs with a memory of the capacity that it was made for.
struct ExecutedTiling {
  std::string why_not;        // it did not run; empty: it did
  double scratchpad = 0;      // words that its boxes move; the model says at least as many
  std::optional<double> opt;  // of a cache that knows the future; none: too many touches to remember
  double lru = 0;             // of a cache that drops what was used longest ago
  // The best tiling known whose reuse window such a cache holds: what it says, and what the cache measures.
  std::optional<double> lru_tiling, lru_tiling_measured;
};

// Executes the tiling where that takes seconds.
ExecutedTiling execute_tiling(const Workload& workload, const PartTiling& tiling, double capacity, TrafficRule rule);

// A memory size to answer for, in the answer's unit.
struct Place {
  std::string level;               // the level whose outer boundary is looked at; empty without a machine
  std::optional<double> capacity;  // operands of the compute units included; none: unbounded
  u64 stored = ~u64{0};            // the part of it that levels of storage have
};

// What must cross into a memory of that size, in the answer's unit.
struct PlaceAnswer {
  Place place;
  std::vector<LowerBound> bounds;
  std::optional<u64> least_by_mapping;       // least of all mappings with perfect factors and this storage
  std::optional<PartTiling> tiling;          // the best one known for one cache of the capacity
  std::optional<ExecutedTiling> executed{};  // with --simulate
};

// The answer for one layer.
struct SymbolicAnswer {
  Workload workload;
  LowerBounds bounds;
  TilingProblem tiling;
  std::vector<PlaceAnswer> places{};  // in the order of places()
  // With --kind iolb on a machine: tiles for several of its memories (indices into `places`) that move the fewest words
  // in all.
  std::vector<std::size_t> nested_places{};
  std::optional<CacheTiling> nested{};
};

// The levels of the machine if there is one, else memories of the sizes asked for, or of usual sizes.
std::vector<Place> places(const SymbolicArguments& arguments, const Workload& workload,
                          const std::optional<Architecture>& architecture);

// The answer for these places. `together`: also SymbolicAnswer::nested, which takes longest.
SymbolicAnswer answer_symbolic(const SymbolicArguments& arguments, const Workload& workload,
                               const std::vector<double>& word_sizes, const std::vector<Place>& places, bool together);

// The answer as text for people.
std::string symbolic_text(const SymbolicAnswer& answer, const SymbolicArguments& arguments);

// The answer as comma-separated text without its heading: a line for each memory and bound; the best tiling has the
// kind "tiling".
std::string symbolic_csv_head(const WordUnit& unit);  // "layer,level,capacity_words,kind,words"
std::string symbolic_csv(const SymbolicAnswer& answer, const SymbolicArguments& arguments);

Json symbolic_json(const SymbolicAnswer& answer, const SymbolicArguments& arguments);  // docs/json.md

// Parts of both text and JSON follow. Whether bounds of the kind are shown:
bool shows(const SymbolicArguments& arguments, BoundKind kind);

// Tiles that attain the HBL bound up to a constant, of the lifted nest: with --kind hbl the extreme ones of the family,
// else one of them. None for a memory that does not hold two words and an element of each array.
std::vector<RealTile> attaining_tiles(const SymbolicAnswer& answer, const SymbolicArguments& arguments,
                                      const Place& place);

// The published forms of IOLB (a lower bound) and IOUB (a tiling, where there is such a tiling) at a capacity, in
// words. Absent for Einsums that have none, and where words have several units, which the forms do not know.
struct PublishedForms {
  double bound = 0;
  std::optional<double> tiling;
};
std::optional<PublishedForms> published_forms(const SymbolicAnswer& answer, double capacity);

// Words of the best tiling over the largest bound, minus 1; absent without a tiling.
std::optional<double> gap(const PlaceAnswer& answer);

// Under which assumptions a bound of the kind holds, in a few words.
std::string holds_under(BoundKind kind, const SymbolicArguments& arguments);

// The table of all places, and docs/json.md: `executed` of a tiling.
std::string executed_table(const SymbolicAnswer& answer);

// Best tilings of a layer as tables and JSON.

// Tables of the best tilings for each memory alone, and for several together (empty if those were not asked for).
std::string tilings_table(const SymbolicAnswer& answer, const WordUnit& unit);
std::string nested_table(const SymbolicAnswer& answer, const WordUnit& unit);

// docs/json.md: a member of `tilings` (`answer.tiling` must be there), and `nested_tiling`.
Json tiling_json(const PlaceAnswer& answer);
Json nested_json(const SymbolicAnswer& answer);

// {"level", "capacity_words"}
Json place_json(const Place& place);

}  // namespace heliolite::cli
