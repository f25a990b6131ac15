#include "engine/report/html.h"

#include <algorithm>
#include <span>

#include "engine/base/embedded.h"

namespace heliolite {

std::span<const EmbeddedFile> embedded_report_page();  // generated from engine/report/page

namespace {

std::string_view style() {
  const std::span<const EmbeddedFile> files = embedded_report_page();
  const auto found = std::ranges::find(files, "style.css", &EmbeddedFile::name);
  return found == files.end() ? std::string_view() : std::string_view(found->text);
}

std::string cell(std::string_view tag, bool is_text, std::string_view content) {
  return fmt::format("<{}{}>{}</{}>", tag, is_text ? " class=\"text\"" : "", content, tag);
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else if (c == '\'') out += "&#39;";
    else if (code < 0x20 && c != '\n' && c != '\t') out += "\xEF\xBF\xBD";
    else out += c;
  }
  return out;
}

std::string html_link(std::string_view target, std::string_view text) {
  return fmt::format("<a href=\"{}\">{}</a>", html_text(target), html_text(text));
}

HtmlTable::HtmlTable(const std::vector<std::string>& headings) {
  for (const std::string& heading : headings) {
    text_.push_back(heading.starts_with('<'));
    head_ += cell("th", text_.back(), html_text(std::string_view(heading).substr(text_.back() ? 1 : 0)));
  }
}

void HtmlTable::row(const std::vector<std::string>& cells) {
  body_ += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) body_ += cell("td", i < text_.size() && text_[i], cells[i]);
  body_ += "</tr>\n";
}

std::string HtmlTable::to_string() const {
  return fmt::format("<div class=\"wide\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
                     head_, body_);
}

std::string html_fact(std::string_view what, std::string_view value, std::string_view more) {
  if (value.empty()) return "";
  return fmt::format("<div><dt>{}</dt><dd>{}<span class=\"more\">{}</span></dd></div>", html_text(what),
                     html_text(value), html_text(more));
}

std::string html_section(std::string_view title, std::string_view note, std::string_view body) {
  const std::string said = note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", html_text(note));
  return fmt::format("<section><h2>{}</h2>\n{}{}</section>\n", html_text(title), said, body);
}

std::string html_page(std::string_view title, std::string_view body, std::string_view program) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\"><meta name=\"viewport\" "
      "content=\"width=device-width, "
      "initial-scale=1\"><meta name=\"color-scheme\" content=\"light "
      "dark\"><title>{}</title>\n<style>{}</style></head>\n"
      "<body>\n{}<footer class=\"note\">{}</footer>\n</body></html>\n",
      html_text(title), style(), body, html_text(program));
}

namespace {

// In the picture's units.
constexpr double kWidth = 760, kLeft = 52, kRight = 12, kTop = 12, kHeight = 320, kBelow = 44, kLegendRow = 20;
constexpr std::size_t kColours = 7, kLegendColumns = 3;
constexpr double kMostDecades = 12;

// Decades of the axis: from the one below the smallest x to the one above the largest.
struct Axis {
  double low = 0, high = 1;

  explicit Axis(const LinePlot& plot) {
    double least = 0, most = 0;
    bool any = false;
    for (const PlotLine& line : plot.lines)
      for (const PlotLine::Point& p : line.points) {
        const double x = std::log10(p.x);
        least = any ? std::min(least, x) : x;
        most = any ? std::max(most, x) : x;
        any = true;
      }
    low = std::floor(least);
    high = std::max(low + 1, std::ceil(most));
    low = std::max(low, high - kMostDecades);
  }
  double at(double x) const {
    const double share = std::clamp((std::log10(x) - low) / (high - low), 0.0, 1.0);
    return kLeft + share * (kWidth - kLeft - kRight);
  }
};

double height_of(double share) { return kTop + (1 - share) * kHeight; }

std::string stroke(std::size_t line) {
  // More lines than colours: the next seven are dashed.
  const char* dash = line / kColours % 2 == 1 ? " stroke-dasharray=\"6 4\"" : "";
  return fmt::format("stroke=\"var(--c{})\" stroke-width=\"2\"{}", line % kColours, dash);
}

std::string grid(const LinePlot& plot, const Axis& axis) {
  std::string out;
  for (int tenth = 0; tenth <= 10; tenth += 2) {
    const double y = height_of(tenth / 10.0);
    out += fmt::format(
        "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"var(--line)\"/>"
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{} %</text>\n",
        kLeft, kWidth - kRight, y, y, kLeft - 6, y + 4, tenth * 10);
  }
  const int step = axis.high - axis.low > 8 ? 2 : 1;
  for (int decade = static_cast<int>(axis.low); decade <= static_cast<int>(axis.high); decade += step) {
    const double x = axis.at(std::pow(10.0, decade));
    const bool plain = decade >= -3 && decade <= 4;
    const std::string label = plain ? fmt::format("{:g}", std::pow(10.0, decade)) : fmt::format("1e{}", decade);
    out += fmt::format(
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\" stroke=\"var(--line)\"/>"
        "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
        x, x, kTop, kTop + kHeight, x, kTop + kHeight + 16, label);
  }
  return out + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (kLeft + kWidth - kRight) / 2,
                           kTop + kHeight + 36, html_text(plot.x_title));
}

std::string path(const PlotLine& line, std::size_t number, const Axis& axis) {
  if (line.points.empty()) return "";
  std::string d;
  for (const PlotLine::Point& p : line.points)
    d += d.empty() ? fmt::format("M{:.1f} {:.1f}", axis.at(p.x), height_of(p.share))
                   : fmt::format("H{:.1f}V{:.1f}", axis.at(p.x), height_of(p.share));
  return fmt::format("<path fill=\"none\" {} d=\"{}H{}\"><title>{}</title></path>\n", stroke(number), d,
                     kWidth - kRight, html_text(line.name));
}

std::string legend(const PlotLine& line, std::size_t number) {
  const double x = kLeft + static_cast<double>(number % kLegendColumns) * (kWidth - kLeft) / kLegendColumns;
  const std::size_t row = number / kLegendColumns;
  const double y = kTop + kHeight + kBelow + kLegendRow * (static_cast<double>(row) + 0.5);
  return fmt::format(
      "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" {}/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
      x, x + 22, y, y, stroke(number), x + 28, y + 4, html_text(line.name));
}

}  // namespace

std::string line_plot_svg(const LinePlot& plot) {
  const Axis axis(plot);
  const std::size_t rows = (plot.lines.size() + kLegendColumns - 1) / kLegendColumns;
  std::string out =
      fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" font-size=\"12\" fill=\"var(--ink)\">\n",
                  kWidth, kTop + kHeight + kBelow + kLegendRow * static_cast<double>(rows), html_text(plot.title));
  out += grid(plot, axis);
  for (std::size_t k = 0; k < plot.lines.size(); ++k) out += path(plot.lines[k], k, axis);
  for (std::size_t k = 0; k < plot.lines.size(); ++k) out += legend(plot.lines[k], k);
  return out + "</svg>\n";
}

}  // namespace heliolite
