#include "engine/search/network/within_limits.h"

#include <algorithm>

namespace heliolite {
namespace {

// What rounding may do to a point between two corners.
constexpr double kOnAnEdge = 1 - 1e-12;

// Energy on the line through two corners.
double energy_at(const LimitedPoint& a, const LimitedPoint& b, double cycles) {
  return b.energy_pj + (a.energy_pj - b.energy_pj) * ((b.cycles - cycles) / (b.cycles - a.cycles));
}

// The fewest cycles from which on energy - slope x cycles is at most `most` on or above the chain, which is level after
// its last corner; kNever: nowhere.
double first_below(const std::vector<LimitedPoint>& corners, double slope, double most) {
  const auto excess = [&](const LimitedPoint& p) { return p.energy_pj - slope * p.cycles - most; };
  if (excess(corners.front()) <= 0) return corners.front().cycles;
  for (std::size_t k = 1; k < corners.size(); ++k) {
    const LimitedPoint &a = corners[k - 1], &b = corners[k];
    if (excess(b) > 0) continue;
    return a.cycles + (b.cycles - a.cycles) * (excess(a) / (excess(a) - excess(b)));
  }
  return slope > 0 ? (corners.back().energy_pj - most) / slope : kNever;
}

}  // namespace

std::vector<LimitedPoint> corners_of_sum(const std::vector<CostChain>& chains, const std::vector<double>& runs,
                                         Objective objective) {
  std::vector<LimitedPoint> out;
  for_each_corner_of_sum(chains, runs, [&](const CostPoint& p, const std::vector<std::size_t>&) {
    const double pj = static_cast<double>(p.energy) / Energy::kUnitsPerPicojoule;
    const double cycles = static_cast<double>(p.cycles);
    out.push_back({pj, cycles, objective_number(objective, pj, cycles)});
  });
  return out;
}

std::optional<std::size_t> best_corner(const std::vector<LimitedPoint>& corners, const CostLimits& limits) {
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < corners.size(); ++k)
    if (limits.meets(corners[k].energy_pj, corners[k].cycles) && (!best || corners[k].value < corners[*best].value))
      best = k;
  return best;
}

// Step 1. The cycles that the limits leave: from some on, for energy falls along the chain, to some. Step 2. The
// objective is quasi-concave, so on each edge its least is at an end of what is left of it.
std::optional<LimitedPoint> least_within(const std::vector<LimitedPoint>& corners, Objective objective,
                                         const CostLimits& limits) {
  const double least_cycles = corners.front().cycles;
  const double by_energy =
      limits.energy_pj < kNever ? first_below(corners, 0, limits.energy_pj * CostLimits::kSame) : least_cycles;
  const double by_power =
      limits.pj_per_cycle < kNever ? first_below(corners, limits.pj_per_cycle * CostLimits::kSame, 0) : least_cycles;
  const double from = std::max({least_cycles, by_energy, by_power}) * kOnAnEdge;
  const double to = limits.cycles * CostLimits::kSame;
  if (!(from <= to)) return std::nullopt;
  std::optional<LimitedPoint> best;
  const auto consider = [&](double energy_pj, double cycles) {
    const double value = objective_number(objective, energy_pj, cycles) * kOnAnEdge;
    if (!best || value < best->value) best = {energy_pj, cycles, value};
  };
  if (from >= corners.back().cycles) consider(corners.back().energy_pj, from);
  if (from <= least_cycles) consider(corners.front().energy_pj, from);
  for (std::size_t k = 0; k < corners.size(); ++k) {
    if (corners[k].cycles >= from && corners[k].cycles <= to) consider(corners[k].energy_pj, corners[k].cycles);
    if (k == 0) continue;
    for (const double cycles : {from, to})
      if (cycles > corners[k - 1].cycles && cycles < corners[k].cycles)
        consider(energy_at(corners[k - 1], corners[k], cycles), cycles);
  }
  return best;
}

}  // namespace heliolite
