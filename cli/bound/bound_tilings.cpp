// Best tilings of a layer as tables and JSON; executed, with what they measure compared with what was claimed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/bound/bound_curves.h"
#include "cli/bound/bound_symbolic.h"
#include "cli/ui/table.h"
#include "engine/execution/simulate.h"
#include "engine/execution/tiled_nest.h"

namespace heliolite::cli {
namespace {

// A few seconds of execution for each place, and as much memory as a layer's search.
constexpr SimulationLimits kBriefly{100'000'000, 50'000'000, 100'000'000};

std::string cell(const std::optional<double>& words) { return words ? count(*words) : "-"; }

Json number(const std::optional<double>& words) { return words ? Json(*words) : Json(); }

}  // namespace

ExecutedTiling execute_tiling(const Workload& workload, const PartTiling& tiling, double capacity, TrafficRule rule) {
  ExecutedTiling answer;
  const auto words = static_cast<u64>(capacity);
  const LoopNest nest = tiled_nest(workload, tiling);
  std::vector<SimulatedCache> caches{{{words, 1, 0}, CachePolicy::Scratchpad, 1}, {{words, 1, 0}, CachePolicy::Lru, 1}};
  if (const Diagnostics errors = check_simulation(nest, caches, kBriefly); !errors.empty()) {
    answer.why_not = errors.front().message;
    return answer;
  }
  caches.push_back({{words, 1, 0}, CachePolicy::Opt, 1});
  const bool remembers = check_simulation(nest, caches, kBriefly).empty();
  if (!remembers) caches.pop_back();
  const std::vector<CacheTraffic> traffic = simulate(nest, caches, rule.outputs_are_read);
  answer.scratchpad = static_cast<double>(traffic[0].words(rule));
  answer.lru = static_cast<double>(traffic[1].words(rule));
  if (remembers) answer.opt = static_cast<double>(traffic[2].words(rule));
  if (const auto tile = best_lru_tile(workload, words, rule)) {
    const LoopNest kept = tiled_nest(workload, tiling_problem(workload, rule), std::span(&*tile, 1));
    const std::vector<CacheTraffic> lru = simulate(kept, std::span(&caches[1], 1), rule.outputs_are_read);
    answer.lru_tiling = tile->words;
    answer.lru_tiling_measured = static_cast<double>(lru.front().words(rule));
  }
  return answer;
}

std::string executed_table(const SymbolicAnswer& answer) {
  Table table({"<outside", "capacity", "bound", "best tiling", "scratchpad", "opt", "lru", "tiling for lru",
               "lru with that", "<not executed"});
  bool any = false;
  for (const PlaceAnswer& p : answer.places) {
    if (!p.executed) continue;
    any = true;
    const ExecutedTiling& e = *p.executed;
    std::vector<std::string> row{p.place.level, count(*p.place.capacity), grouped(best(p.bounds).words),
                                 count(std::round(p.tiling->words()))};
    if (e.why_not.empty()) {
      for (std::string& text : std::vector<std::string>{count(e.scratchpad), cell(e.opt), count(e.lru),
                                                        cell(e.lru_tiling), cell(e.lru_tiling_measured)})
        row.push_back(std::move(text));
    } else {
      row.insert(row.end(), 5, "");
      row.push_back(e.why_not);
    }
    table.row(row);
  }
  if (!any) return "";
  return "the best tilings executed: what their boxes move, what a cache moves that knows the future (opt) or the "
         "past\n(lru), and tiles for such a cache:\n\n" +
         table.to_string();
}

namespace {

Json executed_json(const ExecutedTiling& executed) {
  if (!executed.why_not.empty()) return {{"why_not", executed.why_not}};
  return {{"scratchpad", executed.scratchpad},
          {"opt", number(executed.opt)},
          {"lru", executed.lru},
          {"lru_tiling", number(executed.lru_tiling)},
          {"lru_tiling_measured", number(executed.lru_tiling_measured)}};
}

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
