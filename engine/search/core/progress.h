#pragma once
// What a search reports while it runs.
#include <functional>
#include <string_view>

#include "engine/base/types.h"

namespace heliolite {

// One report; fields without news are 0.
struct SearchProgress {
  std::string_view layer{};  // name of the layer that the report is about
  double value = 0;          // objective_number() of its best mapping so far; 0: none yet
  double lower_bound = 0;    // no mapping of the layer is below, in the same unit; 0: none known yet
  u64 evaluated = 0;         // mappings priced when that was known; 0: not told
  bool layer_done = false;   // its search has ended
  u64 layers_done = 0;       // layers of the network that are done; of equal layers each counts
  u64 layers = 0;            // layers of the network
};

// Called from the threads of the search, by one at a time; it must return soon.
using ProgressHook = std::function<void(const SearchProgress&)>;

}  // namespace heliolite
