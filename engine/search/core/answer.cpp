#include "engine/search/core/answer.h"

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"

namespace heliolite {

SearchStatistics& SearchStatistics::operator+=(const SearchStatistics& other) {
  evaluated += other.evaluated;
  for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i] += other.tiles[i];
  rules += other.rules;
  for (const StepReport& step : other.steps) add_step(step);
  return *this;
}

void SearchStatistics::follow(const SearchStatistics& earlier) {
  SearchStatistics both = earlier;
  both += *this;
  *this = std::move(both);
}

void SearchStatistics::add_step(const StepReport& step) {
  const auto same = std::ranges::find(steps, step.name, &StepReport::name);
  if (same == steps.end()) return steps.push_back(step);
  same->evaluated += step.evaluated;
  same->seconds += step.seconds;
}

bool NetworkResult::all_feasible() const {
  return std::all_of(layers.begin(), layers.end(),
                     [](const LayerResult& l) { return l.result.status != Status::Infeasible; });
}

}  // namespace heliolite
