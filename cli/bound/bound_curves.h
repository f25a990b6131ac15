#pragma once
// Curves of accesses by buffer size as tables, CSV files, JSON and SVG pictures.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "engine/base/types.h"
#include "engine/bounds/curve/orojenesis_nested.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// A point of a curve, in the unit of its picture.
struct PicturePoint {
  u64 buffer = 0;
  u64 accesses = 0;
};

// A curve, drawn as a falling staircase.
struct PictureCurve {
  std::string name;
  std::vector<PicturePoint> steps;
};

// A mapping: the buffer that it needs and its accesses.
struct PictureMark {
  std::string name;
  PicturePoint at;
};

// A capacity of the machine, drawn as a vertical line.
struct PictureWall {
  std::string name;
  u64 buffer = 0;
};

// All that a picture shows.
struct CurvePicture {
  std::string title;
  std::string unit = "words";  // of both axes
  std::vector<PictureCurve> curves;
  std::vector<PictureMark> marks;
  std::vector<PicturePoint> cloud;  // many points without names
  std::vector<PictureWall> walls;
  u64 minimum = 0;  // accesses that every execution needs, drawn as a horizontal line
};

// The picture as an SVG document. Buffers of 0 stand at the left edge.
std::string curve_svg(const CurvePicture& picture);

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
