#pragma once
// Boxes, lines and texts of an SVG document that is as high as what was drawn.
#include <string>

#include "cli/ui/svg_labels.h"

namespace heliolite::cli {

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
  // The same, cut to `width` pixels.
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
