#pragma once
// A curve of accesses by buffer size as an SVG picture, both axes logarithmic.
#include <string>
#include <vector>

#include "engine/base/types.h"

namespace heliolite::cli {

struct PicturePoint {
  u64 buffer = 0;
  u64 accesses = 0;
};

// A falling staircase.
struct PictureCurve {
  std::string name;
  std::vector<PicturePoint> steps;
};

// A mapping's pair.
struct PictureMark {
  std::string name;
  PicturePoint at;
};

// A line across at a capacity.
struct PictureWall {
  std::string name;
  u64 buffer = 0;
};

struct CurvePicture {
  std::string title;
  std::vector<PictureCurve> curves;
  std::vector<PictureMark> marks;
  std::vector<PictureWall> walls;
  u64 minimum = 0;  // accesses: a line along it
};

// Buffers of 0 stand at the left edge.
std::string curve_svg(const CurvePicture& picture);

}  // namespace heliolite::cli
