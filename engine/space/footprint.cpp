#include "engine/space/footprint.h"

namespace heliolite {

Footprint::Footprint(const Workload& workload) : tensor_count_(static_cast<int>(workload.tensors.size())) {
  u8 next = 0;
  for (int v = 0; v < tensor_count_; ++v) {
    first_[v] = next;
    for (const Rank& rank : workload.tensors[v].ranks) {
      CompiledRank& out = rank_[next++];
      for (const Term& term : rank.terms) {
        out.dimension[out.count] = static_cast<u8>(term.dimension);
        out.coefficient[out.count++] = static_cast<u16>(term.coefficient);
      }
    }
  }
  first_[tensor_count_] = next;
}

void CapacityTest::add(TensorMask tensors, u64 words, const Extents& scale) {
  if (tensors != 0) limits_.push_back({words, tensors, scale != unit_extents(), scale});
}

void CapacityTest::add(const StorageLevel& level, TensorMask kept, const Extents& scale) {
  if (const auto words = level.capacity_words()) add(kept, *words, scale);
}

}  // namespace heliolite
