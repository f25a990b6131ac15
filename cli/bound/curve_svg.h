#pragma once
// A curve of accesses by buffer size as an SVG picture, both axes logarithmic.
#include <string>
#include <vector>

#include "engine/base/types.h"

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

}  // namespace heliolite::cli
