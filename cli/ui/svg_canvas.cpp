#include "cli/ui/svg_canvas.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace heliolite::cli {
namespace {

constexpr double kWidest = 0.64;  // of the average character in words, capitals included, by size
constexpr double kGap = 5;        // between a point and its label

constexpr double kCanvasMargin = 16;  // below the lowest thing drawn

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

Box box_of(const LabelPlace& place, double width, double size) {
  return {place.x, place.y - size, place.x + width, place.y + size / 4};
}

}  // namespace

double text_width(const std::string& text, double size) {
  return kWidest * size * static_cast<double>(std::ranges::count_if(text, starts_character));
}

std::string fitted(const std::string& text, double size, double width) {
  if (text_width(text, size) <= width) return text;
  std::string cut;
  for (const char c : text) {
    if (starts_character(c) && text_width(cut + "...", size) > width) break;
    cut += c;
  }
  return cut + "..";
}

bool Labels::free(const Box& box, bool of_lines) const {
  const auto meets = [&](const Box& other) { return box.meets(other); };
  return box.within(frame_) && std::ranges::none_of(taken_, meets) && !(of_lines && std::ranges::any_of(lines_, meets));
}

LabelPlace Labels::beside(double x, double y, const std::string& text, double size) {
  const double width = text_width(text, size), line = std::ceil(1.3 * size);
  const int lines = static_cast<int>((frame_.bottom - frame_.top) / line);
  std::vector<LabelPlace> places;
  for (int k = 0; k <= 2 * lines; ++k)
    for (const double left : {x + kGap, x - kGap - width})
      places.push_back({left, y + line * (k <= lines ? k : lines - k)});
  LabelPlace best{std::clamp(x + kGap, frame_.left, std::max(frame_.left, frame_.right - width)), y};
  for (const bool of_lines : {true, false}) {
    const auto at = std::ranges::find_if(
        places, [&](const LabelPlace& place) { return free(box_of(place, width, size), of_lines); });
    if (at == places.end()) continue;
    best = *at;
    break;
  }
  taken_.push_back(box_of(best, width, size));
  return best;
}

std::string svg_head(double width, double height, const std::string& title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<title>{2}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height, svg_escaped(title));
}

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
