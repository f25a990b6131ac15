#pragma once
// One layer's lower bounds and best tilings as tables and JSON.
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/bound/bound_symbolic.h"
#include "cli/ui/json.h"
#include "engine/bounds/curve/orojenesis_nested.h"
#include "engine/bounds/hbl/hbl_tile.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/tiling/iotile_search.h"

namespace heliolite::cli {

// A memory size to answer for.
struct Place {
  std::string level;               // outside which the words cross; empty without a machine
  std::optional<double> capacity;  // operands of the units included
  u64 stored = ~u64{0};            // of it, what levels of storage have
};

struct PlaceAnswer {
  Place place;
  std::vector<LowerBound> bounds;
  std::optional<u64> least_by_mapping;  // with perfect factors and this storage
  std::optional<TiledLevel> tile;       // the best known for one cache of the capacity
};

struct SymbolicAnswer {
  Workload workload;
  LowerBounds bounds;
  TilingProblem tiling;
  std::vector<PlaceAnswer> places{};
  // --kind iolb on a machine: tiles for several of its memories that move the fewest words in all.
  std::vector<std::size_t> nested_places{};
  std::optional<CacheTiling> nested{};
};

// Levels of the machine, or memories of the sizes asked for, or of usual ones.
std::vector<Place> places(const SymbolicArguments& arguments, const Workload& workload,
                          const std::optional<Architecture>& architecture);

// `together`: also what takes longest, tiles for several memories at once.
SymbolicAnswer answer_symbolic(const SymbolicArguments& arguments, const Workload& workload,
                               const std::vector<double>& word_sizes, const std::vector<Place>& places, bool together);

std::string symbolic_text(const SymbolicAnswer& answer, const SymbolicArguments& arguments);

// A line for each memory and bound; best tilings are of kind "tiling".
inline constexpr const char* kSymbolicCsvHead = "layer,level,capacity_words,kind,words\n";
std::string symbolic_csv(const SymbolicAnswer& answer, const SymbolicArguments& arguments);

Json symbolic_json(const SymbolicAnswer& answer, const SymbolicArguments& arguments);  // docs/json.md

// What both show. Whether the kind was asked for:
bool shows(const SymbolicArguments& arguments, BoundKind kind);

// Loops over tiles, innermost last: "K C", or "any".
std::string loops_text(const TileOrder& order, const Workload& workload);

// Tiles that attain the HBL bound up to a constant, of the lifted nest: with --kind hbl the extreme ones of the family,
// else one of them. None for a memory that does not hold two words and an element of each array.
std::vector<RealTile> attaining_tiles(const SymbolicAnswer& answer, const SymbolicArguments& arguments,
                                      const Place& place);

// IOLB's and IOUB's forms at a capacity; the tiling's only where there is such a tiling. Absent for other Einsums.
struct PublishedForms {
  double bound = 0;
  std::optional<double> tiling;
};
std::optional<PublishedForms> published_forms(const SymbolicAnswer& answer, double capacity);

// How far the best tiling may be above what must move; absent without a tiling.
std::optional<double> gap(const PlaceAnswer& answer);

// Under which assumptions a bound of the kind holds, in a few words.
std::string holds_under(BoundKind kind, const SymbolicArguments& arguments);

}  // namespace heliolite::cli
