#include "engine/space/footprint.h"

namespace heliolite {

Footprint::Footprint(const Workload& workload)
    : tensor_count_(static_cast<int>(workload.tensors.size())), bits_(value_bits(workload)) {
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

void CapacityTest::add(TensorMask tensors, u64 parts, const Extents& scale, const ValueParts& each) {
  if (tensors != 0) limits_.push_back({parts, tensors, each.of, scale != unit_extents(), scale});
}

void CapacityTest::add(const StorageLevel& level, TensorMask kept, const Extents& scale) {
  const auto words = level.capacity_words();
  if (!words) return;
  const ValueParts parts = footprint_->parts(level);
  add(kept, *words * parts.of_word, scale, parts);
}

}  // namespace heliolite
