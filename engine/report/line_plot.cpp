#include "engine/report/line_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/report/html.h"

namespace heliolite {
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
