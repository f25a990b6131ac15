#include "cli/ui/colour.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "engine/base/shortened.h"

namespace heliolite::cli {
namespace {

constexpr std::string_view kEscape = "\x1b[";
constexpr std::array<std::string_view, 3> kNames{"auto", "always", "never"};  // [Colours]

Colours colours = Colours::Auto;

bool has_colours(int stream) {
  if (colours != Colours::Auto) return colours == Colours::Always;
  const char *refused = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !dumb && (refused == nullptr || *refused == 0) && isatty(stream) == 1;
}

// Of ECMA-48: select graphic rendition.
int rendition(Tone tone) { return tone == Tone::Good ? 32 : tone == Tone::Doubt ? 33 : 31; }

std::string in_colour(std::string_view text, Tone tone, int stream) {
  if (text.empty() || !has_colours(stream)) return std::string(text);
  return fmt::format("{}{}m{}{}0m", kEscape, rendition(tone), visible(text), kEscape);
}

}  // namespace

std::vector<std::string> colours_names() { return {kNames.begin(), kNames.end()}; }

std::optional<Colours> find_colours(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Colours>(found - kNames.begin());
}

void set_colours(Colours when) { colours = when; }

std::string painted(std::string_view text, Tone tone) { return in_colour(text, tone, STDOUT_FILENO); }
std::string painted_complaint(std::string_view text, Tone tone) { return in_colour(text, tone, STDERR_FILENO); }

std::size_t colour_sequence(std::string_view text) {
  if (!text.starts_with(kEscape)) return 0;
  const std::string_view rest = text.substr(kEscape.size());
  if (rest.starts_with("0m")) return kEscape.size() + 2;
  for (const Tone tone : {Tone::Good, Tone::Doubt, Tone::Bad})
    if (const std::string code = fmt::format("{}m", rendition(tone)); rest.starts_with(code))
      return kEscape.size() + code.size();
  return 0;
}

}  // namespace heliolite::cli
