#include "cli/bound/regions_svg.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/ui/svg_text.h"

namespace heliolite::cli {
namespace {

constexpr double kRegionWidth = 960, kPlotSide = 480, kPlotX = 70, kPlotY = 60, kRegionHeight = 600;
constexpr double kLegendX = kPlotX + kPlotSide + 20;
constexpr int kMostPlotLog = 20, kPlotTick = 4;
// Smaller ones are lines or points.
constexpr double kLeastArea = 1e-9;
constexpr std::array<const char*, 12> kCostColours{"#1f5fa8", "#c0392b", "#2e8b57", "#e0a030", "#7d5ba6", "#999999",
                                                   "#4bb3c3", "#d4739b", "#8a6d3b", "#a3c644", "#3d3d7a", "#e07a5f"};

double area_of(const std::vector<PlotCorner>& corners) {
  double twice = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const PlotCorner &a = corners[i], &b = corners[(i + 1) % corners.size()];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return std::abs(twice) / 2;
}

// The part where a[0] x + a[1] y + constant >= 0.
std::vector<PlotCorner> clipped(const std::vector<PlotCorner>& corners, const PlotCorner& a, double constant) {
  std::vector<PlotCorner> kept;
  const auto height = [&](const PlotCorner& c) { return a[0] * c[0] + a[1] * c[1] + constant; };
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const PlotCorner &from = corners[i], &to = corners[(i + 1) % corners.size()];
    const double here = height(from), there = height(to);
    if (here >= 0) kept.push_back(from);
    if ((here < 0) == (there < 0)) continue;
    const double share = here / (here - there);
    kept.push_back({from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])});
  }
  return kept;
}

double plot_x(double log) { return kPlotX + log / kMostPlotLog * kPlotSide; }
double plot_y(double log) { return kPlotY + kPlotSide - log / kMostPlotLog * kPlotSide; }

// The middle of a polygon.
PlotCorner centroid(const std::vector<PlotCorner>& corners) {
  double twice = 0, x = 0, y = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const PlotCorner &a = corners[i], &b = corners[(i + 1) % corners.size()];
    const double cross = a[0] * b[1] - a[1] * b[0];
    twice += cross;
    x += (a[0] + b[0]) * cross;
    y += (a[1] + b[1]) * cross;
  }
  return {x / (3 * twice), y / (3 * twice)};
}

std::string axes_svg(const RegionPicture& picture) {
  std::string text;
  for (int log = 0; log <= kMostPlotLog; log += kPlotTick) {
    text += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">2^{}</text>\n"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">2^{}</text>\n",
        plot_x(log), kPlotY + kPlotSide + 18, log, kPlotX - 8, plot_y(log) + 4, log);
  }
  return text + fmt::format(
                    "<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\" font-size=\"13\">{}</text>\n"
                    "<text transform=\"translate(18 {:g}) rotate(-90)\" text-anchor=\"middle\" font-size=\"13\">{}"
                    "</text>\n",
                    kPlotX + kPlotSide / 2, kPlotY + kPlotSide + 40, svg_escaped(picture.axes[0]),
                    kPlotY + kPlotSide / 2, svg_escaped(picture.axes[1]));
}

}  // namespace

std::vector<PlotCorner> visible_part(const RegionPicture& picture, const TileRegion& region) {
  std::vector<PlotCorner> corners{{0, 0}, {kMostPlotLog, 0}, {kMostPlotLog, kMostPlotLog}, {0, kMostPlotLog}};
  for (const LogPoint& facet : region.facets) {
    double constant = 0;
    for (std::size_t i = 0; i < facet.size(); ++i)
      if (i != picture.parameter[0] && i != picture.parameter[1])
        constant += static_cast<double>(facet[i]) * picture.point[i];
    corners = clipped(
        corners, {static_cast<double>(facet[picture.parameter[0]]), static_cast<double>(facet[picture.parameter[1]])},
        constant);
  }
  if (area_of(corners) < kLeastArea) corners.clear();
  return corners;
}

std::string regions_svg(const RegionPicture& picture, const TileRegions& regions, const AccessNest& nest) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<title>{2}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{3:g}\" y=\"24\" font-size=\"15\">{2}: "
      "regions of the largest tile</text>\n<text x=\"{3:g}\" y=\"44\">{4}</text>\n",
      kRegionWidth, kRegionHeight, svg_escaped(picture.title), kPlotX,
      svg_escaped(fmt::format("{}", fmt::join(picture.fixed, ", "))));
  double line = kPlotY + 12;
  std::string numbers;  // over all regions
  for (std::size_t c = 0; c < regions.costs.size(); ++c) {
    const char* colour = kCostColours[c % kCostColours.size()];
    std::vector<std::string> shown;
    for (std::size_t r = 0; r < regions.regions.size(); ++r) {
      if (regions.regions[r].cost != c) continue;
      std::string points;
      const std::vector<PlotCorner> corners = visible_part(picture, regions.regions[r]);
      for (const PlotCorner& corner : corners)
        points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", plot_x(corner[0]), plot_y(corner[1]));
      if (points.empty()) continue;
      shown.push_back(fmt::format("{}", r + 1));
      const PlotCorner middle = centroid(corners);
      numbers += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-weight=\"bold\" fill=\"white\" stroke=\"#222\" "
          "stroke-width=\"2.5\" paint-order=\"stroke\">{}</text>\n",
          plot_x(middle[0]), plot_y(middle[1]) + 4, r + 1);
      text += fmt::format(
          "<polygon points=\"{}\" fill=\"{}\" stroke=\"white\" stroke-width=\"1.5\"><title>region {}</title>"
          "</polygon>\n",
          points, colour, r + 1);
    }
    if (shown.empty()) continue;
    text += fmt::format(
        "<rect x=\"{0:g}\" y=\"{1:g}\" width=\"12\" height=\"12\" fill=\"{2}\"/>\n"
        "<text x=\"{3:g}\" y=\"{4:g}\">{5}</text>\n",
        kLegendX, line - 10, colour, kLegendX + 18, line,
        svg_escaped(fmt::format("{}: {}", fmt::join(shown, ", "), form_text(regions.costs[c], nest))));
    line += 20;
  }
  return text + numbers + axes_svg(picture) + "</svg>\n";
}

}  // namespace heliolite::cli
