// `map --roofline`: roofs of levels and dots of layers, as a table, as SVG and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "arch/architecture_spec.h"
#include "cli/map/map_answer.h"
#include "cli/ui/svg_canvas.h"
#include "cli/ui/table.h"
#include "engine/base/text.h"
#include "engine/model/roofline.h"

namespace heliolite::cli {
namespace {

std::optional<Roofline> roofline_of(const MapAnswer& answer, std::size_t layer) {
  if (!answer.breakdowns[layer]) return std::nullopt;
  return roofline(answer.chain(layer), *answer.breakdowns[layer]);
}

// MACs that any mapping makes of a byte of the outermost level at most: the mapping's own, times the words that it
// moves there over the least that any moves.
std::optional<double> most_macs_of_byte(const MapAnswer& answer, std::size_t layer, const Roofline& r) {
  const Distances& distances = answer.distances[layer];
  const std::optional<double> own = r.levels.empty() ? std::nullopt : r.intensity(r.levels.front());
  if (!distances || distances->empty() || !own) return std::nullopt;
  return *own * distances->back().ratio();
}

std::string number_or_blank(const std::optional<double>& x) { return x ? fmt::format("{:.4g}", *x) : ""; }

// Shades of purple, the outermost level darkest, as levels have on the pages of sweeps.
std::string level_colour(std::size_t i, std::size_t levels) {
  constexpr std::array<double, 3> kDark{52, 28, 105}, kLight{190, 175, 225};
  const double along = levels > 1 ? static_cast<double>(i) / static_cast<double>(levels - 1) : 0;
  std::string out = "#";
  for (std::size_t k = 0; k < 3; ++k)
    out += fmt::format("{:02x}", static_cast<int>(kDark[k] + along * (kLight[k] - kDark[k])));
  return out;
}

// Whole decades around what is shown.
struct DecadeAxis {
  double low = INFINITY, high = 0;

  void include(double x) {
    if (x > 0 && std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  }
  void close() {
    low = std::pow(10, std::floor(std::log10(low)));
    high = std::pow(10, std::ceil(std::log10(high * 1.05)));
    if (high <= low) high = low * 10;
  }
  double along(double x) const { return std::log10(x / low) / std::log10(high / low); }
};

constexpr double kPlotWidth = 820, kPlotHeight = 520, kPlotLeft = 80, kPlotRight = 30, kPlotTop = 88, kPlotBottom = 56;
constexpr double kDot = 9;

class RooflinePicture {
 public:
  explicit RooflinePicture(const MapAnswer& answer) : answer_(answer), levels_(all_levels(answer.architecture)) {
    for (std::size_t i = 0; i < answer.breakdowns.size(); ++i) {
      rooflines_.push_back(roofline_of(answer, i));
      if (!rooflines_.back()) continue;
      const Roofline& r = *rooflines_.back();
      y_.include(r.reached());
      y_.include(r.operations_per_cycle);
      for (const RooflineLevel& level : r.levels) {
        x_.include(r.intensity(level).value_or(0));
        if (level.bytes_per_cycle) x_.include(r.operations_per_cycle / *level.bytes_per_cycle);
      }
      x_.include(most_macs_of_byte(answer, i, r).value_or(0));
    }
    if (y_.high == 0) y_.include(1);
    if (x_.high == 0) x_.include(1);
    x_.close();
    y_.close();
  }

  std::string run() {
    const std::string title = fmt::format("Roofline of {} on {}", answer_.network.name, answer_.architecture.name);
    canvas_.text_within(kPlotLeft, 26, kPlotWidth - kPlotLeft, title, {.size = 16, .bold = true});
    axes();
    roofs();
    for (std::size_t i = 0; i < rooflines_.size(); ++i)
      if (rooflines_[i]) dots(i, *rooflines_[i]);
    for (const auto& [x, y, name] : named_) label(x, y, name);
    return canvas_.document(kPlotWidth, title);
  }

 private:
  double px(double x) const { return kPlotLeft + x_.along(x) * (kPlotWidth - kPlotLeft - kPlotRight); }
  double py(double y) const { return kPlotHeight - kPlotBottom - y_.along(y) * (kPlotHeight - kPlotTop - kPlotBottom); }

