#pragma once
// Colours: on a terminal, for verdicts and complaints. What goes into a file or a pipe has none.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heliolite::cli {

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

// Bytes of the colour sequence that begins here; 0 if none does. It takes no columns.
std::size_t colour_sequence(std::string_view text);

}  // namespace heliolite::cli
