#include "engine/bounds/curve/provision.h"

namespace heliolite {

std::vector<Provision> provisions(const Chip& chip, u64 macs, std::span<const CurveStep> curve) {
  std::vector<Provision> all;
  for (const CurveStep& step : curve) {
    const double share = static_cast<double>(step.buffer) * chip.word_um2 / chip.area_um2;
    if (share >= 1) break;
    const double units = (1 - share) * chip.area_um2 / chip.mac_um2;
    const double rate = attainable(units * chip.hertz, chip.words_per_second, intensity(macs, step.accesses));
    all.push_back({step.buffer, share, units, rate});
  }
  return all;
}

Provision best_provision(std::span<const Provision> all) {
  Provision best;
  for (const Provision& p : all)
    if (p.macs_per_second > best.macs_per_second) best = p;
  return best;
}

}  // namespace heliolite
