// A mapping as something to look at, in text and as a picture: its loop nest, what each level keeps and how full it
// is, and what runs in parallel.
#include "cli/map/cost_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/model/keep.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kBar = 40;  // characters of a full level

// Outermost first, of the mapping's loops [first, last) of this kind.
std::vector<NestLoop> loops_of(const Mapping& mapping, const Workload& workload, int first, int last, LoopKind kind) {
  std::vector<NestLoop> loops;
  for (int k = last; k-- > first;) {
    const Loop& loop = mapping.loop[k];
    if (loop.kind == kind) loops.push_back({workload.dimensions[loop.dimension].name, loop.end, loop.residual});
  }
  return loops;
}

u64 iterations(const std::vector<NestLoop>& loops) {
  u64 product = 1;
  for (const NestLoop& loop : loops) product *= loop.end;
  return product;
}

std::string joined_loops(const std::vector<NestLoop>& loops) {
  return fmt::format("{}", fmt::join(mapped(loops, [&](const NestLoop& loop) { return loop.text(" "); }), ", "));
}

// A letter for each tensor: the first of its name that no other has, else a digit.
std::string letters_of(const Workload& workload) {
  std::string letters;
  for (const Tensor& tensor : workload.tensors) {
    std::string wanted;
    for (const char c : tensor.name)
      if (std::isalpha(static_cast<unsigned char>(c)) != 0)
        wanted += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const std::size_t free = (wanted + "0123456789").find_first_not_of(letters);
    letters += (wanted + "0123456789")[free];
  }
  return letters;
}

// "[IIIIWWOOOO++....]": a level's room, and whose words are in it; '+' are other layers'.
std::string bar_text(const NestLevel& level, const std::string& letters) {
  std::string bar;
  double words = 0;
  const auto add = [&](u64 more, char letter) {
    words += static_cast<double>(more);
    const auto end = static_cast<std::size_t>(std::lround(words / static_cast<double>(level.capacity_words) * kBar));
    // At least one, so that nothing is overlooked.
    bar.resize(std::clamp(end, std::min(bar.size() + 1, kBar), kBar), letter);
  };
  for (const NestPart& part : level.parts)
    for (const NestTensor& kept : part.kept) add(kept.words, letters[kept.tensor]);
  if (level.other_words > 0) add(level.other_words, '+');
  bar.resize(kBar, '.');
  return "[" + bar + "]";
}

// Lines with a column of level names before them.
class NestLines {
 public:
  explicit NestLines(std::size_t name_width) : width_(name_width) {}

  void add(const std::string& name, std::size_t depth, const std::string& words) {
    text_ += fmt::format("  {:<{}}  {}{}\n", name, width_, std::string(2 * depth, ' '), words);
  }
  const std::string& text() const { return text_; }

 private:
  std::size_t width_;
  std::string text_;
};

std::string room_text(const NestLevel& level, const std::string& letters) {
  if (level.capacity_words == 0) return fmt::format("no limit, {} words", grouped(level.used_words));
  return fmt::format("{}  {} of {} words, {}", bar_text(level, letters), grouped(level.used_words),
                     grouped(level.capacity_words),
                     percent(static_cast<double>(level.used_words) / static_cast<double>(level.capacity_words))) +
         (level.other_words == 0 ? "" : fmt::format(", {} of others (+)", grouped(level.other_words)));
}

std::string kept_text(const NestPart& part, const Workload& workload, const std::string& letters) {
  std::vector<std::string> kept;
  for (const NestTensor& t : part.kept)
    kept.push_back(fmt::format("{} {} {}", letters[t.tensor], workload.tensors[t.tensor].name, grouped(t.words)));
  return kept.empty() ? "keeps nothing" : fmt::format("keeps {}", fmt::join(kept, ", "));
}

}  // namespace

std::string NestLoop::text(const char* between) const {
  const std::string loop = fmt::format("{}{}{}", dimension, between, end);
  return residual == end ? loop : fmt::format("{} (last {})", loop, residual);
}

LoopNest loop_nest(const Mapping& mapping, const Breakdown& breakdown, const Workload& workload,
                   const Architecture& architecture) {
  LoopNest nest{{}, breakdown.compute.energy.picojoules(), breakdown.energy.picojoules()};
  for (int i = mapping.level_count - 1; i >= 0; --i) {
    const StorageLevel& machine = architecture.levels[i];
    const LevelBreakdown& costs = breakdown.level[i];
    const Energy energy = costs.energy();
    NestLevel level{machine.name,
                    {},
                    costs.used_words,
                    costs.capacity_words,
                    {},
                    {},
                    1,
                    1,
                    machine.fanout_x,
                    machine.fanout_y,
                    energy.picojoules()};
    for (const LevelPart& part : parts_of(mapping, i)) {
      NestPart& out = level.parts.emplace_back();
      for (const int v : bits(part.keep)) {
        const double words = costs.level_words(at(v), static_cast<double>(costs.tensor[v].tile_words));
        out.kept.push_back({v, static_cast<u64>(std::ceil(words))});
      }
      out.loops = loops_of(mapping, workload, part.first, part.last, LoopKind::Temporal);
    }
    const int first = first_loop(mapping, i), last = parts_of(mapping, i).back().last;
    level.across_x = loops_of(mapping, workload, first, last, LoopKind::SpatialX);
    level.across_y = loops_of(mapping, workload, first, last, LoopKind::SpatialY);
    level.used_x = iterations(level.across_x);
    level.used_y = iterations(level.across_y);
    nest.levels.push_back(std::move(level));
  }
  return nest;
}

std::string nest_drawing(const LoopNest& nest, const Workload& workload, const Architecture& architecture) {
  const std::string letters = letters_of(workload);
  std::size_t width = architecture.compute.name.size();
  for (const NestLevel& level : nest.levels) width = std::max(width, level.name.size());
  NestLines lines(width);
  std::size_t depth = 0;
  for (const NestLevel& level : nest.levels) {
    lines.add(level.name, 0, room_text(level, letters));
    for (const NestPart& part : level.parts) {
      const bool first = &part == &level.parts.front();
      lines.add("", first ? 0 : depth, kept_text(part, workload, letters));
      for (const NestLoop& loop : part.loops) lines.add("", depth++, "for " + loop.text(" in "));
    }
    if (!level.across_x.empty()) lines.add("", depth, "across X: " + joined_loops(level.across_x));
    if (!level.across_y.empty()) lines.add("", depth, "across Y: " + joined_loops(level.across_y));
    if (!level.across_x.empty() || !level.across_y.empty()) ++depth;
  }
  lines.add(architecture.compute.name, depth, "computes");
  return lines.text();
}

// A mapping as an SVG picture: its loop nest, level by level, with what each keeps.

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
    const std::vector<std::string> parts = mapped(loops, [&](const NestLoop& loop) { return loop.text(" "); });
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
