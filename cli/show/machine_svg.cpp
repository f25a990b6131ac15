// A machine as a picture: its levels from the outermost down, and the fan-outs between them.
#include "cli/show/show_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cli/ui/svg_canvas.h"
#include "cli/ui/table.h"
#include "cli/ui/units.h"
#include "engine/base/text.h"
#include "engine/model/keep.h"

namespace heliolite::cli {
namespace {

using Look = SvgCanvas::Look;
using Font = SvgCanvas::Font;

constexpr double kMachineWidth = 760, kSide = 24, kBetween = 14;  // of the page, its margin, between buffers
constexpr double kPad = 10, kTextLine = 15, kTagHeight = 17;      // in a level
constexpr double kStep = 9, kArrow = 18;                          // of a unit in a fan-out; between levels
constexpr u64 kMostColumns = 32, kMostRows = 32;                  // of a fan-out that are drawn
constexpr const char *kInk = "#555", *kFaint = "#777";

// A role of tensors, and how it is called here.
struct RoleLook {
  Role role;
  const char* name;
};
constexpr std::array<RoleLook, 3> kRoleLooks{
    {{Role::Input, "inputs"}, {Role::Weight, "weights"}, {Role::Output, "outputs"}}};

// Levels whose buffers stand side by side, left to right as in the file: all but the last have no loops and no fan-out.
std::vector<std::vector<int>> rows_of(const Architecture& a) {
  std::vector<std::vector<int>> rows;
  bool open = false;
  for (int i = static_cast<int>(a.levels.size()) - 1; i >= 0; --i) {
    const StorageLevel& level = a.levels[i];
    if (!open) rows.emplace_back();
    rows.back().push_back(i);
    open = is_outer_part(level) && i > 0;
  }
  return rows;
}

std::string size_text(const StorageLevel& level) {
  if (!level.entries) return fmt::format("words of {} bits, no limit", level.word_bits);
  return fmt::format("{} {} of {} bits, {}", grouped(*level.entries), *level.entries == 1 ? "word" : "words",
                     level.word_bits, bytes_text(*level.entries, static_cast<double>(level.word_bits) / 8));
}

std::string energies_text(const StorageLevel& level) {
  const AccessEnergy& e = level.energy;
  const std::string block = level.block_words > 1 ? fmt::format(", {} words", level.block_words) : "";
  if (e.read_pj == e.fill_pj && e.read_pj == e.update_pj) return fmt::format("{:.4g} pJ an access{}", e.read_pj, block);
  return fmt::format("read {:.4g}, write {:.4g} pJ{}", e.read_pj, std::max(e.fill_pj, e.update_pj), block);
}

// "read 8, write 8 words/cycle", and the same in GB/s if the length of a cycle is known; "" if nothing is limited.
std::vector<std::string> rates(const StorageLevel& level, const Architecture& a) {
  std::vector<std::string> words, bytes;
  const auto part = [&](const char* what, const std::optional<double>& rate) {
    if (!rate) return;
    words.push_back(fmt::format("{} {:.4g}", what, *rate));
    if (a.cycle_ns) bytes.push_back(fmt::format("{} {}", what, bandwidth_text(*rate, level, a)));
  };
  part("read", level.bandwidth.read);
  part("write", level.bandwidth.write);
  part("both", level.bandwidth.shared);
  std::vector<std::string> lines;
  if (!words.empty()) lines.push_back(fmt::format("{} words/cycle", fmt::join(words, ", ")));
  if (!bytes.empty()) lines.push_back(fmt::format("{}", fmt::join(bytes, ", ")));
  return lines;
}

std::vector<std::string> lines_about(const StorageLevel& level, const Architecture& a) {
  if (holds_nothing(level) && !level.is_interconnect) return {"holds nothing"};
  std::vector<std::string> lines{
      level.is_interconnect ? fmt::format("interconnect, words of {} bits", level.word_bits) : size_text(level),
      energies_text(level)};
  for (std::string& line : rates(level, a)) lines.push_back(std::move(line));
  return lines;
}

class MachinePicture {
 public:
  explicit MachinePicture(const Architecture& a) : a_(a) {
    for (const RoleLook& look : kRoleLooks) roles_.tensors.push_back({look.name, {}, look.role, {}});
  }

  std::string run() {
    canvas_.text_within(kSide, 30, kMachineWidth - 2 * kSide, a_.name, {.size = 17, .bold = true});
    canvas_.text_within(kSide, 48, kMachineWidth - 2 * kSide, a_.description, {.size = 11, .colour = kFaint});
    y_ = 62;
    for (const std::vector<int>& row : rows_of(a_)) {
      levels(row);
      fan_out(a_.levels[row.back()]);
    }
    compute();
    legend();
    return canvas_.document(kMachineWidth, a_.name);
  }

 private:
  void levels(const std::vector<int>& row);
  void level(const Box& box, int i);
  double tag(double x, double y, const std::string& words, const char* colour, bool open);
  void fan_out(const StorageLevel& level);
  void compute();
  void legend();
  void stack(const Box& box, u64 instances);

