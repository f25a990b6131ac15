// A mapping as an SVG picture: its loop nest, level by level, with what each keeps.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "cli/map/nest_picture.h"
#include "cli/ui/svg_canvas.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

constexpr double kNestPad = 10;
constexpr double kNestLine = 18, kIndent = 14, kMostIndent = 380;
constexpr double kRoomWidth = 260, kRoomHeight = 12;  // of a full level's bar
constexpr double kEnergyWidth = 120;                  // of "123.4 uJ, 56.7 %"
constexpr double kUnit = 7;                           // of a receiver in a fan-out
constexpr u64 kMostUnitsX = 32, kMostUnitsY = 32;     // of a fan-out that are drawn
constexpr const char *kNestInk = "#333", *kNestFaint = "#777";
constexpr const char* kOthersRoom = "#a9b2bd";  // taken by other layers
constexpr const char *kUsedUnit = "#3b6ea5", *kIdleUnit = "#d5dbe3";

constexpr std::array<const char*, 5> kOtherColours{"#8e44ad", "#2a8a9d", "#a83a5b", "#5d6d1f", "#555f6b"};

// The first tensor of a role has the role's colour; further ones have others.
std::vector<const char*> colours_of(const Workload& workload) {
  std::vector<const char*> colours;
  std::array<bool, 3> seen{};  // by role
  std::size_t others = 0;
  for (const Tensor& t : workload.tensors) {
    const bool again = std::exchange(seen[at(t.role)], true);
    colours.push_back(again ? kOtherColours[others++ % kOtherColours.size()] : role_colour(t.role));
  }
  return colours;
}

class NestPicture {
 public:
  NestPicture(const LoopNest& nest, const Workload& workload, const Architecture& architecture, SvgCanvas& canvas,
              double left, double top)
      : nest_(nest),
        workload_(workload),
        architecture_(architecture),
        colours_(colours_of(workload)),
        canvas_(canvas),
        left_(left),
        right_(left + kNestBoxes),
        y_(top) {}

  double run() {
    for (const NestLevel& level : nest_.levels) {
      head(level);
      for (const NestPart& part : level.parts) {
        if (&part != &level.parts.front()) {
          tags(part, left_ + kNestPad + indent());
          y_ += kNestLine + 2;
        }
        for (const NestLoop& loop : part.loops) line("for " + loop.text(" in "));
      }
      fan_out(level);
      y_ += 8;
    }
    return compute();
  }

 private:
  double indent() const { return std::min(kIndent * depth_, kMostIndent); }
  void head(const NestLevel& level);
  void room(const NestLevel& level, double right, double top);
  void tags(const NestPart& part, double x);
  void line(const std::string& words);
  void fan_out(const NestLevel& level);
  double compute();  // returns its lower end
  std::string energy_text(double picojoules) const;

  const LoopNest& nest_;
  const Workload& workload_;
  const Architecture& architecture_;
  std::vector<const char*> colours_;  // by tensor
  SvgCanvas& canvas_;
  double left_, right_;
  double y_;          // where the next thing begins
  double depth_ = 0;  // of the next loop
};

// A box with the level's name, what it keeps, and how full it is.
void NestPicture::head(const NestLevel& level) {
  const Box box{left_, y_, right_, y_ + 46};
  canvas_.box(box, {.fill = "#f4f6f9", .stroke = "#8b96a3", .rounded = 5});
  const double left = box.left + kNestPad, right = box.right - kNestPad;
  const double width = right - left - kRoomWidth - kNestPad;
  const std::string name = fitted(level.name, 14, width - kEnergyWidth);
  canvas_.text(left, y_ + 17, name, {.size = 14, .bold = true});
  canvas_.text(left + width, y_ + 17, energy_text(level.energy_pj), {.size = 12, .anchor = "end", .colour = kNestInk});
  room(level, right, y_ + 8);
  y_ += 23;
  tags(level.parts.front(), left);
  y_ = box.bottom + 4;
}

void NestPicture::room(const NestLevel& level, double right, double top) {
  const double left = right - kRoomWidth;
  std::string words = fmt::format("{} words, no limit", grouped(level.used_words));
  if (level.capacity_words > 0) {
    const auto capacity = static_cast<double>(level.capacity_words);
    canvas_.box({left, top, right, top + kRoomHeight}, {.fill = "white", .stroke = "#8b96a3"});
    double x = left;
    for (const NestPart& part : level.parts)
      for (const NestTensor& kept : part.kept) {
        const double next = std::min(right, x + kRoomWidth * static_cast<double>(kept.words) / capacity);
        canvas_.box({x, top, next, top + kRoomHeight}, {.fill = colours_[kept.tensor]});
        x = next;
      }
    if (level.other_words > 0)
      canvas_.box({x, top, std::min(right, x + kRoomWidth * static_cast<double>(level.other_words) / capacity),
                   top + kRoomHeight},
                  {.fill = kOthersRoom});
    words = fmt::format("{} of {} words, {}", grouped(level.used_words), grouped(level.capacity_words),
                        percent(static_cast<double>(level.used_words) / capacity));
  }
  canvas_.text(right, top + kRoomHeight + 14, words, {.size = 11, .anchor = "end", .colour = kNestInk});
}

