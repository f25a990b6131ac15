#pragma once
// Pages without scripts: texts and tables of HTML, the file around them, and what they show of an answer of --json.
#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite {

// The colours of tensors by role, equal on every page and darker in pictures (docs/report.md).
inline constexpr const char *kInputColour = "var(--c0)", *kWeightColour = "var(--c2)", *kOutputColour = "var(--c1)";

// Text that may stand in HTML, also in quotes. Control characters, which no browser shows, become U+FFFD.
std::string html_text(std::string_view text);

// A link with `text` as it is.
std::string html_link(std::string_view target, std::string_view text);

// A table whose cells are HTML already.
class HtmlTable {
 public:
  // A heading, plain text, that begins with '<' makes a column of texts; others are of numbers.
  explicit HtmlTable(const std::vector<std::string>& headings);

  void row(const std::vector<std::string>& cells);

  std::string to_string() const;

 private:
  std::vector<bool> text_;
  std::string head_, body_;
};

// What a page says at its top, in a list of such: nothing without a value. All are text; `more` stands smaller behind
// it.
std::string html_fact(std::string_view what, std::string_view value, std::string_view more = "");

// `title` and `note` are text, the body HTML.
std::string html_section(std::string_view title, std::string_view note, std::string_view body);

// The whole file; asks the network for nothing. `program`, a text, stands at its end.
std::string html_page(std::string_view title, std::string_view body, std::string_view program);

// Rising staircases over a logarithmic axis as a picture for a page: shares of something, 0 to 100 %.

// From each point on the line is at its share, until the next one; before the first it is not drawn.
struct PlotLine {
  struct Point {
    double x = 1, share = 0;  // x above 0, ascending
  };
  std::string name;
  std::vector<Point> points;
};

struct LinePlot {
  std::string title;    // for those who cannot see it
  std::string x_title;  // below the axis
  std::vector<PlotLine> lines;
};

// An <svg> element in the colours of page/style.css, with a legend. Lines without points stand in the legend only.
std::string line_plot_svg(const LinePlot& plot);

}  // namespace heliolite

// Reading an answer of --json for a page, which may be any JSON at all.

namespace heliolite::answer_json {

using Json = nlohmann::ordered_json;

// A number or a text that an answer does not have is absent on the page, whatever stands in its place.

inline const Json& part(const Json& of, const char* key) {
  static const Json none;
  const auto found = of.is_object() ? of.find(key) : of.end();
  return found == of.end() ? none : *found;
}

inline std::optional<double> number(const Json& of, const char* key) {
  const Json& value = part(of, key);
  return value.is_number() ? std::optional<double>(value.get<double>()) : std::nullopt;
}

inline double number_or_0(const Json& of, const char* key) { return number(of, key).value_or(0); }

inline std::string text(const Json& of, const char* key) {
  const Json& value = part(of, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

// Numbers as cells.

inline std::string whole(std::optional<double> n) {
  if (!n) return "";
  return *n >= 0 && *n < kExactInDoubles ? grouped(static_cast<u64>(std::llround(*n))) : fmt::format("{:.4g}", *n);
}

inline std::string energy(std::optional<double> pj) { return pj ? with_prefix(*pj * 1e-12, "J") : ""; }
inline std::string share(std::optional<double> of_one) { return of_one ? percent(*of_one) : ""; }
inline std::string digits(std::optional<double> n) { return n ? fmt::format("{:.4g}", *n) : ""; }

}  // namespace heliolite::answer_json
