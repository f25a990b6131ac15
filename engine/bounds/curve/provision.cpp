#include "engine/bounds/curve/provision.h"

#include <algorithm>

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

std::vector<ProvisionPoint> provision_line(const Chip& chip, u64 macs, std::span<const CurveStep> curve) {
  const double peak = chip.area_um2 / chip.mac_um2 * chip.hertz;  // with no buffer
  std::vector<ProvisionPoint> line;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const double share = static_cast<double>(curve[i].buffer) * chip.word_um2 / chip.area_um2;
    if (share >= 1) break;
    const double fed = chip.words_per_second * intensity(macs, curve[i].accesses),
                 end = i + 1 == curve.size()
                           ? 1.0
                           : std::min(1.0, static_cast<double>(curve[i + 1].buffer) * chip.word_um2 / chip.area_um2);
    line.push_back({share, std::min(fed, (1 - share) * peak)});
    const double starved_until = 1 - fed / peak;  // from there on the units are the limit
    if (starved_until > share && starved_until < end) line.push_back({starved_until, fed});
    line.push_back({end, std::min(fed, (1 - end) * peak)});
  }
  return line;
}

Provision best_provision(std::span<const Provision> all) {
  Provision best;
  for (const Provision& p : all)
    if (p.macs_per_second > best.macs_per_second) best = p;
  return best;
}

}  // namespace heliolite
