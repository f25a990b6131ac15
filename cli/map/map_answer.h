#pragma once
// The answer of `heliolite map`, as text and as JSON.
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/map/network_breakdown.h"
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
  bool imperfect = false;            // the mapspace has all factors, not perfect ones only
  Counts counts = Counts::Timeloop;  // of those that do not divide
  Tiles tiles = Tiles::Even;
  EvaluatorOptions evaluator;  // whose values the answer has; no command: the cost model's
  // [layer]: how far the mapping is from the least data movement; errors say why it is not known.
  std::vector<Result<std::vector<LevelDistance>>> distances;
  // [layer]: cost in true counts of a mapping whose factors do not divide, where it is defined.
  std::vector<std::optional<Cost>> true_cost;
  std::vector<std::optional<Breakdown>> breakdowns;  // [layer]; none: it has no mapping
  NetworkBreakdown by_level;                         // of those that have one
};

// The answer with the distances of its mappings.
MapAnswer map_answer(Network network, Architecture architecture, NetworkResult result, const SearchOptions& options);

// The answer as text: a table with one row for each layer; for a single layer also its levels.
std::string map_text(const MapAnswer& answer);

// Appends "layers" and "total" of docs/json.md to `json`.
void add_map_answer(Json& json, const MapAnswer& answer, const std::string& objective, bool interrupted);

}  // namespace heliolite::cli
