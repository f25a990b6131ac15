#include "cli/bound_orojenesis_layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/table.h"
#include "engine/bounds/provision.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kTableRows = 32;

// The point with the fewest accesses for a capacity; the first one needs no buffer.
std::size_t point_at(const LayerAnswer& answer, u64 buffer) {
  const auto after = std::ranges::upper_bound(answer.curve.points, buffer, {}, &PicturePoint::buffer);
  return static_cast<std::size_t>(after - answer.curve.points.begin()) - 1;
}

double ratio(u64 a, u64 b) { return static_cast<double>(a) / static_cast<double>(b); }

std::string points_text(const LayerAnswer& answer, const OrojenesisArguments& arguments) {
  std::vector<std::string> headings{fmt::format("buffer [{}]", answer.unit), "accesses", "x minimum", "MACs/word"};
  headings.insert(headings.end(), answer.curve.headings.begin(), answer.curve.headings.end());
  Table table(headings);
  const auto row = [&](u64 buffer, std::size_t i) {
    const u64 accesses = answer.curve.points[i].accesses;
    std::vector<std::string> cells{grouped(buffer), grouped(accesses),
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
  Table table({"<outside level", "words inside", "accesses at least", "MACs/word at most", "mapping holds", "moves",
               "x bound"});
  for (const LevelBound& level : answer.levels) {
    std::vector<std::string> row{
        level.wall.level, level.wall.capacity_words ? grouped(*level.wall.capacity_words) : "unbounded",
        grouped(*level.least), fmt::format("{:.4g}", intensity(answer.workload.macs(), *level.least))};
    if (level.mapped) {
      row.insert(row.end(), {grouped(level.mapped->words), grouped(level.mapped->accesses),
                             fmt::format("{:.3f}", ratio(level.mapped->accesses, *level.least))});
    }
    table.row(row);
  }
  return "\n" + table.to_string() +
         "  No mapping moves less, however many levels are inside; words of all instances, operands of units "
         "included.\n";
}

Json bounds_json(const LayerAnswer& answer, const OrojenesisArguments& arguments) {
  const std::string tiles = arguments.imperfect ? "tiles of any size" : "perfect tiles";
  Json bounds = Json::array();
  for (const u64 buffer : arguments.buffers) {
    bounds.push_back({{"kind", "orojenesis"},
                      {"level", nullptr},
                      {"capacity_words", buffer},
                      {"words", answer.curve.points[point_at(answer, buffer)].accesses},
                      {"holds_under", (arguments.nested ? "any levels of storage, " : "one buffer, ") + tiles}});
  }
  for (const LevelBound& level : answer.levels) {
    const auto& capacity = level.wall.capacity_words;
    Json bound = {{"kind", "orojenesis"},
                  {"level", level.wall.level},
                  {"capacity_words", capacity ? Json(*capacity) : Json()},
                  {"words", *level.least},
                  {"holds_under", "any mapping, " + tiles}};
    if (level.mapped) {
      bound["mapping"] = {{"words_held", level.mapped->words},
                          {"words", level.mapped->accesses},
                          {"least_for_words_held", level.least_for_mapped}};
    }
    bounds.push_back(bound);
  }
  return bounds;
}

}  // namespace

std::string layer_text(const LayerAnswer& answer, const OrojenesisArguments& arguments) {
  return fmt::format("{}: least accesses to the store outside {}, {} tiles\n\n", answer.workload.name,
                     arguments.nested ? "any levels of storage" : "one buffer",
                     arguments.imperfect ? "any" : "perfect") +
         points_text(answer, arguments) +
         fmt::format(
             "\n  algorithmic minimum       {} {}, {:.4g} MACs for each\n"
             "  all operands              {} (gap 0 of an unlimited buffer: {:.3f})\n"
             "  maximal effectual buffer  {} (gap 1: {:.3f} of all operands)\n",
             grouped(answer.minimum()), answer.unit, intensity(answer.workload.macs(), answer.minimum()),
             grouped(answer.operands()), ratio(answer.minimum(), answer.operands()), grouped(answer.effectual()),
             ratio(answer.effectual(), answer.operands())) +
         levels_text(answer);
}

Json layer_json(const LayerAnswer& answer, const OrojenesisArguments& arguments) {
  Json json = question(answer.workload);
  json["unit"] = answer.unit;
  json["operand_words"] = answer.operands();
  json["minimum"] = answer.minimum();
  json["maximal_effectual_buffer"] = answer.effectual();
  json["bounds"] = bounds_json(answer, arguments);
  json["curve"] = curve_json(answer.curve.points);
  return json;
}

CurvePicture layer_picture(const LayerAnswer& answer) {
  CurvePicture picture;
  picture.title = answer.workload.name;
  picture.minimum = answer.minimum();
  picture.curves.push_back({"bound", answer.curve.points});
  for (const LevelBound& level : answer.levels) {
    if (level.wall.capacity_words) picture.walls.push_back({level.wall.level, *level.wall.capacity_words});
    if (level.mapped) picture.marks.push_back({level.wall.level, {level.mapped->words, level.mapped->accesses}});
  }
  return picture;
}

}  // namespace heliolite::cli
