#include "cli/bound/bound_regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/bound/regions_svg.h"
#include "cli/map/partial_answer.h"
#include "cli/ui/inputs.h"
#include "cli/ui/interrupt.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"
#include "engine/base/text.h"
#include "engine/bounds/hbl/hbl_formula.h"
#include "engine/bounds/hbl/tile_regions.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {
namespace {

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
  std::vector<std::string> texts;
  for (const LogPoint& facet : region.facets) texts.push_back(facet_text(facet, nest));
  return texts;
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
  json["costs"] = Json::array();
  for (const LogForm& cost : found.costs) json["costs"].push_back(form_text(cost, nest));
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

void add_region_options(CLI::App& command, RegionArguments& arguments) {
  command.add_flag("--regions", arguments.given,
                   "The largest tile as a formula for all sizes and capacities, region by region");
  command
      .add_option("--axes", arguments.axes,
                  "With --regions and --svg: the two parameters to draw (capacity and the largest loop unless given)")
      ->type_name("X,Y")
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
