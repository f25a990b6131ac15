#pragma once
// The length of lines on stdout, and the breaking of longer ones.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heliolite::cli {

inline constexpr std::size_t kLineWidth = 120;  // columns, in files and pipes

// Columns of the terminal that stdout is ($COLUMNS, else its own answer), at least 40; kLineWidth if it is no terminal.
std::size_t line_width();
void set_unlimited_lines();  // --wide: everything on one line

// Columns a UTF-8 string takes on a terminal: code points, good enough for names; colours take none.
std::size_t columns_of(std::string_view text);

// The text as lines of at most `width` columns, at least one: broken at spaces, else behind punctuation, else where
// there is no more room. All but the first begin with `indent` spaces.
std::vector<std::string> broken(std::string_view text, std::size_t width, std::size_t indent = 0);

// The text with lines longer than `width` broken at spaces; the rest of a broken line is indented deeper than it. A
// word is never broken, so that a path or a command can be copied.
std::string fitted(std::string_view text, std::size_t width = line_width());

}  // namespace heliolite::cli
