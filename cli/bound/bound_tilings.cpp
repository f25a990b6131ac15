#include "cli/bound/bound_tilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/bound/bound_curves.h"
#include "cli/ui/table.h"

namespace heliolite::cli {
namespace {

using Names = std::vector<std::string>;

// The loops over tiles that decide, innermost last: "K C"; "any" if none does.
std::string loops_text(const TileOrder& order, const Names& names) {
  Names loops;
  for (std::size_t i = order.inner.size(); i-- > 0;) loops.push_back(names[order.inner[i]]);
  return loops.empty() ? "any" : fmt::format("{}", fmt::join(loops, " "));
}

// The dimensions of a part that are smaller than those of the whole: "M 254".
std::string part_text(const TilingPart& part, const std::vector<TilingPart>& all) {
  Names sizes;
  for (std::size_t d = 0; d < part.problem.names.size(); ++d) {
    const u32 size = part.problem.size[d];
    if (std::ranges::any_of(all, [&](const TilingPart& other) { return other.problem.size[d] != size; }))
      sizes.push_back(fmt::format("{} {}", part.problem.names[d], size));
  }
  return sizes.empty() ? "all" : fmt::format("{}", fmt::join(sizes, ", "));
}

std::vector<std::string> level_cells(const TiledLevel& level, const Names& names) {
  return {count(std::round(level.words)), count(std::round(level.footprint)), tile_text(level.tile, names),
          loops_text(level.order, names)};
}

Json level_json(const TiledLevel& level, const Names& names) {
  Json tile = Json::object();
  for (std::size_t d = 0; d < names.size(); ++d) tile[names[d]] = level.tile[d];
  return {{"words", level.words},
          {"footprint_words", level.footprint},
          {"tile", tile},
          {"loops", loops_text(level.order, names)}};
}

}  // namespace

std::string tilings_table(const SymbolicAnswer& answer, const WordUnit& unit) {
  bool none_fits = true, parts = false;
  for (const PlaceAnswer& p : answer.places) {
    if (!p.tiling || !p.place.capacity) continue;
    none_fits = false;
    parts = parts || p.tiling->parts.size() > 1;
  }
  if (none_fits) return "no tiling: the operands of one MAC do not fit\n";
  std::vector<std::string> headings{"<outside", "capacity", std::string(unit.name()),
                                    "holds",    "<tile",    "<loops over tiles, innermost right"};
  if (parts) headings.insert(headings.begin() + 2, "<part");
  Table table(headings);
  for (const PlaceAnswer& p : answer.places) {
    if (!p.tiling || !p.place.capacity) continue;
    for (const TilingPart& part : p.tiling->parts) {
      std::vector<std::string> row{p.place.level, count(*p.place.capacity)};
      if (parts) row.push_back(part_text(part, p.tiling->parts));
      for (std::string& cell : level_cells(part.level, part.problem.names)) row.push_back(std::move(cell));
      table.row(row);
    }
  }
  return "best tilings known for one memory" +
         std::string(parts ? "; parts of the iterations one after the other" : "") + ":\n\n" + table.to_string();
}

std::string nested_table(const SymbolicAnswer& answer, const WordUnit& unit) {
  if (!answer.nested) return "";
  Table table(
      {"<outside", "capacity", std::string(unit.name()), "holds", "<tile", "<loops over tiles, innermost right"});
  for (std::size_t i = 0; i < answer.nested->size(); ++i) {
    const Place& place = answer.places[answer.nested_places[i]].place;
    std::vector<std::string> row{place.level, count(*place.capacity)};
    for (std::string& cell : level_cells((*answer.nested)[i], answer.tiling.names)) row.push_back(std::move(cell));
    table.row(row);
  }
  return fmt::format("best tilings known for these memories together, by the sum of their {}:\n\n", unit.name()) +
         table.to_string();
}

Json place_json(const Place& place) {
  return {{"level", place.level.empty() ? Json() : Json(place.level)},
          {"capacity_words", place.capacity ? Json(*place.capacity) : Json()}};
}

Json tiling_json(const PlaceAnswer& answer) {
  Json json = place_json(answer.place);
  const auto above = gap(answer);
  json.update({{"words", answer.tiling->words()},
               {"footprint_words", answer.tiling->footprint()},
               {"gap", above ? Json(*above) : Json()},
               {"executed", answer.executed ? executed_json(*answer.executed) : Json()},
               {"parts", Json::array()}});
  for (const TilingPart& part : answer.tiling->parts) {
    Json sizes = Json::object();
    for (std::size_t d = 0; d < part.problem.names.size(); ++d) sizes[part.problem.names[d]] = part.problem.size[d];
    json["parts"].push_back({{"sizes", sizes}});
    json["parts"].back().update(level_json(part.level, part.problem.names));
  }
  return json;
}

Json nested_json(const SymbolicAnswer& answer) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < answer.nested->size(); ++i) {
    rows.push_back(place_json(answer.places[answer.nested_places[i]].place));
    rows.back().update(level_json((*answer.nested)[i], answer.tiling.names));
  }
  return rows;
}

}  // namespace heliolite::cli
