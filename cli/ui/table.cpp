#include "cli/ui/table.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kLeastText = 20;   // columns of the shortest lines that texts are broken into
constexpr std::size_t kLongNumber = 27;  // what is longer is a text, on whichever side it stands
constexpr std::size_t kLongText = 40;    // in tables that are split texts are broken down to this
constexpr std::size_t kMostKeyColumns = 2;

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    longest = std::max(longest, columns_of(std::string_view(text).substr(i, end - i)));
    i = end + 1;
  }
  return longest;
}

std::size_t total(const std::vector<ColumnSize>& columns, std::size_t ColumnSize::*part) {
  std::size_t sum = 0;
  for (const ColumnSize& column : columns) sum += column.*part + kColumnGap;
  return sum - std::min(sum, kColumnGap);
}

// Takes from the widest column as long as they are too wide and one is above its floor.
template <typename Floor>
void narrow(std::vector<ColumnSize>& columns, std::size_t width, Floor floor) {
  for (std::size_t all = total(columns, &ColumnSize::width); all > width; --all) {
    ColumnSize* widest = nullptr;
    for (ColumnSize& column : columns)
      if (column.width > floor(column) && (widest == nullptr || column.width > widest->width)) widest = &column;
    if (widest == nullptr) return;
    --widest->width;
  }
}

void fit(std::vector<ColumnSize>& columns, std::size_t width) {
  narrow(columns, width, [](const ColumnSize& c) { return std::max(c.cells, c.least); });
  narrow(columns, width, [](const ColumnSize& c) { return c.least; });
  narrow(columns, width, [](const ColumnSize&) { return std::size_t{1}; });
}

// Texts at the beginning name a row; where there are none, the first column does.
std::size_t key_columns(const std::vector<ColumnSize>& columns) {
  std::size_t count = 0;
  while (count < std::min(kMostKeyColumns, columns.size()) && columns[count].left) ++count;
  return std::max<std::size_t>(count, 1);
}

}  // namespace

ColumnSize measured(std::size_t column, bool left, const std::string& heading, const std::vector<std::string>& cells) {
  ColumnSize size{.column = column, .left = left};
  std::size_t word = 0;
  for (const std::string& cell : cells) {
    size.cells = std::max(size.cells, columns_of(cell));
    word = std::max(word, longest_word(cell));
  }
  const std::size_t number = size.cells <= kLongNumber ? size.cells : std::min(word, kLongNumber);
  size.least = std::max(left ? std::min(size.cells, kLeastText) : number, longest_word(heading));
  size.width = std::max(size.cells, columns_of(heading));
  return size;
}

std::vector<std::vector<ColumnSize>> layout(const std::vector<ColumnSize>& columns, std::size_t width) {
  std::vector<std::vector<ColumnSize>> tables{columns};
  if (columns.empty() || total(columns, &ColumnSize::least) <= width) {
    fit(tables.front(), width);
    return tables;
  }
  const auto comfortable = [](ColumnSize column) {
    column.least = std::max(column.least, std::min(column.cells, kLongText));
    return column;
  };
  std::vector<ColumnSize> keys, sizes;
  for (std::size_t i = 0; i < key_columns(columns); ++i) keys.push_back(comfortable(columns[i]));
  tables.assign(1, keys);
  for (std::size_t i = keys.size(); i < columns.size(); ++i) {
    std::size_t end = i + 1;  // of the group, if one begins here
    while (columns[i].group && end < columns.size() && !columns[end].group) ++end;
    std::vector<ColumnSize> whole = tables.back();
    for (std::size_t k = i; k < end; ++k) whole.push_back(comfortable(columns[k]));
    const bool fits = total(whole, &ColumnSize::least) <= width;
    if (!fits && tables.back().size() > keys.size()) tables.push_back(keys);
    tables.back().push_back(comfortable(columns[i]));
  }
  for (std::vector<ColumnSize>& table : tables) fit(table, width);
  return tables;
}

namespace {

constexpr std::size_t kContinued = 2;  // how much deeper the second line of a text begins

constexpr std::array<EnergyUnit, 5> kEnergyUnits{{{1, "pJ"}, {1e3, "nJ"}, {1e6, "uJ"}, {1e9, "mJ"}, {1e12, "J"}}};

}  // namespace

