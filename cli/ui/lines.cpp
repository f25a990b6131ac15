#include "cli/ui/lines.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdlib>

#include "engine/base/named.h"
#include "engine/base/text.h"

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

// The parameter of "select graphic rendition" (ECMA-48) for a tone.
int rendition(Tone tone) { return tone == Tone::Good ? 32 : tone == Tone::Doubt ? 33 : 31; }

std::string in_colour(std::string_view text, Tone tone, int stream) {
  if (text.empty() || !has_colours(stream)) return std::string(text);
  return fmt::format("{}{}m{}{}0m", kEscape, rendition(tone), visible(text), kEscape);
}

// Bytes of the colour sequence that begins here; 0 if none does. It takes no columns.
std::size_t colour_sequence(std::string_view text) {
  if (!text.starts_with(kEscape)) return 0;
  const std::string_view rest = text.substr(kEscape.size());
  if (rest.starts_with("0m")) return kEscape.size() + 2;
  for (const Tone tone : {Tone::Good, Tone::Doubt, Tone::Bad})
    if (const std::string code = fmt::format("{}m", rendition(tone)); rest.starts_with(code))
      return kEscape.size() + code.size();
  return 0;
}

}  // namespace

std::vector<std::string> colours_names() { return names_of(kNames); }

std::optional<Colours> find_colours(std::string_view name) { return find_named<Colours>(kNames, name); }

void set_colours(Colours when) { colours = when; }

std::string painted(std::string_view text, Tone tone) { return in_colour(text, tone, STDOUT_FILENO); }
std::string painted_complaint(std::string_view text, Tone tone) { return in_colour(text, tone, STDERR_FILENO); }

std::string without_controls(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t sequence = colour_sequence(text.substr(i)); sequence > 0) {
      out += text.substr(i, sequence);
      i += sequence;
      continue;
    }
    const std::size_t end = std::min(text.find('\x1b', i + 1), text.size());
    out += visible(text.substr(i, end - i));
    i = end;
  }
  return out;
}

std::string for_stdout(const std::string& text) {
  const bool coloured = painted("x", Tone::Good) != "x";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find('\n', i), text.size());
    const std::string line = text.substr(i, end - i);
    out += (coloured ? without_controls(line) : visible(line)) + (end < text.size() ? "\n" : "");
    i = end + 1;
  }
  return out;
}

namespace {

constexpr std::size_t kLeastWidth = 40;
constexpr std::size_t kUnlimitedLines = std::string::npos / 2;  // room for sums
constexpr std::string_view kPunctuation = ",;:/_.-*+=)";
constexpr std::size_t kDeeper = 2;  // indentation of what follows a broken line

bool unlimited = false;

bool begins_letter(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// 0 where nothing is known.
std::size_t columns_of_stdout() {
  const char* stated = std::getenv("COLUMNS");
  const std::string_view text = stated == nullptr ? "" : stated;
  if (const auto columns = parse_number<std::size_t>(text).value_or(0); columns > 0) return columns;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// Bytes of the first `columns` code points, with the colours around them.
std::size_t bytes_of(std::string_view text, std::size_t columns) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (const std::size_t sequence = colour_sequence(text.substr(i)); sequence > 0) {
      i += sequence;
      continue;
    }
    if (columns == 0 && begins_letter(text[i])) break;
    columns -= begins_letter(text[i++]) ? 1 : 0;
  }
  return i;
}

// Where the first line ends: [bytes of it, bytes up to the next one].
std::pair<std::size_t, std::size_t> first_line(std::string_view text, std::size_t width) {
  const std::size_t room = bytes_of(text, std::max<std::size_t>(width, 1));
  if (room == text.size()) return {room, room};
  const std::size_t space = text.rfind(' ', room);  // also the one behind a full line
  if (space != std::string_view::npos && text.find_first_not_of(' ') < space)
    return {text.find_last_not_of(' ', space) + 1, space + 1};
  const std::size_t sign = text.substr(0, room).find_last_of(kPunctuation);
  const std::size_t end = sign != std::string_view::npos && sign + 1 > room / 3 ? sign + 1 : room;
  return {end, end};
}

void append_fitted(std::string& out, std::string_view line, std::size_t width) {
  if (columns_of(line) <= width) {
    out += line;
    return;
  }
  const std::size_t margin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t indent = margin + kDeeper < width ? margin + kDeeper : 0;
  std::size_t column = margin;
  out.append(margin, ' ');
  bool first = true;
  for (std::size_t i = margin; i < line.size();) {
    const std::size_t end = std::min(line.find(' ', i), line.size());
    const std::size_t next = std::min(line.find_first_not_of(' ', end), line.size());
    const std::string_view word = line.substr(i, end - i);
    const std::size_t gap = first ? 0 : i - line.find_last_not_of(' ', i - 1) - 1;
    if (!first && column + gap + columns_of(word) > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else {
      out.append(gap, ' ');
      column += gap;
    }
    out += word;
    column += columns_of(word);
    first = false;
    i = next;
  }
}

}  // namespace

std::size_t line_width() {
  static const std::size_t terminal = isatty(STDOUT_FILENO) != 0 ? columns_of_stdout() : 0;
  if (unlimited) return kUnlimitedLines;
  return terminal == 0 ? kLineWidth : std::max(terminal, kLeastWidth);
}

void set_unlimited_lines() { unlimited = true; }

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t sequence = colour_sequence(text.substr(i));
    columns += sequence == 0 && begins_letter(text[i]) ? 1 : 0;
    i += std::max<std::size_t>(sequence, 1);
  }
  return columns;
}

std::vector<std::string> broken(std::string_view text, std::size_t width, std::size_t indent) {
  std::vector<std::string> lines;
  do {
    const std::size_t before = lines.empty() || indent >= width ? 0 : indent;
    const auto [end, next] = first_line(text, width - before);
    lines.push_back(std::string(before, ' ').append(text.substr(0, end)));
    text.remove_prefix(next);
  } while (!text.empty());
  return lines;
}

std::string fitted(std::string_view text, std::size_t width) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    append_fitted(out, text.substr(0, end), width);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace heliolite::cli
