#pragma once
// A picture of the regions of a tiling program over two of its parameters.
#include <array>
#include <string>
#include <vector>

#include "engine/bounds/hbl/tile_regions.h"

namespace heliolite::cli {

struct RegionPicture {
  std::string title;
  std::array<std::string, 2> axes;       // names of the parameters drawn to the right and upwards
  std::array<std::size_t, 2> parameter;  // their indices in a point
  std::vector<double> point;             // binary logarithms of the capacity and the sizes; those drawn do not matter
  std::vector<std::string> fixed;        // "K = 64": what is not drawn
};

// A corner in binary logarithms of the two parameters.
using PlotCorner = std::array<double, 2>;

// The corners of the part of a region that the picture shows, 1 to 2^20 on both axes; none if it shows nothing of it.
std::vector<PlotCorner> visible_part(const RegionPicture& picture, const TileRegion& region);

// An SVG document: one area for each region, one colour for each cost.
std::string regions_svg(const RegionPicture& picture, const TileRegions& regions, const AccessNest& nest);

}  // namespace heliolite::cli
