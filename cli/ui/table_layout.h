#pragma once
// Decides which columns of a table stand side by side, and how wide they are.
#include <cstddef>
#include <string>
#include <vector>

namespace heliolite::cli {

inline constexpr std::size_t kColumnGap = 2;

// Widths in columns of the terminal.
struct ColumnSize {
  std::size_t column = 0;  // its index in the table
  bool left = false;       // text, which may be broken; else numbers, which are not
  bool group = false;      // begins columns that belong together
  std::size_t cells = 0;   // the widest cell
  std::size_t least = 0;   // in a narrower column words or numbers would be cut
  std::size_t width = 0;   // at first what cells and heading take on one line
};

// The sizes of a column.
ColumnSize measured(std::size_t column, bool left, const std::string& heading, const std::vector<std::string>& cells);

// The columns in tables of at most `width`, each with its width. If they do not fit side by side, first headings and
// then texts are broken; if that is not enough they become several tables that all begin with the columns which name a
// row. A group for which one table has room is not torn.
std::vector<std::vector<ColumnSize>> layout(const std::vector<ColumnSize>& columns, std::size_t width);

}  // namespace heliolite::cli
