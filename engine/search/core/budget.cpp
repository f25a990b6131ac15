#include "engine/search/core/budget.h"

#include <fmt/format.h>
#include <array>
#include <bit>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/core/option_kinds.h"

namespace heliolite {
namespace {

int open_keeps(const Mapspace& space) {
  int open = 0;
  for (const LevelSpace& level : space.levels) open += std::popcount(level.open);
  return open;
}

}  // namespace

SearchBudget::SearchBudget(const SearchOptions& options) : stop_(options.stop) {
  if (options.budget_evaluations) evaluations_ = *options.budget_evaluations;
  if (options.budget_seconds) seconds_ = *options.budget_seconds;
}

std::string explain(SearchEnd end, const LayerProblem& problem) {
  const SearchOptions& options = problem.options;
  constexpr std::string_view kNotSearched = "exact did not search, the answer is that of sunstone: ";
  switch (end) {
    case SearchEnd::Done: return "";
    case SearchEnd::Keeps:
      return fmt::format(
          "tile sizes that do not divide were not searched: 2^{} ways to keep tensors or to pass them by",
          open_keeps(problem.space));
    case SearchEnd::Tables:
      return fmt::format("{}its tables do not fit {} of memory", kNotSearched,
                         bytes_text(static_cast<double>(options.memory_bytes)));
    case SearchEnd::Stores:
      return fmt::format(
          "uneven tiles were not searched, the answer is that of even ones: they can stand in more than "
          "{} orders, or more than {} deep",
          kMostStoreOrders, kMaxLevels);
    case SearchEnd::Flows: return "partial mappings with too many sliding flows were left out";
    case SearchEnd::Memory:
      return fmt::format("partial mappings were left out that {} of memory have no room for",
                         bytes_text(static_cast<double>(options.memory_bytes)));
    case SearchEnd::Evaluations:
      return fmt::format("the search ended after {} evaluations", options.budget_evaluations.value_or(0));
    case SearchEnd::Time: return fmt::format("the search ended after {} s", options.budget_seconds.value_or(0));
    case SearchEnd::Stopped: return "the search was interrupted";
    case SearchEnd::Evaluator:
      return fmt::format("the search ended after {} failures of the evaluator in a row", kMostFailures);
  }
  return "";
}

}  // namespace heliolite
