#include "engine/proof/reduce.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite::proof {

std::vector<int> batch_dimensions(const Instance& instance) {
  std::vector<int> out;
  for (int d = 0; d < instance.dimension_count(); ++d) {
    const auto is_alone = [&](const InstanceTensor& t) {
      return std::ranges::any_of(t.ranks, [&](const std::vector<InstanceTerm>& rank) {
        return rank.size() == 1 && rank[0].dimension == d && rank[0].coefficient == 1;
      });
    };
    const FactorLimit& limit = instance.levels.back().loops[at(d)];
    const bool is_free = limit.min <= 1 && limit.max >= instance.sizes[at(d)] &&
                         std::ranges::count(instance.levels.back().order, d) == 0;
    if (is_free && std::ranges::all_of(instance.tensors, is_alone)) out.push_back(d);
  }
  return out;
}

Instance without_inner_loops(const Instance& instance, const std::vector<int>& batch) {
  Instance out = instance;
  for (const int d : batch)
    for (int i = 0; i + 1 < instance.level_count(); ++i)
      if (instance.levels[at(i)].loops[at(d)].min <= 1) out.levels[at(i)].loops[at(d)].max = 1;
  return out;
}

}  // namespace heliolite::proof
