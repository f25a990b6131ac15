// One layer's answer of heliolite bound --kind orojenesis, and how it is shown.
#include "cli/bound/bound_orojenesis.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/map/answer_texts.h"
#include "cli/ui/table.h"
#include "cli/ui/units.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kTableRows = 32;

double ratio(u64 a, u64 b) { return static_cast<double>(a) / static_cast<double>(b); }

std::string points_text(const LayerAnswer& answer, const OrojenesisArguments& arguments) {
  std::vector<std::string> headings{fmt::format("buffer [{}]", answer.unit),
                                    "[bytes]",
                                    "accesses",
                                    "<by",
                                    "x minimum",
                                    macs_per(answer.unit),
                                    "best tiling"};
  headings.insert(headings.end(), answer.curve.headings.begin(), answer.curve.headings.end());
  Table table(headings);
  const std::optional<double> bytes = unit_bytes(arguments, arguments.unit);
  const auto row = [&](u64 buffer, const LayerAnswer::Least& least) {
    const std::optional<u64> tiling = answer.tiling_at(buffer);
    std::vector<std::string> cells{grouped(buffer),
                                   bytes ? bytes_text(buffer, *bytes) : "",
                                   grouped(least.accesses),
                                   answer.schedules ? least.by : "",
                                   fmt::format("{:.3f}", ratio(least.accesses, answer.minimum())),
                                   fmt::format("{:.4g}", intensity(answer.workload.macs(), least.accesses)),
                                   tiling ? grouped(*tiling) : ""};
    const auto& how = answer.curve.how[least.point];
    cells.insert(cells.end(), how.begin(), how.end());
    table.row(cells);
  };
  for (const u64 buffer : arguments.buffers) row(buffer, answer.least_at(buffer));
  const std::string tiles =
      answer.tilings.empty() || arguments.imperfect
          ? ""
          : "  best tiling: with any tiles; the accesses are the least with tiles that divide the sizes (--imperfect: "
            "with any).\n";
  if (!arguments.buffers.empty()) return table.to_string() + tiles;
  const auto& points = answer.curve.points;
  const auto shown = thinned(points.size(), arguments.all ? points.size() : kTableRows);
  for (const std::size_t i : shown) row(points[i].buffer, {points[i].accesses, answer.curve.by[i], i});
  if (shown.size() == points.size()) return table.to_string() + tiles;
  return table.to_string() + tiles +
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
    const LayerAnswer::Least least = answer.least_at(buffer);
    const std::optional<u64> tiling = answer.tiling_at(buffer);
    bounds.push_back(
        {{"kind", of_any_levels(arguments) ? kNestedCurve : kOneBufferCurve},
         {"level", nullptr},
         {"capacity_words", buffer},
         {"words", least.accesses},
         {"by", least.by},
         {"best_tiling", tiling ? Json(*tiling) : Json()},
         {"holds_under", (of_any_levels(arguments) ? "any levels of storage, " : "one buffer, ") + tiles}});
  }
  if (answer.distances.empty())
    for (const LevelBound& level : answer.levels) bounds.push_back(level_bound_json(level, tiles));
  for (const LevelDistance& level : answer.distances) bounds.push_back(level_bound_json(level, tiles));
  return bounds;
}

// The curve with the bound of each point, and the best tilings where they are known.
Json layer_curve_json(const LayerAnswer& answer) {
  Json json = curve_json(answer.curve.points);
  if (!answer.schedules) return json;
  for (std::size_t i = 0; i < json.size(); ++i) json[i]["by"] = answer.curve.by[i];
  return json;
}

// "orojenesis, hbl": of the bounds that the curve has parts of.
std::string bounds_named(const LayerAnswer& answer) {
  std::vector<std::string> names;
  for (const std::string& by : answer.curve.by)
    if (std::ranges::find(names, by) == names.end()) names.push_back(by);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string layer_csv_head(const std::string& unit) { return fmt::format("buffer_{},accesses,by,best_tiling\n", unit); }

std::string layer_csv(const LayerAnswer& answer, const std::string& layer) {
  std::string text;
  for (std::size_t i = 0; i < answer.curve.points.size(); ++i) {
    const auto [buffer, accesses] = answer.curve.points[i];
    const std::optional<u64> tiling = answer.tiling_at(buffer);
    text += fmt::format("{}{}{},{},{},{}\n", csv_cell(layer), layer.empty() ? "" : ",", buffer, accesses,
                        answer.schedules ? answer.curve.by[i] : "timeloop", tiling ? fmt::format("{}", *tiling) : "");
  }
  return text;
}

LayerCurve raised(const LayerCurve& curve, const ScheduleBounds& schedules, u64 largest) {
  LayerCurve out;
  out.headings = curve.headings;
  for (const RaisedStep& raised : heliolite::raised(curve.points, schedules, largest)) {
    out.points.push_back(raised.step);
    out.by.push_back(raised.by ? std::string(name(*raised.by)) : curve.by[raised.own]);
    out.how.push_back(raised.by ? std::vector<std::string>(curve.headings.size()) : curve.how[raised.own]);
  }
  return out;
}

LayerAnswer::Least LayerAnswer::least_at(u64 buffer) const {
  const auto after = std::ranges::upper_bound(curve.points, buffer, {}, &CurveStep::buffer);
  const std::size_t point = at(after - curve.points.begin()) - 1;
  Least least{curve.points[point].accesses, curve.by[point], point};
  if (schedules)
    if (const LowerBound bound = schedules->at(buffer); bound.words > least.accesses)
      return {bound.words, std::string(name(bound.kind)), point};
  return least;
}

std::optional<u64> LayerAnswer::tiling_at(u64 buffer) const {
  const auto after = std::ranges::upper_bound(tilings, buffer, {}, &CurveStep::buffer);
  return after == tilings.begin() ? std::nullopt : std::optional((after - 1)->accesses);
}

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
  json["curve"] = layer_curve_json(answer);
  json["best_tilings"] = curve_json(answer.tilings);
  if (answer.cloud) json["sample"] = cloud_json(*answer.cloud);
  return json;
}

CurvePicture layer_picture(const LayerAnswer& answer) {
  CurvePicture picture;
  picture.title = answer.workload.name;
  picture.unit = answer.unit;
  picture.minimum = answer.minimum();
  picture.curves.push_back(
      {answer.is_bound() ? "bound: " + bounds_named(answer) : "Timeloop's counts", answer.curve.points});
  if (!answer.tilings.empty()) picture.curves.push_back({"best tiling known, any tiles", answer.tilings});
  for (const auto& [boundary, least] : answer.levels)
    if (boundary.capacity_words) picture.walls.push_back({boundary.level, *boundary.capacity_words});
  for (const auto& [bound, mapping, least_for_held] : answer.distances)
    picture.marks.push_back({bound.boundary.level, {mapping.words, mapping.accesses}});
  if (answer.cloud) picture.cloud = answer.cloud->points;
  return picture;
}

}  // namespace heliolite::cli