  const Architecture& a_;
  Workload roles_;  // a tensor of each role, to ask the keep rules about
  SvgCanvas canvas_;
  double y_ = 0;  // where the next thing begins
};

// A box, with others behind it if there are several.
void MachinePicture::stack(const Box& box, u64 instances) {
  for (const double back : {6.0, 3.0})
    if (instances > 1)
      canvas_.box({box.left + back, box.top + back, box.right + back, box.bottom + back},
                  {.fill = "#eef1f5", .stroke = "#9aa5b1", .rounded = 5});
  canvas_.box(box, {.fill = "#f8fafc", .stroke = "#5b6673", .rounded = 5});
}

void MachinePicture::levels(const std::vector<int>& row) {
  const double room = kMachineWidth - 2 * kSide - kBetween * static_cast<double>(row.size() - 1);
  const double width = room / static_cast<double>(row.size());
  std::size_t lines = 0;
  for (const int i : row) lines = std::max(lines, lines_about(a_.levels[i], a_).size());
  const double height = 2 * kPad + kTextLine * static_cast<double>(1 + lines) + kTagHeight + 4;
  for (std::size_t k = 0; k < row.size(); ++k) {
    const double left = kSide + static_cast<double>(k) * (width + kBetween);
    level({left, y_, left + width, y_ + height}, row[k]);
  }
  y_ += height;
}

void MachinePicture::level(const Box& box, int i) {
  const StorageLevel& here = a_.levels[i];
  stack(box, here.instances);
  const double left = box.left + kPad, width = box.right - box.left - 2 * kPad;
  double base = box.top + kPad + 11;
  const std::string number = here.instances > 1 ? fmt::format("{} of them", grouped(here.instances)) : "";
  const double used = number.empty() ? 0 : text_width(number, 11) + kPad;
  canvas_.text_within(left, base, width - used, here.name, {.size = 14, .bold = true});
  canvas_.text(box.right - kPad, base, number, {.size = 11, .anchor = "end", .colour = kInk});
  for (const std::string& words : lines_about(here, a_))
    canvas_.text_within(left, base += kTextLine, width, words, {.size = 11, .colour = kInk});
  double x = left;
  const double top = box.bottom - kPad - kTagHeight;
  const bool outermost = i + 1 == static_cast<int>(a_.levels.size());
  for (int v = 0; v < static_cast<int>(kRoleLooks.size()); ++v) {
    const KeepChoice choice = outermost ? KeepChoice::Keep : keep_choice(here.keep, roles_, v);
    if (choice == KeepChoice::Bypass) continue;
    x += tag(x, top, kRoleLooks[v].name, role_colour(kRoleLooks[v].role), choice == KeepChoice::Open);
  }
}

// Returns the room it takes.
double MachinePicture::tag(double x, double y, const std::string& words, const char* colour, bool open) {
  const double width = text_width(words, 10) + 10;
  canvas_.box({x, y, x + width, y + kTagHeight},
              {.fill = open ? "white" : colour, .stroke = colour, .dashes = open ? "3 2" : "none", .rounded = 3});
  canvas_.text(x + width / 2, y + 12, words, {.size = 10, .anchor = "middle", .colour = open ? colour : "white"});
  return width + 6;
}

// An arrow down, and the units of the fan-out if it has several.
void MachinePicture::fan_out(const StorageLevel& level) {
  const double middle = kMachineWidth / 2, top = y_ + (level.instances > 1 ? 6 : 0);
  const Look ink{.stroke = kInk};
  const u64 units = level.fanout();
  y_ = top + kArrow;
  canvas_.line(middle, top, middle, y_ - 2, ink);
  if (units > 1) {
    const int columns = static_cast<int>(std::min(level.fanout_x, kMostColumns));
    const int rows = static_cast<int>(std::min(level.fanout_y, kMostRows));
    const double left = middle - kStep * columns / 2, right = left + kStep * columns;
    canvas_.grid(left, y_, kStep, columns, rows, "#8895a7");
    const std::string mesh = fmt::format("fan-out {} x {} = {}", level.fanout_x, level.fanout_y, grouped(units));
    canvas_.text(right + 14, y_ + 10, mesh, {.size = 12, .bold = true});
    if (static_cast<u64>(columns) * static_cast<u64>(rows) < units)
      canvas_.text(right + 14, y_ + 24, fmt::format("{} x {} are drawn", columns, rows),
                   {.size = 10, .colour = kFaint});
    canvas_.text(left - 10, y_ + 10, "X across, Y down", {.size = 10, .anchor = "end", .colour = kFaint});
    y_ += std::max(kStep * rows, 28.0);
    canvas_.line(middle, y_, middle, y_ + kArrow - 4, ink);
    y_ += kArrow - 2;
  }
  canvas_.line(middle - 4, y_ - 8, middle, y_ - 2, ink);
  canvas_.line(middle + 4, y_ - 8, middle, y_ - 2, ink);
}

void MachinePicture::compute() {
  const Compute& c = a_.compute;
  const Box box{kSide, y_, kMachineWidth - kSide, y_ + 2 * kPad + 26};
  stack(box, c.instances);
  const double width = box.right - box.left - 2 * kPad;
  canvas_.text_within(box.left + kPad, y_ + kPad + 11, width,
                      fmt::format("{} {} {}", grouped(c.instances), c.name, c.instances == 1 ? "unit" : "units"),
                      {.size = 14, .bold = true});
  canvas_.text_within(box.left + kPad, y_ + kPad + 26, width,
                      fmt::format("{} bits, {:.4g} pJ an operation", c.word_bits, c.op_pj),
                      {.size = 11, .colour = kInk});
  y_ = box.bottom + 6;
}

void MachinePicture::legend() {
  double x = kSide;
  x += tag(x, y_ + 12, "kept", kInk, false);
  x += tag(x, y_ + 12, "open", kInk, true);
  canvas_.text(x, y_ + 24, "open: kept or passed by, as the mapper decides; the others pass by",
               {.size = 10, .colour = kFaint});
}

}  // namespace

std::string machine_svg(const Architecture& architecture) { return MachinePicture(architecture).run(); }

}  // namespace heliolite::cli
