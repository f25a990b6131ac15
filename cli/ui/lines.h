#pragma once
// The length of lines on stdout, and the breaking of longer ones.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heliolite::cli {

// Colours: on a terminal, for verdicts and complaints. What goes into a file or a pipe has none.

enum class Tone {
  Good,   // green
  Doubt,  // yellow
  Bad,    // red
};

// When there are colours (--color): on terminals but for TERM=dumb and where NO_COLOR is set (https://no-color.org);
// in any case; never.
enum class Colours { Auto, Always, Never };
std::vector<std::string> colours_names();  // "auto", "always", "never"
std::optional<Colours> find_colours(std::string_view name);
void set_colours(Colours when);

// The text in the colour of its tone, where standard output (or standard error) has colours; else as it is. The text
// should be one word: lines are broken at spaces.
std::string painted(std::string_view text, Tone tone);
std::string painted_complaint(std::string_view text, Tone tone);

// What may go to a terminal: colours of our own, and nothing else that it obeys. Names come from files of others.

// A line made visible (engine/base/text.h) but for colours of painted().
std::string without_controls(std::string_view text);

// The lines of a text so, as they may go to standard output: where that has no colours nothing is left of what looks
// like them.
std::string for_stdout(const std::string& text);

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
