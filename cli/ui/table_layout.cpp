#include "cli/ui/table_layout.h"

#include <algorithm>

#include "cli/ui/lines.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kLeastText = 20;   // texts are broken down to lines of so many columns
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

}  // namespace heliolite::cli
