#include "engine/search/core/answer.h"

#include <algorithm>

namespace heliolite {

std::string_view name(Status status) {
  switch (status) {
    case Status::Optimal: return "optimal";
    case Status::Bounded: return "bounded";
    case Status::Infeasible: return "infeasible";
    case Status::Measured: return "measured";
  }
  return "";
}

SearchStatistics& SearchStatistics::operator+=(const SearchStatistics& other) {
  evaluated += other.evaluated;
  for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i] += other.tiles[i];
  rules += other.rules;
  return *this;
}

bool NetworkResult::all_feasible() const {
  return std::all_of(layers.begin(), layers.end(),
                     [](const LayerResult& l) { return l.result.status != Status::Infeasible; });
}

}  // namespace heliolite
