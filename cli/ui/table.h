#pragma once
// Aligned text tables and numbers for people. Locale plays no part. Cells may have colours (lines.h).
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/ui/lines.h"

namespace heliolite::cli {

// Decides which columns of a table stand side by side, and how wide they are.

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

// A table that is built row by row.
class Table {
 public:
  // A heading that starts with '<' makes a left-aligned column (text); others are right-aligned (numbers). With '|'
  // before that it begins a group of columns that stay together when a table is too wide.
  explicit Table(std::vector<std::string> headings);

  void row(std::vector<std::string> cells);  // missing cells are empty
  void rule();                               // a line across

  // The table as lines of at most `width` columns: if it is wider, headings and texts are broken into lines, and if
  // that is not enough it becomes several tables (table.h). Columns that are empty in every row are left out.
  std::string to_string(int indent = 2, std::size_t width = line_width()) const;

 private:
  std::string part_text(const std::vector<ColumnSize>& columns, const std::string& margin) const;
  std::string row_text(const std::vector<std::string>& cells, const std::vector<ColumnSize>& columns,
                       const std::string& margin, bool at_bottom) const;

  std::vector<std::string> headings_;
  std::vector<bool> left_, group_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

std::string count(double n);            // "1,234,567" up to 10 digits, then "1.235e+12"
std::string scientific(double x);       // "1.337e+16"
std::string energy(double picojoules);  // "7.166 mJ"
std::string seconds(double s);          // "12.3 ms"

// Energies of one table share a unit, so that columns can be compared.
struct EnergyUnit {
  double picojoules = 1;
  std::string_view name = "pJ";
  std::string operator()(double pj) const;  // "7165.7"
};
// The unit in which the largest energy of a table is easy to read.
EnergyUnit energy_unit(double largest_pj);

}  // namespace heliolite::cli
