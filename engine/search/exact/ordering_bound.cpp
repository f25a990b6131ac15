#include "engine/search/exact/ordering_bound.h"

#include <algorithm>
#include <limits>

#include "engine/base/integers.h"

namespace heliolite {

double ordering_bound(std::span<const BoundFlow> flows, const std::array<double, kMaxDimensions>& n,
                      DimensionMask present) {
  const unsigned all = (1u << flows.size()) - 1;
  std::array<double, 1u << kMaxBoundFlows> best;
  best[0] = 0;
  for (unsigned open = 1; open <= all; ++open) {
    unsigned relevant = 0;
    for (const int f : bits(open)) relevant |= flows[f].relevant;
    double reuse = 1;  // loops that move nothing still in place
    for (const int d : bits(present & ~relevant)) reuse *= n[d];
    const double scale = 1 / reuse;
    relevant &= present;
    if (relevant == 0) {
      double sum = 0;
      for (const int f : bits(open)) {
        const BoundFlow& flow = flows[f];
        sum += std::max(flow.unreused * scale, flow.once);
      }
      best[open] = sum;
      continue;
    }
    double least = std::numeric_limits<double>::infinity();
    for (const int d : bits(relevant)) {
      double sum = 0;
      unsigned stays = open;
      for (const int f : bits(open)) {
        const BoundFlow& flow = flows[f];
        if (!contains(flow.relevant, d)) continue;
        const double fetched = flow.halo != nullptr ? flow.unreused * flow.halo[d] : flow.unreused;
        sum += std::max(fetched * scale, flow.once);
        stays &= ~(1u << f);
      }
      least = std::min(least, sum + best[stays]);
    }
    best[open] = least;
  }
  return best[all];
}

void BoundFlows::append(const BoundFlow& other) {
  for (std::size_t k = 0; k < count && other.halo == nullptr; ++k)
    if (flow[k].relevant == other.relevant && flow[k].halo == nullptr) {
      flow[k].unreused += other.unreused;
      flow[k].once += other.once;
      return;
    }
  if (count < flow.size()) flow[count++] = other;
}

double BoundFlows::least(const std::array<double, kMaxDimensions>& n, DimensionMask present) const {
  return count == 0 ? 0 : ordering_bound({flow.data(), std::min<std::size_t>(count, kMaxBoundFlows)}, n, present);
}

double BoundFlows::least(const std::array<double, kMaxDimensions>& n, DimensionMask present,
                         DimensionMask first) const {
  const double any = least(n, present);
  if (first == 0) return any;
  double least_first = std::numeric_limits<double>::infinity();
  for (const int c : bits(first)) {
    double sum = 0;
    for (std::size_t f = 0; f < count; ++f) {
      const BoundFlow& own = flow[f];
      const double moved = contains(own.relevant, c) ? own.unreused * (own.halo != nullptr ? own.halo[c] : 1) : 0;
      sum += std::max(own.once, moved);
    }
    least_first = std::min(least_first, sum);
  }
  return std::max(any, least_first);
}

}  // namespace heliolite
