#pragma once
// Boxes, lines and texts of an SVG document that is as high as what was drawn.
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// Text inside SVG documents.

// Made visible, and with the characters that XML reserves replaced.
inline std::string svg_escaped(const std::string& text) {
  std::string out;
  for (const char c : visible(text)) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else out += c;
  }
  return out;
}

// The beginning of a document on white, whose texts are of size 12 unless they say another.
std::string svg_head(double width, double height, const std::string& title);

// Places the labels of a picture so that they neither collide nor leave it.

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

// Tensors of a role have one colour in all pictures; white text can stand on it.
constexpr const char* role_colour(Role role) {
  return role == Role::Input ? "#1f5fa8" : role == Role::Weight ? "#2e7d4f" : "#b0690b";
}

class SvgCanvas {
 public:
  struct Look {
    const char* fill = "none";
    const char* stroke = "none";
    const char* dashes = "none";
    double rounded = 0;  // radius of a box's corners
  };
  struct Font {
    double size = 12;
    const char* anchor = "start";
    const char* colour = "#222";
    bool bold = false;
  };

  void box(const Box& at, const Look& look);
  void line(double x1, double y1, double x2, double y2, const Look& look);
  // (x, y): where the base line begins, or for other anchors has its middle or end.
  void text(double x, double y, const std::string& words, const Font& font);
  // Writes words, cut to `width` pixels.
  void text_within(double x, double y, double width, const std::string& words, const Font& font);
  // Columns and rows of small squares, `step` pixels apart, with their upper left corner at (x, y).
  void grid(double x, double y, double step, int columns, int rows, const char* fill);

  // What was drawn, `width` pixels wide, on white.
  std::string document(double width, const std::string& title) const;
  double bottom() const { return bottom_; }

 private:
  std::string body_;
  double bottom_ = 0;
};

}  // namespace heliolite::cli