  void axes() {
    const double bottom = kPlotHeight - kPlotBottom;
    for (double x = x_.low; x <= x_.high * 1.001; x *= 10) {
      canvas_.line(px(x), kPlotTop, px(x), bottom, {.stroke = "#ddd"});
      canvas_.text(px(x), bottom + 16, fmt::format("{:g}", x), {.size = 11, .anchor = "middle"});
    }
    for (double y = y_.low; y <= y_.high * 1.001; y *= 10) {
      canvas_.line(kPlotLeft, py(y), kPlotWidth - kPlotRight, py(y), {.stroke = "#ddd"});
      canvas_.text(kPlotLeft - 6, py(y) + 4, fmt::format("{:g}", y), {.size = 11, .anchor = "end"});
    }
    canvas_.text((kPlotLeft + kPlotWidth) / 2, bottom + 38, "MACs a byte of the level", {.anchor = "middle"});
    canvas_.text(kPlotLeft, kPlotTop - 8, "MACs a cycle", {});
  }

  // A line for the compute units of each kind that run a layer, and one for each level of theirs.
  void roofs() {
    std::vector<const Roofline*> shown;
    std::vector<std::string> units;
    for (std::size_t i = 0; i < rooflines_.size(); ++i) {
      const std::string& name = answer_.chain(i).compute.name;
      if (!rooflines_[i] || std::ranges::find(units, name) != units.end()) continue;
      shown.push_back(&*rooflines_[i]);
      units.push_back(name);
    }
    for (std::size_t u = 0; u < shown.size(); ++u) {
      const double peak = py(shown[u]->operations_per_cycle);
      const std::string kind = shown.size() > 1 ? units[u] : "compute";
      canvas_.line(px(x_.low), peak, px(x_.high), peak, {.stroke = "#222"});
      canvas_.text(px(x_.high), peak - 6, fmt::format("{} {} units", grouped(shown[u]->units), kind),
                   {.size = 11, .anchor = "end"});
    }
    double legend = kPlotLeft, row = 34;
    for (const StorageLevel* level : levels_) {
      const RooflineLevel* found = nullptr;
      double peak = 0;
      for (const Roofline* r : shown) {
        const RooflineLevel* own = r->level(level->name);
        if (own == nullptr) continue;
        found = own;
        peak = std::max(peak, r->operations_per_cycle);
      }
      if (found != nullptr) level_roof(*found, peak, legend, row);
    }
  }

  // The part of a level's line that is below the units' roof and inside the axes, and its entry in the legend.
  void level_roof(const RooflineLevel& level, double peak, double& legend, double& row) {
    const std::string colour = colour_of(level);
    const std::string text = level.bytes_per_cycle
                                 ? fmt::format("{}: {:.4g} bytes a cycle", level.name, *level.bytes_per_cycle)
                                 : fmt::format("{}: unlimited", level.name);
    const double entry = kDot + 18 + text_width(text, 11);
    if (legend + entry > kPlotWidth - kPlotRight) legend = kPlotLeft, row += 14;
    canvas_.box({legend, row, legend + kDot, row + kDot}, {.fill = colour.c_str(), .rounded = kDot / 2});
    canvas_.text(legend + kDot + 5, row + kDot, text, {.size = 11});
    legend += entry;
    if (!level.bytes_per_cycle) return;
    const double from = std::max(x_.low, y_.low / *level.bytes_per_cycle);
    const double to = std::min(x_.high, peak / *level.bytes_per_cycle);
    if (from < to)
      canvas_.line(px(from), py(from * *level.bytes_per_cycle), px(to), py(to * *level.bytes_per_cycle),
                   {.stroke = colour.c_str()});
  }

  std::string colour_of(const RooflineLevel& level) const {
    const auto at = std::ranges::find(levels_, level.name, &StorageLevel::name);
    return level_colour(static_cast<std::size_t>(at - levels_.begin()), levels_.size());
  }

