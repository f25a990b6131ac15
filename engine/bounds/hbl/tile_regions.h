#pragma once
// The tile of most iterations for all sizes and capacities at once: the multiparametric linear program of
// largest_tile() (hbl_tile.h) with log M and the logarithms of the sizes as parameters. Its critical regions are cones
// in which one formula gives the tile. Source: Demmel and Dinh, section 5; Borrelli, Bemporad and Morari, "Geometric
// algorithm for multiparametric linear programming", 2003. Proof: docs/rules/bounds_hbl.md.
#include <optional>
#include <string>
#include <vector>

#include "engine/bounds/hbl/hbl_nest.h"
#include "engine/bounds/hbl/hbl_tile.h"

namespace heliolite {

struct TileRegion {
  std::vector<LogForm> tile;             // [loop]: extent
  std::vector<std::vector<i64>> facets;  // a . (log M, log sizes) >= 0; none follows from the others
  std::size_t cost = 0;                  // in TileRegions::costs
};

struct TileRegions {
  std::vector<LogForm> costs;  // different ones: iterations * M / tile, words up to a constant
  std::vector<TileRegion> regions;
};

// The regions that cover log_points() (hbl_tile.h) and meet at facets only. Of several largest tiles it is the one
// with the largest extent of the first loop, then of the second, and so on. Nothing when there are too many to
// enumerate. The nest's sizes and word sizes do not matter.
std::optional<TileRegions> tile_regions(const AccessNest& nest, bool taps_within_outputs);

// Into how many pieces the published algorithm cuts the same points: it may cut a region several times, depending on
// the points that it starts at, here drawn with `seed`. Nothing when there are too many.
std::optional<std::size_t> published_pieces(const AccessNest& nest, bool taps_within_outputs, u64 seed);

// "M*N*K/capacity^(1/2)".
std::string form_text(const LogForm& form, const AccessNest& nest);

}  // namespace heliolite
