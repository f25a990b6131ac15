#pragma once
// What the strategy cosa minimises.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

enum class CosaVariant : u8 {
  Published,  // the objective that was printed: loop order counts at one level only
  Ordered,    // the same with the order of the outermost level's loops
  Convex,     // the cost model's own energy and cycles; also a lower bound
};

// "published", "ordered", "convex".
std::string_view name(CosaVariant variant);
std::optional<CosaVariant> parse_cosa_variant(std::string_view name);
std::vector<std::string> cosa_variant_names();

// How a tile that slides along a rank is counted in the programs of variants published and ordered.
enum class CosaHalo : u8 {
  Exact,    // as it is
  Doubled,  // each prime of the window as 2 at most, which can be too small
};

// "exact", "doubled".
std::string_view name(CosaHalo halo);
std::optional<CosaHalo> parse_cosa_halo(std::string_view name);
std::vector<std::string> cosa_halo_names();

// Of the three parts of the published objective: logarithms of cycles, of words moved, of words held.
struct CosaWeights {
  double cycles = 10, traffic = 1, room = -0.1;
  bool operator==(const CosaWeights&) const = default;
};
// "10,1,-0.1"; none if these are no three numbers of at most 1e6 in size.
std::optional<CosaWeights> parse_cosa_weights(std::string_view text);
std::string to_text(const CosaWeights& weights);

}  // namespace heliolite
