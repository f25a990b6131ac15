#pragma once
// What a search tells while it runs.
#include <functional>
#include <string_view>

#include "engine/base/types.h"

namespace heliolite {

struct SearchProgress {
  std::string_view layer{};  // of which this is news
  double value = 0;          // its best mapping so far, objective_number(); 0 = none yet
  double lower_bound = 0;    // no mapping of it is below; 0 = none known yet
  bool layer_done = false;
  u64 layers_done = 0;  // of the network, equal shapes counted each
  u64 layers = 0;
};

// Called from the threads of the search, one at a time; must return soon.
using ProgressHook = std::function<void(const SearchProgress&)>;

}  // namespace heliolite
