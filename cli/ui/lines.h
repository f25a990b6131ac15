#pragma once
// How long the lines on stdout may be, and how longer ones are broken.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heliolite::cli {

inline constexpr std::size_t kLineWidth = 120;  // where no terminal says otherwise: files and pipes get the same lines

// Columns of the terminal that stdout is ($COLUMNS, else what it says itself), kLineWidth if it is none; at least 40.
std::size_t line_width();
void set_unlimited_lines();  // --wide: everything on one line

// Columns a UTF-8 string takes on a terminal: code points, good enough for names.
std::size_t columns_of(std::string_view text);

// Lines of at most `width` columns: broken at spaces, else behind punctuation, else where there is no more room. All
// but the first begin with `indent` spaces. At least one line.
std::vector<std::string> broken(std::string_view text, std::size_t width, std::size_t indent = 0);

// Text whose longer lines are broken at spaces; what follows is indented deeper than the line. A word is never broken:
// a path or a command can be copied.
std::string fitted(std::string_view text, std::size_t width = line_width());

}  // namespace heliolite::cli