// What a part keeps: coloured names with the words of their tiles.
void NestPicture::tags(const NestPart& part, double x) {
  const double most = right_ - 2 * kNestPad - kRoomWidth;
  for (const NestTensor& kept : part.kept) {
    const std::string words = fmt::format("{} {}", workload_.tensors[kept.tensor].name, grouped(kept.words));
    const double room = most - x - 10;
    if (room < 30) break;  // the bar and the other tables have it
    const std::string shown = fitted(words, 10, room);
    const double width = text_width(shown, 10) + 10;
    canvas_.box({x, y_, x + width, y_ + 17}, {.fill = colours_[kept.tensor], .rounded = 3});
    canvas_.text(x + 5, y_ + 12, shown, {.size = 10, .colour = "white"});
    x += width + 6;
  }
  if (part.kept.empty()) canvas_.text(x, y_ + 12, "keeps nothing", {.size = 10, .colour = kNestFaint});
}

void NestPicture::line(const std::string& words) {
  const double x = left_ + kNestPad + indent();
  canvas_.line(x - 5, y_ + 3, x - 5, y_ + kNestLine, {.stroke = "#c3cad3"});
  canvas_.text_within(x, y_ + 14, right_ - x, words, {.size = 12, .colour = kNestInk});
  y_ += kNestLine;
  ++depth_;
}

// The loops across a fan-out, beside it the receivers with those in use.
void NestPicture::fan_out(const NestLevel& level) {
  if (level.fanout_x * level.fanout_y == 1) return;
  const double x = left_ + kNestPad + indent(), top = y_ + 4;
  double base = top + 12;
  const double grid = right_ - kNestPad - kRoomWidth;
  const auto across = [&](const char* axis, const std::vector<NestLoop>& loops, u64 used, u64 all) {
    if (all == 1) return;
    std::vector<std::string> parts;
    for (const NestLoop& loop : loops) parts.push_back(loop.text(" "));
    const std::string what = parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
    canvas_.text_within(x, base, grid - x - kNestPad,
                        fmt::format("across {}: {} ({} of {})", axis, what, grouped(used), grouped(all)),
                        {.size = 12, .colour = kUsedUnit, .bold = true});
    base += kNestLine;
  };
  across("X", level.across_x, level.used_x, level.fanout_x);
  across("Y", level.across_y, level.used_y, level.fanout_y);
  const auto shown = [](u64 units, u64 most) { return static_cast<int>(std::min(units, most)); };
  const int columns = shown(level.fanout_x, kMostUnitsX), rows = shown(level.fanout_y, kMostUnitsY);
  canvas_.grid(grid, top, kUnit, columns, rows, kIdleUnit);
  canvas_.grid(grid, top, kUnit, shown(level.used_x, kMostUnitsX), shown(level.used_y, kMostUnitsY), kUsedUnit);
  double bottom = top + kUnit * rows;
  if (level.fanout_x > kMostUnitsX || level.fanout_y > kMostUnitsY) {
    canvas_.text(grid, bottom + 11,
                 fmt::format("{} x {} of {} x {} drawn", columns, rows, level.fanout_x, level.fanout_y),
                 {.size = 10, .colour = kNestFaint});
    bottom += 14;
  }
  y_ = std::max(base - 12, bottom) + 4;
  if (level.used_x * level.used_y > 1) ++depth_;
}

double NestPicture::compute() {
  canvas_.box({left_, y_, right_, y_ + 28}, {.fill = "#f4f6f9", .stroke = "#8b96a3", .rounded = 5});
  const double left = left_ + kNestPad, width = right_ - kNestPad - kRoomWidth - kNestPad - left;
  canvas_.text_within(left, y_ + 19, width - kEnergyWidth, architecture_.compute.name, {.size = 14, .bold = true});
  canvas_.text(left + width, y_ + 19, energy_text(nest_.compute_pj), {.size = 12, .anchor = "end", .colour = kNestInk});
  return y_ + 28;
}

// "12.3 uJ, 4.5 %"
std::string NestPicture::energy_text(double picojoules) const {
  const double share = nest_.energy_pj > 0 ? picojoules / nest_.energy_pj : 0;
  return fmt::format("{}, {}", energy(picojoules), percent(share));
}

}  // namespace

double draw_nest(SvgCanvas& canvas, double left, double top, const LoopNest& nest, const Workload& workload,
                 const Architecture& architecture) {
  return NestPicture(nest, workload, architecture, canvas, left, top).run();
}

std::string nest_svg(const LoopNest& nest, const Workload& workload, const Architecture& architecture) {
  constexpr double kSide = 24;
  SvgCanvas canvas;
  const std::string title = workload.name + " on " + architecture.name;
  canvas.text_within(kSide, 30, kNestBoxes, title, {.size = 17, .bold = true});
  draw_nest(canvas, kSide, 46, nest, workload, architecture);
  return canvas.document(kNestBoxes + 2 * kSide, title);
}

}  // namespace heliolite::cli
