#include "engine/space/reuse.h"

#include <bit>

namespace heliolite {

DimensionMask non_unit_dimensions(const Workload& workload) {
  DimensionMask mask = 0;
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
    if (workload.dimensions[d].size > 1) mask = static_cast<DimensionMask>(mask | 1u << d);
  return mask;
}

ReuseTable infer_reuse(const Workload& workload, UnitDimensions unit) {
  ReuseTable table;
  table.tensor_count = static_cast<u8>(workload.tensors.size());
  table.dimension_count = static_cast<u8>(workload.dimensions.size());
  table.dimensions = unit == UnitDimensions::Skip ? non_unit_dimensions(workload)
                                                  : static_cast<DimensionMask>((1u << table.dimension_count) - 1);
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    unsigned indexing = 0, sliding = 0;
    for (const Rank& rank : workload.tensors[v].ranks) {
      unsigned in_rank = 0;
      for (const Term& term : rank.terms) in_rank |= 1u << term.dimension;
      in_rank &= table.dimensions;
      indexing |= in_rank;
      if (std::popcount(in_rank) > 1) sliding |= in_rank;
    }
    TensorReuse& reuse = table.tensor[v];
    reuse.full = static_cast<DimensionMask>(table.dimensions & ~indexing);
    reuse.partial = static_cast<DimensionMask>(sliding);
    reuse.none = static_cast<DimensionMask>(indexing & ~sliding);
  }
  return table;
}

}  // namespace heliolite
