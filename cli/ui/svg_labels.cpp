#include "cli/ui/svg_labels.h"

#include <algorithm>
#include <cmath>

namespace heliolite::cli {
namespace {

constexpr double kWidest = 0.64;  // of the average character in words, capitals included, by size
constexpr double kGap = 5;        // between a point and its label

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

}  // namespace heliolite::cli
