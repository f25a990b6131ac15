#include "engine/bounds/network/network_interior.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "workloads/edge_words.h"

namespace heliolite {

std::optional<Workload> interior_workload(const Workload& workload, int operand, u64 words) {
  const DimensionMask in_output = workload.indexing(workload.output());
  const std::vector<Rank>& ranks = workload.tensors[at(operand)].ranks;
  Workload inside = workload;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    u128 rest = 1;  // words of one position of the rank, at most
    for (std::size_t k = 0; k < ranks.size(); ++k)
      if (k != r && rest < words) rest *= read_width(workload, ranks[k]).most;
    const auto width = static_cast<u64>((words + rest - 1) / rest);
    const u64 extent = rank_size(workload, ranks[r]);
    if (width >= extent) continue;
    const Term* pixel = nullptr;
    u64 window = extent;
    for (const Term& term : ranks[r].terms) {
      const u64 size = workload.dimensions[at(term.dimension)].size;
      if (!contains(in_output, term.dimension) || size == 1) continue;
      if (pixel != nullptr) return std::nullopt;
      pixel = &term;
      window -= term.coefficient * (size - 1);
    }
    // Of the positions at which a window may begin, every `coefficient`th is one.
    if (pixel == nullptr || width < window) return std::nullopt;
    const u64 windows = (width - window + 1) / pixel->coefficient;
    if (windows == 0) return std::nullopt;
    u64& size = inside.dimensions[at(pixel->dimension)].size;
    size = std::min(size, windows);
  }
  return inside;
}

}  // namespace heliolite
