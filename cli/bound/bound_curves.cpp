#include "cli/bound/bound_curves.h"

#include <fmt/format.h>
#include <algorithm>

#include "cli/ui/table.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/model/cost_model.h"
#include "engine/search/baseline/sampler.h"

namespace heliolite::cli {

std::vector<std::size_t> thinned(std::size_t points, std::size_t most) {
  std::vector<std::size_t> chosen;
  if (points <= most) {
    for (std::size_t i = 0; i < points; ++i) chosen.push_back(i);
    return chosen;
  }
  for (std::size_t k = 0; k < most; ++k) chosen.push_back(k * (points - 1) / (most - 1));
  return chosen;
}

Json curve_json(const std::vector<PicturePoint>& points) {
  Json json = Json::array();
  for (const PicturePoint& p : points) json.push_back({{"buffer_words", p.buffer}, {"accesses", p.accesses}});
  return json;
}

std::string macs_per(const std::string& unit) { return "MACs/" + unit.substr(0, unit.size() - 1); }

std::string tile_text(const Extents& tile, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t d = 0; d < names.size(); ++d)
    if (tile[d] > 1) text += fmt::format("{}{}{}", text.empty() ? "" : " ", names[d], tile[d]);
  return text.empty() ? "-" : text;
}

std::string tile_text(const Extents& tile, const Workload& workload) {
  const std::vector<std::string> names = names_of(workload.dimensions);
  return tile_text(tile, names);
}

Result<MappingCloud> mapping_cloud(const NestedCurve& curve, const Workload& workload, const Architecture& architecture,
                                   const WordUnit& unit, u64 mappings, u64 seed) {
  const Result<Mapspace> space = resolve(workload, architecture);
  if (!space) return space.errors();
  if (architecture.levels.size() == 1)
    return Diagnostic{"", 0, "--sample", architecture.name + " has one level: nothing crosses a boundary"};
  const CostModel model(workload, architecture);
  const SpaceSample sample = sample_space(*space, model, {.mappings = mappings, .seed = seed});
  const Sampler sampler(*space, model, false, seed);
  MappingCloud cloud;
  cloud.drawn = sample.drawn;
  Mapping mapping;
  for (const u64 number : sample.numbers) {
    sampler.evaluate(number, mapping);
    const LevelDistance outer = level_distances(curve, workload, architecture, model.explain(mapping), unit).back();
    cloud.level = outer.bound.boundary.level;
    cloud.points.push_back({outer.mapping.words, outer.mapping.accesses});
    cloud.distances.push_back(static_cast<double>(outer.mapping.accesses) / static_cast<double>(outer.least_for_held));
  }
  std::ranges::sort(cloud.distances);
  return cloud;
}

std::string cloud_text(const MappingCloud& cloud) {
  std::string text =
      fmt::format("  {} random mappings of {} drawn", grouped(cloud.points.size()), grouped(cloud.drawn));
  if (cloud.points.empty()) return text + ": none fits\n";
  return text + fmt::format(
                    " hold and move outside {}, over the least for what they hold: {:.3f} x at least, {:.3g} x "
                    "in the middle, {:.3g} x at most\n",
                    cloud.level, cloud.distances.front(), cloud.distances[cloud.distances.size() / 2],
                    cloud.distances.back());
}

Json cloud_json(const MappingCloud& cloud) {
  const bool any = !cloud.points.empty();
  return {{"level", cloud.level},
          {"drawn", cloud.drawn},
          {"least_distance", any ? Json(cloud.distances.front()) : Json()},
          {"median_distance", any ? Json(cloud.distances[cloud.distances.size() / 2]) : Json()},
          {"points", curve_json(cloud.points)}};
}

}  // namespace heliolite::cli
