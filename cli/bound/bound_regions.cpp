// heliolite bound --regions: the tiling program of a layer for all sizes and capacities, region by region.
#include "cli/bound/bound_modes.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/map/answer_texts.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/svg_canvas.h"
#include "cli/ui/table.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/bounds/hbl/hbl_tile.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {
namespace {

// A corner in binary logarithms of the two parameters.
using PlotCorner = std::array<double, 2>;

// A picture of the regions of a tiling program over two of its parameters.
struct RegionPicture {
  std::string title;
  std::array<std::string, 2> axes;       // names of the parameters drawn to the right and upwards
  std::array<std::size_t, 2> parameter;  // their indices in a point
  std::vector<double> point;             // binary logarithms of the capacity and the sizes; those drawn do not matter
  std::vector<std::string> fixed;        // "K = 64": what is not drawn
};

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
  for (int log = 0; log <= kMostPlotLog; log += kPlotTick)
    text += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">2^{}</text>\n"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">2^{}</text>\n",
        plot_x(log), kPlotY + kPlotSide + 18, log, kPlotX - 8, plot_y(log) + 4, log);
  return text + fmt::format(
                    "<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\" font-size=\"13\">{}</text>\n"
                    "<text transform=\"translate(18 {:g}) rotate(-90)\" text-anchor=\"middle\" font-size=\"13\">{}"
                    "</text>\n",
                    kPlotX + kPlotSide / 2, kPlotY + kPlotSide + 40, svg_escaped(picture.axes[0]),
                    kPlotY + kPlotSide / 2, svg_escaped(picture.axes[1]));
}

// The corners of the part of a region that the picture shows, 1 to 2^20 on both axes; none if it shows nothing of it.
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

// An SVG document: one area for each region, one colour for each cost.
std::string regions_svg(const RegionPicture& picture, const TileRegions& regions, const AccessNest& nest) {
  std::string text = svg_head(kRegionWidth, kRegionHeight, picture.title);
  text += fmt::format(
      "<text x=\"{0:g}\" y=\"24\" font-size=\"15\">{1}: regions of the largest tile</text>\n"
      "<text x=\"{0:g}\" y=\"44\">{2}</text>\n",
      kPlotX, svg_escaped(picture.title), svg_escaped(fmt::format("{}", fmt::join(picture.fixed, ", "))));
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

constexpr const char* kCapacityName = "capacity";

// The parameters by name: the capacity, then the loops.
std::vector<std::string> parameters_of(const AccessNest& nest) {
  std::vector<std::string> names{kCapacityName};
  for (const AccessLoop& loop : nest.loops) names.push_back(loop.name);
  return names;
}

// "capacity*K >= P*Q".
std::string facet_text(const LogPoint& facet, const AccessNest& nest) {
  LogForm more(facet.size()), less(facet.size());
  for (std::size_t i = 0; i < facet.size(); ++i) (facet[i] > 0 ? more : less)[i] = std::abs(facet[i]);
  return form_text(more, nest) + " >= " + form_text(less, nest);
}

std::vector<std::string> facets_text(const TileRegion& region, const AccessNest& nest) {
  return mapped(region.facets, [&](const LogPoint& facet) { return facet_text(facet, nest); });
}

// Extents that are not 1, by loop.
std::vector<std::pair<std::string, std::string>> extents_of(const TileRegion& region, const AccessNest& nest) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (std::size_t l = 0; l < region.tile.size(); ++l)
    if (const std::string extent = form_text(region.tile[l], nest); extent != "1")
      texts.emplace_back(nest.loops[l].name, extent);
  return texts;
}

std::string regions_text(const std::string& name, const TileRegions& found, const AccessNest& nest) {
  Table costs({"<words moved, up to a constant", "regions"});
  for (std::size_t c = 0; c < found.costs.size(); ++c)
    costs.row({form_text(found.costs[c], nest),
               grouped(static_cast<u64>(std::ranges::count(found.regions, c, &TileRegion::cost)))});
  Table table({"region", "<words moved", "<tile", "<where"});
  for (std::size_t r = 0; r < found.regions.size(); ++r) {
    std::vector<std::string> extents;
    for (const auto& [loop, extent] : extents_of(found.regions[r], nest))
      extents.push_back(extent == loop ? loop : fmt::format("{} = {}", loop, extent));
    table.row({std::to_string(r + 1), form_text(found.costs[found.regions[r].cost], nest),
               extents.empty() ? "of one iteration" : fmt::format("{}", fmt::join(extents, "; ")),
               fmt::format("{}", fmt::join(facets_text(found.regions[r], nest), "; "))});
  }
  return fmt::format("{}: the largest tile for all sizes and capacities has {} formulas and {} costs\n\n", name,
                     found.regions.size(), found.costs.size()) +
         costs.to_string() + "\n" + table.to_string() +
         "  Of windows those with at most as many taps as outputs. Arrays count one by one: a tile has up to capacity "
         "words of each.\n";
}

std::string regions_csv(const TileRegions& found, const AccessNest& nest) {
  std::string text = "region,cost";
  for (const AccessLoop& loop : nest.loops) text += "," + csv_cell(loop.name);
  text += ",where\n";
  for (std::size_t r = 0; r < found.regions.size(); ++r) {
    const TileRegion& region = found.regions[r];
    text += fmt::format("{},{}", r + 1, form_text(found.costs[region.cost], nest));
    for (const LogForm& extent : region.tile) text += "," + form_text(extent, nest);
    text += fmt::format(",{}\n", csv_cell(fmt::format("{}", fmt::join(facets_text(region, nest), "; "))));
  }
  return text;
}

