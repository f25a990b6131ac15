#pragma once
// Places the labels of a picture so that they neither collide nor leave it.
#include <string>
#include <vector>

namespace heliolite::cli {

// A rectangle in pixels; y grows downwards.
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
  bool within(const Box& other) const {
    return left >= other.left && right <= other.right && top >= other.top && bottom <= other.bottom;
  }
};

// The left end of a label's base line.
struct LabelPlace {
  double x = 0, y = 0;
};

// An upper bound of the width in pixels of a text in common sans-serif fonts of this size. Counts code points.
double text_width(const std::string& text, double size);

// The text if it fits `width` pixels, else as much of it as fits with "..".
std::string fitted(const std::string& text, double size, double width);

// The labels of one picture, and what they must not cover.
class Labels {
 public:
  // Labels stay within `frame`.
  explicit Labels(Box frame) : frame_(frame) {}

  void block(const Box& box) { taken_.push_back(box); }  // no label may cover it
  void avoid(const Box& box) { lines_.push_back(box); }  // no label covers it while there is room elsewhere

  // A place beside the point (x, y): to its right, else to its left, at its height or the next free one below, then
  // above. Beside the point at any cost when the frame is full.
  LabelPlace beside(double x, double y, const std::string& text, double size);

 private:
  bool free(const Box& box, bool of_lines) const;

  Box frame_;
  std::vector<Box> taken_, lines_;
};

}  // namespace heliolite::cli
