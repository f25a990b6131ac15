#pragma once
// Helpers that the tables, CSV files and JSON of curves share.
#include <string>
#include <vector>

#include "cli/bound/curve_svg.h"
#include "cli/ui/json.h"
#include "engine/base/result.h"
#include "engine/bounds/curve/orojenesis.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// Indices of at most `most` of the points, first and last included, spread evenly.
std::vector<std::size_t> thinned(std::size_t points, std::size_t most);

template <class How>
std::vector<PicturePoint> picture_points(const Staircase<How>& curve) {
  std::vector<PicturePoint> points;
  for (const auto& p : curve.points()) points.push_back({p.buffer, p.accesses});
  return points;
}

// The points as [{"buffer_words", "accesses"}, ..].
Json curve_json(const std::vector<PicturePoint>& points);

// "MACs/word", "MACs/byte" or "MACs/bit".
std::string macs_per(const std::string& unit);

// A tile as text, its extents above 1: "M32 N64"; "-" if there are none. `names`: of the dimensions.
std::string tile_text(const Extents& tile, const std::vector<std::string>& names);
std::string tile_text(const Extents& tile, const Workload& workload);

}  // namespace heliolite::cli
