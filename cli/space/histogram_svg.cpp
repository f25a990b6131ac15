#include "cli/space/histogram_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/ui/svg_text.h"
#include "engine/base/integers.h"

namespace heliolite::cli {
namespace {

constexpr double kHistogramPictureWidth = 760, kHistogramHeight = 420, kHistogramLeft = 70, kHistogramRight = 20,
                 kHistogramTop = 50, kHistogramBottom = 60;
constexpr double kLabelSize = 11;  // size of labels in the plot

}  // namespace

std::vector<HistogramBin> log_bins(const std::vector<double>& values, int per_decade) {
  if (values.empty()) return {};
  const auto bin = [&](double x) { return static_cast<int>(std::floor(std::log10(x) * per_decade)); };
  const auto [least, most] = std::ranges::minmax(values);
  const int first = bin(least);
  std::vector<HistogramBin> bins;
  for (int b = first; b <= bin(most); ++b)
    bins.push_back({std::pow(10, static_cast<double>(b) / per_decade), std::pow(10, (b + 1.0) / per_decade), 0});
  for (const double x : values) ++bins[at(bin(x) - first)].count;
  return bins;
}

std::string histogram_svg(const std::string& title, const std::string& axis, const std::vector<HistogramBin>& bins,
                          const std::vector<HistogramLine>& lines) {
  double low = bins.front().from, high = bins.back().to;
  u64 most = 1;
  for (const HistogramLine& line : lines) low = std::min(low, line.at);
  for (const HistogramBin& bin : bins) most = std::max(most, bin.count);
  const double first = std::floor(std::log10(low)), last = std::max(std::ceil(std::log10(high)), first + 1);
  const auto x = [&](double value) {
    return kHistogramLeft +
           (std::log10(value) - first) / (last - first) * (kHistogramPictureWidth - kHistogramLeft - kHistogramRight);
  };
  const auto y = [&](double count) {
    return kHistogramHeight - kHistogramBottom -
           count / static_cast<double>(most) * (kHistogramHeight - kHistogramTop - kHistogramBottom);
  };
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<title>{2}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{3:g}\" y=\"24\" font-size=\"15\">{2}</text>\n",
      kHistogramPictureWidth, kHistogramHeight, svg_escaped(title), kHistogramLeft);
  for (double decade = first; decade <= last; ++decade)
    text += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:g}\" x2=\"{0:.1f}\" y2=\"{2:g}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{3:g}\" text-anchor=\"middle\">1e{4:g}</text>\n",
        x(std::pow(10, decade)), kHistogramTop, kHistogramHeight - kHistogramBottom,
        kHistogramHeight - kHistogramBottom + 18, decade);
  for (const HistogramBin& bin : bins)
    if (bin.count > 0)
      text += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#1f5fa8\"><title>{} mappings from "
          "{:.4g} to {:.4g}</title></rect>\n",
          x(bin.from), y(static_cast<double>(bin.count)), x(bin.to) - x(bin.from) - 0.5,
          kHistogramHeight - kHistogramBottom - y(static_cast<double>(bin.count)), bin.count, bin.from, bin.to);
  text += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"end\">{}</text>\n", kHistogramLeft - 6,
                      kHistogramTop + 10, most);
  double base = kHistogramTop + kLabelSize;
  for (const HistogramLine& line : lines) {
    text += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:g}\" x2=\"{0:.1f}\" y2=\"{2:g}\" stroke=\"#c0392b\" stroke-dasharray=\"4 3\"/>\n"
        "<text x=\"{3:.1f}\" y=\"{4:g}\" font-size=\"{5:g}\" fill=\"#c0392b\">{6}</text>\n",
        x(line.at), kHistogramTop, kHistogramHeight - kHistogramBottom, x(line.at) + 4, base, kLabelSize,
        svg_escaped(line.name));
    base += kLabelSize + 3;
  }
  return text + fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n</svg>\n",
                            (kHistogramLeft + kHistogramPictureWidth - kHistogramRight) / 2, kHistogramHeight - 18,
                            svg_escaped(axis));
}

}  // namespace heliolite::cli
