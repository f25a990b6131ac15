#include "engine/base/text.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstddef>

#include "engine/base/integers.h"

namespace heliolite {

namespace {

constexpr std::size_t kLongestWord = 64;  // nothing we name is longer; bounds the work on garbage

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

// A slip in a short word changes few letters; one letter says nothing about another.
std::size_t likely_slips(std::size_t length) { return length <= 2 ? 0 : length <= 4 ? 1 : length <= 8 ? 2 : 3; }

// Whether two names are equal but for what their digits are: LPDDR6 and LPDDR5.
bool differ_in_digits(std::string_view a, std::string_view b) {
  const auto alike = [](char x, char y) { return x == y || (is_digit(x) && is_digit(y)); };
  return std::ranges::equal(a, b, alike);
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  const std::string wanted = lower(word);
  const std::size_t limit = likely_slips(wanted.size());
  std::optional<std::string> best;
  std::size_t best_distance = limit + 2;  // limit + 1: no slip, but the beginning of a name
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongestWord) continue;
    const std::string text = lower(candidate);
    std::size_t distance = edit_distance(wanted, text);
    if (distance > limit) distance = wanted.size() >= 3 && text.starts_with(wanted) ? limit + 1 : limit + 2;
    // Equally near names: the one with other digits is meant, LPDDR6 is rather LPDDR5 than LPDDR.
    const bool fits = best && distance == best_distance && distance <= limit &&
                      !differ_in_digits(lower(*best), wanted) && differ_in_digits(text, wanted);
    if (distance < best_distance || fits) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::optional<std::string> candidate = nearest(word, candidates);
  return candidate ? ", did you mean '" + *candidate + "'?" : "";
}

std::string join(std::span<const std::string> words, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && i + 1 < words.size()) out += ", ";
    if (i > 0 && i + 1 == words.size()) out.append(" ").append(last).append(" ");
    out += words[i];
  }
  return out;
}

namespace {

// Spreadsheets compute cells that begin so, unless they are numbers.
bool is_formula(std::string_view text) {
  return text.size() > 1 && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos &&
         !parse_number<double>(text.starts_with('+') ? text.substr(1) : text);
}

}  // namespace

std::string csv_cell(std::string_view text) {
  const std::string cell = (is_formula(text) ? "'" : "") + visible(text, "\n\r\t");
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string yaml_scalar(std::string_view text) {
  const auto in_word = [](char c) { return is_letter(c) || is_digit(c) || c == '.'; };
  // Words that readers of YAML take for something else than a text.
  static constexpr std::string_view kTaken[] = {"true", "false", "yes", "no", "on", "off", "null"};
  const bool word = !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, in_word);
  if (word && std::ranges::find(kTaken, lower(text)) == std::end(kTaken)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte >= 0x20 && byte != 0x7f) out += c;
    else out += fmt::format("\\x{:02x}", byte);
  }
  return out + '"';
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return lower(c); });
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

namespace {

constexpr std::size_t kLongestCharacter = 4;  // bytes of UTF-8
constexpr std::size_t kCutTo = 160;           // leaves room for the length

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Controls, marks of direction and what XML knows no character for.
bool is_hidden(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || (c & 0xfffe) == 0xfffe;
}

// At most `most` bytes, not ending inside a character.
std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && most - end < kLongestCharacter && continues(text[end])) --end;
  return text.substr(0, end);
}

// The length of the text in quotes that a message begins with, up to a quote that no letter follows; 0 if there is
// none.
std::size_t quoted_length(std::string_view message) {
  for (std::size_t end = message.find('\'', 1); end != std::string_view::npos; end = message.find('\'', end + 1))
    if (end + 1 == message.size() || !(is_letter(message[end + 1]) || is_digit(message[end + 1]))) return end - 1;
  return 0;
}

}  // namespace

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

