#include "cli/bound/bound_orojenesis_layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/map/level_bounds.h"
#include "cli/ui/table.h"
#include "cli/ui/word_units.h"
#include "engine/base/integers.h"
#include "engine/bounds/curve/provision.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kTableRows = 32;

// The point with the fewest accesses for a capacity; the first one needs no buffer.
std::size_t point_at(const LayerAnswer& answer, u64 buffer) {
  const auto after = std::ranges::upper_bound(answer.curve.points, buffer, {}, &PicturePoint::buffer);
  return at(after - answer.curve.points.begin()) - 1;
}

double ratio(u64 a, u64 b) { return static_cast<double>(a) / static_cast<double>(b); }

std::string points_text(const LayerAnswer& answer, const OrojenesisArguments& arguments) {
  std::vector<std::string> headings{fmt::format("buffer [{}]", answer.unit), "[bytes]", "accesses", "x minimum",
                                    macs_per(answer.unit)};
  headings.insert(headings.end(), answer.curve.headings.begin(), answer.curve.headings.end());
  Table table(headings);
  const std::optional<double> bytes = unit_bytes(arguments, arguments.unit);
  const auto row = [&](u64 buffer, std::size_t i) {
    const u64 accesses = answer.curve.points[i].accesses;
    std::vector<std::string> cells{grouped(buffer), bytes ? bytes_text(buffer, *bytes) : "", grouped(accesses),
                                   fmt::format("{:.3f}", ratio(accesses, answer.minimum())),
                                   fmt::format("{:.4g}", intensity(answer.workload.macs(), accesses))};
    cells.insert(cells.end(), answer.curve.how[i].begin(), answer.curve.how[i].end());
    table.row(cells);
  };
  for (const u64 buffer : arguments.buffers) row(buffer, point_at(answer, buffer));
  if (!arguments.buffers.empty()) return table.to_string();
  const auto& points = answer.curve.points;
  const auto shown = thinned(points.size(), arguments.all ? points.size() : kTableRows);
  for (const std::size_t i : shown) row(points[i].buffer, i);
  if (shown.size() == points.size()) return table.to_string();
  return table.to_string() +
         fmt::format("  {} of {} points; --all lists them, --csv FILE writes them.\n", shown.size(), points.size());
}

std::string levels_text(const LayerAnswer& answer) {
  if (answer.levels.empty()) return "";
  return "\n" + (answer.distances.empty() ? level_table(answer.levels, answer.workload)
                                          : level_table(answer.distances, answer.workload));
}

Json bounds_json(const LayerAnswer& answer, const OrojenesisArguments& arguments) {
  const std::string tiles = (arguments.imperfect ? kAnyTiles : kPerfectTiles) + repeated_tensors(answer.workload);
  Json bounds = Json::array();
  for (const u64 buffer : arguments.buffers) {
    if (!answer.is_bound()) break;
    bounds.push_back(
        {{"kind", of_any_levels(arguments) ? kNestedCurve : kOneBufferCurve},
         {"level", nullptr},
         {"capacity_words", buffer},
         {"words", answer.curve.points[point_at(answer, buffer)].accesses},
         {"holds_under", (of_any_levels(arguments) ? "any levels of storage, " : "one buffer, ") + tiles}});
  }
  if (answer.distances.empty()) {
    for (const LevelBound& level : answer.levels) bounds.push_back(level_bound_json(level, tiles));
  }
  for (const LevelDistance& level : answer.distances) bounds.push_back(level_bound_json(level, tiles));
  return bounds;
}

}  // namespace

std::string layer_text(const LayerAnswer& answer, const OrojenesisArguments& arguments) {
  const char* counted = answer.is_bound() ? "" : "; Timeloop's counts, which executions may move less than";
  const std::string repeated = answer.is_bound() ? repeated_tensors(answer.workload) : "";
  return fmt::format("{}: least accesses to the store outside {}, {} tiles{}{}\n\n", answer.workload.name,
                     of_any_levels(arguments) ? "any levels of storage" : "one buffer",
                     arguments.imperfect ? "any" : "perfect", counted, repeated) +
         points_text(answer, arguments) +
         fmt::format(
             "\n  algorithmic minimum       {} {}, {:.4g} MACs for each\n"
             "  all operands              {} (gap 0 of an unlimited buffer: {:.3f})\n"
             "  maximal effectual buffer  {} (gap 1: {:.3f} of all operands)\n",
             grouped(answer.minimum()), answer.unit, intensity(answer.workload.macs(), answer.minimum()),
             grouped(answer.operands()), ratio(answer.least(), answer.operands()), grouped(answer.effectual()),
             ratio(answer.effectual(), answer.operands())) +
         levels_text(answer) + (answer.cloud ? "\n" + cloud_text(*answer.cloud) : "");
}

Json layer_json(const LayerAnswer& answer, const OrojenesisArguments& arguments) {
  Json json = question(answer.workload);
  json["unit"] = answer.unit;
  json["counts"] = arguments.counts;
  json["operand_words"] = answer.operands();
  json["minimum"] = answer.minimum();
  json["maximal_effectual_buffer"] = answer.effectual();
  json["bounds"] = bounds_json(answer, arguments);
  json["curve"] = curve_json(answer.curve.points);
  if (answer.cloud) json["sample"] = cloud_json(*answer.cloud);
  return json;
}

CurvePicture layer_picture(const LayerAnswer& answer) {
  CurvePicture picture;
  picture.title = answer.workload.name;
  picture.unit = answer.unit;
  picture.minimum = answer.minimum();
  picture.curves.push_back({answer.is_bound() ? "bound" : "Timeloop's counts", answer.curve.points});
  for (const auto& [boundary, least] : answer.levels)
    if (boundary.capacity_words) picture.walls.push_back({boundary.level, *boundary.capacity_words});
  for (const auto& [bound, mapping, least_for_held] : answer.distances)
    picture.marks.push_back({bound.boundary.level, {mapping.words, mapping.accesses}});
  if (answer.cloud) picture.cloud = answer.cloud->points;
  return picture;
}

}  // namespace heliolite::cli