  // A dashed line leads from the outermost level's dot to the most that any mapping makes of a byte.
  void dots(std::size_t i, const Roofline& r) {
    const double y = py(r.reached());
    if (const auto most = most_macs_of_byte(answer_, i, r)) {
      canvas_.line(px(*r.intensity(r.levels.front())), y, px(*most), y, {.stroke = "#777", .dashes = "3 3"});
      canvas_.line(px(*most), y - 6, px(*most), y + 6, {.stroke = "#777"});
    }
    for (std::size_t k = r.levels.size(); k-- > 0;) {
      const auto intensity = r.intensity(r.levels[k]);
      if (!intensity) continue;
      const double x = px(*intensity);
      canvas_.box({x - kDot / 2, y - kDot / 2, x + kDot / 2, y + kDot / 2},
                  {.fill = colour_of(r.levels[k]).c_str(), .stroke = "#fff", .rounded = kDot / 2});
      labels_.block({x - kDot / 2, y - kDot / 2, x + kDot / 2, y + kDot / 2});
      if (k == 0) named_.push_back({x, y, answer_.result.layers[i].name});
    }
  }

  void label(double x, double y, const std::string& name) {
    const LabelPlace place = labels_.beside(x, y, name, 10);
    canvas_.text(place.x, place.y, name, {.size = 10, .colour = "#444"});
  }

  const MapAnswer& answer_;
  std::vector<const StorageLevel*> levels_;
  struct Named {
    double x = 0, y = 0;
    std::string name;
  };
  std::vector<std::optional<Roofline>> rooflines_;
  std::vector<Named> named_;  // dots of the outermost level
  DecadeAxis x_, y_;
  SvgCanvas canvas_;
  Labels labels_{{kPlotLeft, kPlotTop, kPlotWidth - kPlotRight, kPlotHeight - kPlotBottom}};
};

}  // namespace

std::string roofline_table(const MapAnswer& answer) {
  std::vector<std::string> head{"<layer", "count", "MACs/cycle", "of peak", "<waits for"};
  const std::vector<const StorageLevel*> levels = all_levels(answer.architecture);
  for (const StorageLevel* level : levels) {
    head.push_back(fmt::format("MACs/byte of {}", level->name));
    if (level == levels.front()) head.emplace_back("at most");
  }
  Table table(head);
  for (std::size_t i = 0; i < answer.breakdowns.size(); ++i) {
    const std::optional<Roofline> r = roofline_of(answer, i);
    if (!r) continue;
    std::vector<std::string> row{answer.result.layers[i].name, grouped(answer.result.layers[i].count),
                                 fmt::format("{:.4g}", r->reached()), percent(r->reached() / r->operations_per_cycle),
                                 r->limit_text()};
    for (const StorageLevel* level : levels) {
      const RooflineLevel* own = r->level(level->name);
      row.push_back(own != nullptr ? number_or_blank(r->intensity(*own)) : "");
      if (level == levels.front()) row.push_back(number_or_blank(most_macs_of_byte(answer, i, *r)));
    }
    table.row(row);
  }
  return "\n" + table.to_string() +
         "  A byte is read or written at the level's ports, all instances together; at most: of any mapping.\n";
}

std::string roofline_svg(const MapAnswer& answer) { return RooflinePicture(answer).run(); }

Json roofline_json(const MapAnswer& answer, std::size_t layer) {
  const std::optional<Roofline> r = roofline_of(answer, layer);
  if (!r) return nullptr;
  const auto known = [](const std::optional<double>& x) { return x ? Json(*x) : Json(); };
  Json levels = Json::array();
  for (const RooflineLevel& level : r->levels)
    levels.push_back({{"level", level.name},
                      {"bytes", level.bytes},
                      {"macs_per_byte", known(r->intensity(level))},
                      {"bytes_per_cycle", known(level.bytes_per_cycle)},
                      {"cycles", level.cycles}});
  return {{"macs_per_cycle", r->reached()},
          {"macs_per_cycle_at_most", r->operations_per_cycle},
          {"waits_for", r->limit().empty() ? Json("compute") : Json(r->limit())},
          {"compute_cycles", r->compute_cycles},
          {"macs_per_byte_at_most", known(most_macs_of_byte(answer, layer, *r))},
          {"levels", std::move(levels)}};
}

}  // namespace heliolite::cli