CodePoint code_point(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  char32_t value = first & (0xffu >> (bytes + 1));
  for (std::size_t k = 1; k < bytes; ++k) {
    if (!continues(text[k])) return {};
    value = value << 6 | (byte(k) & 0x3fu);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[bytes] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return {};
  return {value, bytes};
}

std::string visible(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const CodePoint c = code_point(text);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    if (c.bytes == 0) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else if (!is_hidden(c.value) || (c.bytes == 1 && kept.find(text.front()) != std::string_view::npos))
      out += text.substr(0, bytes);
    else if (c.value == '\n') out += "\\n";
    else if (c.value == '\t') out += "\\t";
    else if (c.value == '\r') out += "\\r";
    else if (c.value < 0x80) out += fmt::format("\\x{:02x}", static_cast<u32>(c.value));
    else out += fmt::format("\\u{:04x}", static_cast<u32>(c.value));
    text.remove_prefix(bytes);
  }
  return out;
}

std::string shortened(std::string_view text) {
  std::string out(beginning(text, text.size() > kLongestShown ? kCutTo : kLongestShown));
  const bool whole = out.size() == text.size();
  std::ranges::replace_if(
      out, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  out = visible(out);
  if (whole) return out;
  const auto characters = std::ranges::count_if(text, [](char c) { return !continues(c); });
  return fmt::format("{}.. ({} characters)", out, characters);
}

std::string readable(std::string_view message) {
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    const std::string_view rest = message.substr(at);
    const std::size_t quoted = rest.starts_with('\'') ? quoted_length(rest) : 0;
    const std::size_t word = std::min(rest.find_first_of(" \n"), rest.size());
    if (quoted > 0) {
      const std::string_view inside = rest.substr(1, quoted);
      out += "'" + (quoted > kLongestShown ? shortened(inside) : visible(inside)) + "'";
      at += quoted + 2;
    } else {
      out += word > kLongestShown ? shortened(rest.substr(0, word)) : visible(rest.substr(0, word));
      at += word;
    }
    // What separates it from the next word.
    for (; at < message.size() && (message[at] == ' ' || message[at] == '\n'); ++at) out += message[at];
  }
  return out;
}

namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr double kKilo = 1024;
constexpr std::array kUnits{Unit{"B", 1},
                            Unit{"KB", kKilo},
                            Unit{"KiB", kKilo},
                            Unit{"MB", kKilo* kKilo},
                            Unit{"MiB", kKilo* kKilo},
                            Unit{"GB", kKilo* kKilo* kKilo},
                            Unit{"GiB", kKilo* kKilo* kKilo}};

}  // namespace

std::optional<double> parse_bytes(std::string_view text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || !(number > 0) || !std::isfinite(number)) return std::nullopt;
  const std::string_view unit = trim(text.substr(at(end - text.data())));
  for (const Unit& known : kUnits)
    if (lower(unit) == lower(known.name)) return number * known.bytes;
  return std::nullopt;
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 4> kShownUnits{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; bytes >= kKilo && unit + 1 < kShownUnits.size(); ++unit) bytes /= kKilo;
  return fmt::format("{:.4g} {}", bytes, kShownUnits[unit]);
}

namespace {

struct Prefix {
  double factor = 1;
  std::string_view letter;
};
constexpr std::array<Prefix, 11> kPrefixes{{{1e15, "P"},
                                            {1e12, "T"},
                                            {1e9, "G"},
                                            {1e6, "M"},
                                            {1e3, "k"},
                                            {1, ""},
                                            {1e-3, "m"},
                                            {1e-6, "u"},
                                            {1e-9, "n"},
                                            {1e-12, "p"},
                                            {1e-15, "f"}}};

}  // namespace

std::string grouped(u64 n) {
  std::string digits = fmt::format("{}", n);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

std::string with_prefix(double value, std::string_view unit) {
  if (value == 0) return fmt::format("0 {}", unit);
  const auto fits = [&](const Prefix& prefix) { return std::abs(value) >= prefix.factor; };
  const auto found = std::ranges::find_if(kPrefixes, fits);
  const Prefix prefix = found == kPrefixes.end() ? kPrefixes.back() : *found;
  const double shown = value / prefix.factor;
  // Four digits, and none of them behind an exponent.
  return shown >= 1000 ? fmt::format("{:.0f} {}{}", shown, prefix.letter, unit)
                       : fmt::format("{:.4g} {}{}", shown, prefix.letter, unit);
}

}  // namespace heliolite
