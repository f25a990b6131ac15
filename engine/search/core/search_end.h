#pragma once
// Why a search ended before it had covered its mapspace.
#include <string>
#include <string_view>

#include "engine/base/types.h"

namespace heliolite {

struct LayerProblem;

enum class SearchEnd : u8 {
  Done,         // no limit ended it
  Keeps,        // all tile sizes were not searched: more ways to keep or bypass tensors than that search lists
  Tables,       // exact did not search: its fan-outs and rest bounds do not fit the memory
  Stores,       // uneven tiles were not searched: more orders of the levels' stores than are looked at
  Flows,        // exact left out partial mappings with more sliding flows than it has room for
  Memory,       // exact left out partial mappings that the memory has no room for
  Evaluations,  // the budget of evaluations is used up
  Time,         // the budget of seconds is used up
  Stopped,      // somebody outside asked it to stop
  Evaluator,    // the evaluator failed too often in a row
};

// The name in JSON: "done", "keeps", ... These names do not change.
std::string_view name(SearchEnd end);

// Whether exact did not search at all, so that the answer is that of sunstone, from which it would have started.
constexpr bool not_searched(SearchEnd end) { return end == SearchEnd::Keeps || end == SearchEnd::Tables; }

// The reason as a sentence without a full stop, with the numbers of the problem. Empty for Done.
std::string explain(SearchEnd end, const LayerProblem& problem);

}  // namespace heliolite