void add_regions(Json& json, const TileRegions& found, const AccessNest& nest) {
  json["parameters"] = parameters_of(nest);
  json["costs"] = mapped(found.costs, [&](const LogForm& cost) { return form_text(cost, nest); });
  json["regions"] = Json::array();
  for (const TileRegion& region : found.regions) {
    Json tile = Json::object();
    for (std::size_t l = 0; l < region.tile.size(); ++l) tile[nest.loops[l].name] = form_text(region.tile[l], nest);
    json["regions"].push_back({{"cost", form_text(found.costs[region.cost], nest)},
                               {"tile", std::move(tile)},
                               {"where", facets_text(region, nest)}});
  }
}

// The indices of the two parameters to draw; by default the capacity and the largest loop.
Result<std::pair<std::size_t, std::size_t>> picture_axes(const RegionArguments& arguments, const AccessNest& nest) {
  const auto largest = std::ranges::max_element(nest.loops, {}, &AccessLoop::size) - nest.loops.begin();
  if (arguments.axes.empty()) return std::pair{std::size_t{0}, static_cast<std::size_t>(largest) + 1};
  const std::vector<std::string> names = parameters_of(nest);
  std::vector<std::size_t> found;
  for (const std::string& axis : arguments.axes) {
    const auto at = std::ranges::find(names, axis);
    if (at == names.end())
      return Diagnostic{
          "", 0, "--axes",
          fmt::format("unknown parameter '{}'{}; there are: {}", axis, did_you_mean(axis, names), join(names))};
    found.push_back(static_cast<std::size_t>(at - names.begin()));
  }
  if (found.size() != 2 || found[0] == found[1])
    return Diagnostic{"", 0, "--axes", fmt::format("needs two different parameters of: {}", join(names))};
  return std::pair{found[0], found[1]};
}

Result<RegionPicture> picture_of(const RegionArguments& arguments, const std::string& name, const AccessNest& nest) {
  const auto axes = picture_axes(arguments, nest);
  if (!axes) return axes.errors();
  const bool drawn = axes->first == 0 || axes->second == 0;
  if (drawn == arguments.capacity.has_value())
    return Diagnostic{"", 0, "--buffer",
                      drawn ? "the capacity is an axis of the picture; leave it out, or choose other --axes"
                            : "needs one capacity, which is no axis of the picture"};
  const std::vector<std::string> names = parameters_of(nest);
  RegionPicture picture{name, {names[axes->first], names[axes->second]}, {axes->first, axes->second}, {}, {}};
  picture.point.push_back(std::log2(static_cast<double>(arguments.capacity.value_or(1))));
  for (const AccessLoop& loop : nest.loops) picture.point.push_back(std::log2(loop.size));
  for (std::size_t p = 0; p < names.size(); ++p)
    if (p != axes->first && p != axes->second)
      picture.fixed.push_back(fmt::format("{} = {:g}", names[p], std::exp2(picture.point[p])));
  return picture;
}

}  // namespace

void add_region_options(const Command& command, RegionArguments& arguments) {
  command->add_flag("--regions", arguments.given,
                    "The largest tile as a formula for all sizes and capacities, region by region");
  command
      .value("--axes", arguments.axes, "X,Y",
             "With --regions and --svg: the two parameters to draw (capacity and the largest loop unless given)")
      ->delimiter(',');
}

int run_regions(const RegionArguments& arguments, const Output& output) {
  const Result<Network> network = load_workload(arguments.workload, arguments.reading, output);
  if (!network) return fail(network.errors());
  const Result<Workload> layer = pick_layer(*network, arguments.layer);
  if (!layer) return fail(layer.errors());
  if (const Diagnostics errors = refuse_word_bits(*layer, "a formula of a capacity in words of one size (--regions)");
      !errors.empty())
    return fail(errors);
  const AccessNest nest = lifted(access_nest(*layer));
  if (nest.loops.empty()) return fail(fmt::format("--regions: {} has no loop with more than one step", layer->name));
  const bool draws = !arguments.axes.empty() || arguments.capacity || !arguments.svg.empty();
  const Result<RegionPicture> picture =
      draws ? picture_of(arguments, layer->name, nest) : Result<RegionPicture>(RegionPicture{});
  if (!picture) return fail(picture.errors());
  Json json = answer_head("bound");
  json["question"] = {{"kind", "regions"}, {"workload", arguments.workload}, {"layer", arguments.layer}};
  const auto found = until_interrupted([nest] { return tile_regions(nest, true); });
  if (found && !*found)
    return fail(fmt::format("--regions: the {} loops of {} have too many regions to enumerate", nest.loops.size(),
                            layer->name));
  if (found) {
    const TileRegions& regions = **found;
    json["name"] = layer->name;
    add_regions(json, regions, nest);
    if (!output.write("--csv", regions_csv(regions, nest))) return kBadInput;
    if (draws && !output.write("--svg", regions_svg(*picture, regions, nest))) return kBadInput;
    output.table(regions_text(layer->name, regions, nest));
  }
  return write_partial_answer(output, json, found.has_value(), 1, "layers");
}

}  // namespace heliolite::cli
