#pragma once
// The strategies of the mapper: which search answers.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

enum class Strategy : u8 {
  Exact,       // the optimum with its certificate; under a limit the best so far with a proven gap
  Sunstone,    // level by level behind a beam, then climbs: fast, proves only by the compulsory bound
  Thesis,      // the search of Sunstone's thesis as printed: level by level with alpha-beta, nothing else
  Random,      // draws mappings until enough in a row bring nothing
  Bayes,       // prices the mapping that a Gaussian process expects most of: for evaluations that take long
  Exhaustive,  // prices every mapping: for small mapspaces and for tests
  Cosa,        // one mixed-integer program says the mapping
};

// "exact", "sunstone", ..: as on the command line and in files.
std::string_view name(Strategy strategy);
// The strategy of this name; none if there is no such strategy.
std::optional<Strategy> parse_strategy(std::string_view name);
// Whether co_search() can use it (docs/rules/co_search.md).
constexpr bool searches_machines_together(Strategy strategy) {
  return strategy == Strategy::Exact || strategy == Strategy::Sunstone || strategy == Strategy::Thesis;
}
// Whether it has a second step that searches factors that do not divide (docs/rules/imperfect.md).
constexpr bool climbs_to_imperfect(Strategy strategy) {
  return strategy != Strategy::Random && strategy != Strategy::Exhaustive && strategy != Strategy::Bayes;
}
// The names of all strategies in the order of the enumeration.
std::vector<std::string> strategy_names();

}  // namespace heliolite
