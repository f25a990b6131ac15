#pragma once
// Helpers that the tables, CSV files and JSON of curves share.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/bound/curve_svg.h"
#include "cli/ui/json.h"
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

// Mappings of a machine drawn at random against the curve that no mapping can beat.

// What the mappings hold inside the outermost boundary and move across it.
struct MappingCloud {
  std::string level;                 // whose outer boundary it is
  u64 drawn = 0;                     // with those that do not fit
  std::vector<PicturePoint> points;  // one for each mapping
  std::vector<double> distances;     // ascending: words moved over the least of mappings that hold no more
};

// `mappings` legal ones. Errors: the machine has one level, or its constraints do not suit the workload.
Result<MappingCloud> mapping_cloud(const NestedCurve& curve, const Workload& workload, const Architecture& architecture,
                                   const WordUnit& unit, u64 mappings, u64 seed);

// As text for people, and docs/json.md: `sample`.
std::string cloud_text(const MappingCloud& cloud);
Json cloud_json(const MappingCloud& cloud);

}  // namespace heliolite::cli
