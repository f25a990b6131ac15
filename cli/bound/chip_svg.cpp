#include "cli/bound/chip_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/ui/svg_text.h"

namespace heliolite::cli {
namespace {

constexpr double kPictureWidth = 760, kPictureHeight = 440, kPlotLeft = 80, kPlotRight = 20, kPlotBottom = 60;
constexpr double kFirstLegend = 44, kLegendStep = 16;
constexpr std::array<const char*, 3> kLineColours{"#1f5fa8", "#c0392b", "#2e8b57"};

// The round number above: 1, 2 or 5 times a power of ten.
double round_above(double x) {
  const double decade = std::pow(10, std::floor(std::log10(x)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (x <= factor * decade) return factor * decade;
  return 10 * decade;
}

}  // namespace

std::string chip_svg(const ChipPicture& picture) {
  double most = 0;
  for (const ChipPictureCurve& curve : picture.curves) most = std::max(most, curve.best.macs_per_second);
  const double top_value = round_above(std::max(most, 1.0));
  const double top = kFirstLegend + kLegendStep * static_cast<double>(picture.curves.size());
  const auto x = [&](double share) { return kPlotLeft + share * (kPictureWidth - kPlotLeft - kPlotRight); };
  const auto y = [&](double rate) {
    return kPictureHeight - kPlotBottom - rate / top_value * (kPictureHeight - top - kPlotBottom);
  };
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<title>{2}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{3:g}\" y=\"24\" font-size=\"15\">{2}</text>\n",
      kPictureWidth, kPictureHeight, svg_escaped(picture.title), kPlotLeft);
  for (int i = 0; i <= 5; ++i) {
    const double part = i / 5.0;
    text += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4:g} %</text>\n"
        "<line x1=\"{5:g}\" y1=\"{6:.1f}\" x2=\"{7:g}\" y2=\"{6:.1f}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{8:g}\" y=\"{9:.1f}\" text-anchor=\"end\">{10:g}</text>\n",
        x(part), top, kPictureHeight - kPlotBottom, kPictureHeight - kPlotBottom + 18, part * 100, kPlotLeft,
        y(part * top_value), kPictureWidth - kPlotRight, kPlotLeft - 8, y(part * top_value) + 4, part * top_value);
  }
  for (std::size_t c = 0; c < picture.curves.size(); ++c) {
    const ChipPictureCurve& curve = picture.curves[c];
    const char* colour = kLineColours[c % kLineColours.size()];
    std::string points;
    for (const ProvisionPoint& p : curve.line)
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x(p.share), y(p.macs_per_second));
    const double base = kFirstLegend + kLegendStep * static_cast<double>(c);
    text += fmt::format(
        "<polyline points=\"{0}\" fill=\"none\" stroke=\"{1}\" stroke-width=\"2\"/>\n"
        "<circle cx=\"{2:.1f}\" cy=\"{3:.1f}\" r=\"4\" fill=\"none\" stroke=\"{1}\"/>\n"
        "<rect x=\"{4:g}\" y=\"{5:g}\" width=\"18\" height=\"3\" fill=\"{1}\"/>\n"
        "<text x=\"{6:g}\" y=\"{7:g}\">{8}: best at {9:.1f} % of the area, {10:.4g} MACs/s</text>\n",
        points, colour, x(curve.best.share), y(curve.best.macs_per_second), kPlotLeft, base - 5, kPlotLeft + 24, base,
        svg_escaped(curve.name), curve.best.share * 100, curve.best.macs_per_second);
  }
  return text +
         fmt::format(
             "<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\" font-size=\"13\">buffer [share of the area]</text>\n"
             "<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\" font-size=\"13\">"
             "MACs a second</text>\n</svg>\n",
             (kPlotLeft + kPictureWidth - kPlotRight) / 2, kPictureHeight - 18,
             (top + kPictureHeight - kPlotBottom) / 2);
}

}  // namespace heliolite::cli
