// The bounds of `bound --kind hbl, conv, iolb` and `all` as JSON (docs/json.md).
#include <algorithm>
#include <array>

#include "cli/bound/bound_symbolic_layer.h"
#include "cli/bound/bound_tilings.h"
#include "cli/map/level_bounds.h"
#include "engine/bounds/conv/conv_bound.h"
#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/hbl/hbl_formula.h"

namespace heliolite::cli {
namespace {

void add_bounds(Json& bounds, const SymbolicAnswer& answer, const PlaceAnswer& p, const SymbolicArguments& arguments) {
  const auto row = [&](std::string_view kind, u64 words, const std::string& holds, const std::string& why) {
    Json json{{"kind", kind}};
    json.update(place_json(p.place));
    json.update({{"words", words}, {"holds_under", holds}, {"because", why}});
    bounds.push_back(std::move(json));
  };
  const std::string repeated = repeated_tensors(answer.workload);
  for (const LowerBound& b : p.bounds)
    if (shows(arguments, b.kind)) row(name(b.kind), b.words, holds_under(b.kind, arguments) + repeated, b.why);
  if (p.least_by_mapping)
    row(kNestedCurve, *p.least_by_mapping, kAnyMapping + std::string(kPerfectTiles) + repeated, "all tiles and orders");
}

void add_attaining_tiles(Json& families, const SymbolicAnswer& answer, const PlaceAnswer& p,
                         const SymbolicArguments& arguments) {
  const AccessNest& nest = answer.bounds.lifted();
  Json family = Json::array();
  for (const RealTile& tile : attaining_tiles(answer, arguments, p.place)) {
    Json extents = Json::object();
    for (std::size_t l = 0; l < nest.loops.size(); ++l) extents[nest.loops[l].name] = tile.extent[l];
    family.push_back(std::move(extents));
  }
  if (family.empty()) return;
  families.push_back(place_json(p.place));
  families.back()["tiles"] = std::move(family);
}

void add_convolution(Json& rows, const Convolution& conv, const PlaceAnswer& p) {
  if (!p.place.capacity) return;
  const ConvolutionBound bound = convolution_bound(conv, *p.place.capacity);
  const auto order = convolution_order(conv, *p.place.capacity);
  rows.push_back(place_json(p.place));
  rows.back().update({{"arrays", bound.arrays},
                      {"large_filters", std::max(0.0, bound.large)},
                      {"small_filters", std::max(0.0, bound.small)},
                      {"order",
                       {{"out", order[0]},
                        {"image", order[1]},
                        {"filter", order[2]},
                        {"macs_by_capacity", order[3]},
                        {"small_windows", order[4]}}}});
}

void add_published(Json& rows, const SymbolicAnswer& answer, const PlaceAnswer& p) {
  const auto forms = p.place.capacity ? published_forms(answer, *p.place.capacity) : std::nullopt;
  if (!forms) return;
  rows.push_back(place_json(p.place));
  rows.back().update({{"iolb", forms->bound}, {"ioub", forms->tiling ? Json(*forms->tiling) : Json()}});
}

}  // namespace

Json symbolic_json(const SymbolicAnswer& answer, const SymbolicArguments& arguments) {
  const AccessNest& nest = answer.bounds.lifted();
  const auto& conv = answer.bounds.convolution();
  Json json = {{"name", answer.workload.name},
               {"unit", arguments.unit.name()},
               {"bounds", Json::array()},
               {"tilings", Json::array()}};
  const auto terms = hbl_terms(nest, answer.bounds.rows());
  json["exponent"] = hbl_exponent(answer.bounds.rows(), nest.accesses.size()).k.str();
  json["formula"] = terms ? Json(traffic_formula(*terms, nest)) : Json();
  for (const PlaceAnswer& p : answer.places) {
    add_bounds(json["bounds"], answer, p, arguments);
    if (shows(arguments, BoundKind::Hbl)) add_attaining_tiles(json["attaining_tiles"], answer, p, arguments);
    if (shows(arguments, BoundKind::Conv) && conv) add_convolution(json["convolution"], *conv, p);
    if (arguments.kind == "iolb") add_published(json["published_forms"], answer, p);
    if (p.tiling) json["tilings"].push_back(tiling_json(p));
  }
  if (answer.nested) json["nested_tiling"] = nested_json(answer);
  return json;
}

}  // namespace heliolite::cli