Table::Table(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (std::string& heading : headings_) {
    group_.push_back(heading.starts_with('|'));
    if (group_.back()) heading.erase(0, 1);
    left_.push_back(heading.starts_with('<'));
    if (left_.back()) heading.erase(0, 1);
  }
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(headings_.size());
  for (std::string& cell : cells) cell = without_controls(cell);
  rows_.push_back(std::move(cells));
}

void Table::rule() { rows_.emplace_back(); }

std::string Table::to_string(int indent, std::size_t width) const {
  std::vector<ColumnSize> sizes;
  for (std::size_t c = 0; c < headings_.size(); ++c) {
    std::vector<std::string> cells;
    for (const auto& row : rows_)
      if (!row.empty()) cells.push_back(row[c]);
    ColumnSize size = measured(c, left_[c], headings_[c], cells);
    size.group = group_[c];
    if (size.cells > 0) sizes.push_back(size);
  }
  const std::string margin(at(indent), ' ');
  std::string text;
  for (const std::vector<ColumnSize>& part : layout(sizes, width - std::min(width, margin.size())))
    text += (text.empty() ? "" : "\n") + part_text(part, margin);
  return text;
}

std::string Table::part_text(const std::vector<ColumnSize>& columns, const std::string& margin) const {
  std::size_t total = 0;
  for (const ColumnSize& column : columns) total += column.width + kColumnGap;
  const std::string rule_line = margin + std::string(total - std::min(total, kColumnGap), '-') + "\n";
  std::string text = row_text(headings_, columns, margin, true) + rule_line;
  for (const auto& cells : rows_) text += cells.empty() ? rule_line : row_text(cells, columns, margin, false);
  return text;
}

// A row has several lines if a cell has; headings stand at the bottom, cells at the top.
std::string Table::row_text(const std::vector<std::string>& cells, const std::vector<ColumnSize>& columns,
                            const std::string& margin, bool at_bottom) const {
  std::vector<std::vector<std::string>> lines;
  std::size_t height = 1;
  for (const ColumnSize& column : columns) {
    lines.push_back(broken(cells[column.column], column.width, column.left && !at_bottom ? kContinued : 0));
    height = std::max(height, lines.back().size());
  }
  std::string text;
  for (std::size_t y = 0; y < height; ++y) {
    std::string line = margin;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t above = at_bottom ? height - lines[i].size() : 0;
      const std::string cell = y < above || y - above >= lines[i].size() ? "" : lines[i][y - above];
      const std::string pad(columns[i].width - std::min(columns[i].width, columns_of(cell)), ' ');
      line += (columns[i].left ? cell + pad : pad + cell) + std::string(kColumnGap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string count(double n) {
  if (std::abs(n) >= 1e10) return scientific(n);
  return n == std::floor(n) && n >= 0 ? grouped(static_cast<u64>(n)) : fmt::format("{:.2f}", n);
}

std::string scientific(double x) { return fmt::format("{:.4g}", x); }

std::string energy(double picojoules) {
  const EnergyUnit unit = energy_unit(picojoules);
  return fmt::format("{:.4g} {}", picojoules / unit.picojoules, unit.name);
}

std::string seconds(double s) {
  if (s < 1e-3) return fmt::format("{:.0f} us", s * 1e6);
  if (s < 1) return fmt::format("{:.1f} ms", s * 1e3);
  if (s < 120) return fmt::format("{:.2f} s", s);
  return fmt::format("{:.1f} min", s / 60);
}

std::string EnergyUnit::operator()(double pj) const {
  const double value = pj / picojoules;
  return value == 0 ? "0" : fmt::format("{:.{}f}", value, value >= 1000 ? 1 : value >= 10 ? 2 : 4);
}

EnergyUnit energy_unit(double largest_pj) {
  EnergyUnit unit = kEnergyUnits[0];
  for (const EnergyUnit& u : kEnergyUnits)
    if (largest_pj >= u.picojoules) unit = u;
  return unit;
}

}  // namespace heliolite::cli
