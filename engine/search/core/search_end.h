#pragma once
// Why a search ended before it had covered its mapspace.
#include <string>
#include <string_view>

#include "engine/base/types.h"

namespace heliolite {

struct LayerProblem;

enum class SearchEnd : u8 {
  Done,    // by itself
  Tiles,   // exact did not search: more tiles than it has tables for
  Keeps,   // exact did not search: more ways to keep or bypass tensors than it lists
  Tables,  // exact did not search: its tables do not fit the memory
  Flows,   // exact left out states with more sliding flows than it has room for
  Memory,  // exact left out states that the memory has no room for
  Evaluations,
  Time,
  Stopped,  // from outside
};

// "done", "tiles", ..: stable, for JSON.
std::string_view name(SearchEnd end);

// Whether exact searched nothing, so that the answer is that of the strategy it starts from.
constexpr bool not_searched(SearchEnd end) {
  return end == SearchEnd::Tiles || end == SearchEnd::Keeps || end == SearchEnd::Tables;
}

// A sentence without a full stop, with the numbers of the problem. Empty if it is done.
std::string explain(SearchEnd end, const LayerProblem& problem);

}  // namespace heliolite
