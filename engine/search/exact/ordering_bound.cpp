#include "engine/search/exact/ordering_bound.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace heliolite {

double ordering_bound(std::span<const BoundFlow> flows, const std::array<double, kMaxDimensions>& n,
                      DimensionMask present) {
  const unsigned all = (1u << flows.size()) - 1;
  std::array<double, 1u << kMaxBoundFlows> best;
  best[0] = 0;
  for (unsigned open = 1; open <= all; ++open) {
    unsigned relevant = 0;
    for (unsigned left = open; left != 0; left &= left - 1) relevant |= flows[std::countr_zero(left)].relevant;
    double reuse = 1;  // loops that move nothing still in place
    for (unsigned left = present & ~relevant; left != 0; left &= left - 1) reuse *= n[std::countr_zero(left)];
    const double scale = 1 / reuse;
    relevant &= present;
    if (relevant == 0) {
      double sum = 0;
      for (unsigned left = open; left != 0; left &= left - 1) {
        const BoundFlow& flow = flows[std::countr_zero(left)];
        sum += std::max(flow.unreused * scale, flow.once);
      }
      best[open] = sum;
      continue;
    }
    double least = std::numeric_limits<double>::infinity();
    for (; relevant != 0; relevant &= relevant - 1) {
      const int d = std::countr_zero(relevant);
      double sum = 0;
      unsigned stays = open;
      for (unsigned left = open; left != 0; left &= left - 1) {
        const int k = std::countr_zero(left);
        const BoundFlow& flow = flows[k];
        if (!(flow.relevant >> d & 1)) continue;
        const double fetched = flow.halo != nullptr ? flow.unreused * flow.halo[d] : flow.unreused;
        sum += std::max(fetched * scale, flow.once);
        stays &= ~(1u << k);
      }
      least = std::min(least, sum + best[stays]);
    }
    best[open] = least;
  }
  return best[all];
}

}  // namespace heliolite
