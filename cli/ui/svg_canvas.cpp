#include "cli/ui/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/ui/svg_text.h"

namespace heliolite::cli {
namespace {

constexpr double kCanvasMargin = 16;  // below the lowest thing drawn

}  // namespace

void SvgCanvas::box(const Box& at, const Look& look) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:g}\" fill=\"{}\" stroke=\"{}\" "
      "stroke-dasharray=\"{}\"/>\n",
      at.left, at.top, at.right - at.left, at.bottom - at.top, look.rounded, look.fill, look.stroke, look.dashes);
  bottom_ = std::max(bottom_, at.bottom);
}

void SvgCanvas::line(double x1, double y1, double x2, double y2, const Look& look) {
  body_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-dasharray=\"{}\"/>\n", x1, y1,
      x2, y2, look.stroke, look.dashes);
  bottom_ = std::max({bottom_, y1, y2});
}

void SvgCanvas::text(double x, double y, const std::string& words, const Font& font) {
  if (words.empty()) return;
  body_ += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" text-anchor=\"{}\" fill=\"{}\" "
      "font-weight=\"{}\">{}</text>\n",
      x, y, font.size, font.anchor, font.colour, font.bold ? "bold" : "normal", svg_escaped(words));
  bottom_ = std::max(bottom_, y + font.size / 4);
}

void SvgCanvas::text_within(double x, double y, double width, const std::string& words, const Font& font) {
  text(x, y, fitted(words, font.size, width), font);
}

void SvgCanvas::grid(double x, double y, double step, int columns, int rows, const char* fill) {
  std::string path;
  const double side = step * 0.8;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      path += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", x + step * column, y + step * row, side, side, side);
  body_ += fmt::format("<path d=\"{}\" fill=\"{}\"/>\n", path, fill);
  bottom_ = std::max(bottom_, y + step * rows);
}

std::string SvgCanvas::document(double width, const std::string& title) const {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
             "font-family=\"sans-serif\">\n<title>{2}</title>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
             width, bottom_ + kCanvasMargin, svg_escaped(title)) +
         body_ + "</svg>\n";
}

}  // namespace heliolite::cli
