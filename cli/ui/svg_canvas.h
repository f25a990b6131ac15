#pragma once
// Boxes, lines and texts of an SVG document that is as high as what was drawn.
#include <string>

#include "cli/ui/svg_labels.h"
#include "workloads/workload.h"

namespace heliolite::cli {

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
