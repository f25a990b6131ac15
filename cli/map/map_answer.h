#pragma once
// What heliolite map found, and how it is shown.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "engine/base/result.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/search/map.h"
#include "workloads/network.h"

namespace heliolite::cli {

struct MapAnswer {
  Network network;
  Architecture architecture;
  NetworkResult result;
  bool imperfect = false;  // the mapspace has all factors, not perfect ones only
  // By layer, how far the mapping is from the least data movement; errors say why it is not known.
  std::vector<Result<std::vector<LevelDistance>>> distances;
};

MapAnswer map_answer(Network network, Architecture architecture, NetworkResult result, bool imperfect);

// One row a layer; of a single layer also its levels.
std::string map_text(const MapAnswer& answer);

// "layers" and "total" of docs/json.md, appended to `json`.
void add_map_answer(Json& json, const MapAnswer& answer, const std::string& objective, bool interrupted);

}  // namespace heliolite::cli
