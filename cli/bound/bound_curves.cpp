#include "cli/bound/bound_curves.h"

#include <fmt/format.h>

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
  std::vector<std::string> names;
  for (const Dimension& d : workload.dimensions) names.push_back(d.name);
  return tile_text(tile, names);
}

}  // namespace heliolite::cli
