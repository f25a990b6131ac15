#include "cli/ui/lines.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "cli/ui/colour.h"
#include "engine/base/integers.h"
#include "engine/base/parse_number.h"

namespace heliolite::cli {
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
  if (space != std::string_view::npos && text.find_first_not_of(' ') < space) {
    return {text.find_last_not_of(' ', space) + 1, space + 1};
  }
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
