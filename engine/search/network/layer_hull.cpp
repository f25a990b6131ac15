#include "engine/search/network/layer_hull.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace heliolite {
namespace {

CostPoint point_of(const Cost& cost) {
  // Energies have up to 103 bits, cycles 64.
  const auto wide = [](u128 x) {
    return Wide(static_cast<u64>(x >> 64)) * Wide(18446744073709551616.0) + Wide(static_cast<u64>(x));
  };
  return {wide(cost.energy.units), Wide(cost.cycles)};
}

double slope_between(const CostPoint& a, const CostPoint& b) {
  return static_cast<double>((a.energy - b.energy) / (b.cycles - a.cycles));
}

}  // namespace

std::size_t LayerHull::add_mapping(const Cost& cost) {
  const auto same = std::ranges::find(known_, cost);
  if (same != known_.end()) return static_cast<std::size_t>(same - known_.begin());
  known_.push_back(cost);
  return known_.size() - 1;
}

void LayerHull::add_line(double lambda, const Wide& value) {
  const auto place = std::ranges::find_if(lines_, [&](const Line& line) { return line.lambda <= lambda; });
  if (place != lines_.end() && place->lambda == lambda) place->value = std::max(place->value, value);
  else lines_.insert(place, {lambda, value});
}

Wide LayerHull::value_at(std::size_t mapping, double lambda) const {
  const CostPoint p = point_of(known_[mapping]);
  return p.energy + Wide(lambda) * p.cycles;
}

std::size_t LayerHull::best_at(double lambda) const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < known_.size(); ++k)
    if (value_at(k, lambda) < value_at(best, lambda)) best = k;
  return best;
}

Wide LayerHull::open_at(double lambda) const {
  const CostChain chain = lower();
  Wide least = chain.corner.front().energy + Wide(lambda) * chain.corner.front().cycles;
  for (const CostPoint& p : chain.corner) least = std::min<Wide>(least, p.energy + Wide(lambda) * p.cycles);
  return std::max<Wide>(0, value_at(best_at(lambda), lambda) - least);
}

CostChain LayerHull::upper() const {
  std::vector<std::size_t> order(known_.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(known_[a].cycles, known_[a].energy) < std::pair(known_[b].cycles, known_[b].energy);
  });
  CostChain out;
  for (const std::size_t k : order) {
    const CostPoint p = point_of(known_[k]);
    if (!out.corner.empty() && p.energy >= out.corner.back().energy) continue;
    // A corner that is not below the way past it is none.
    while (!out.slope.empty() && slope_between(out.corner.back(), p) >= out.slope.back()) {
      out.corner.pop_back(), out.mapping.pop_back(), out.slope.pop_back();
    }
    if (!out.corner.empty()) out.slope.push_back(slope_between(out.corner.back(), p));
    out.corner.push_back(p), out.mapping.push_back(k);
  }
  return out;
}

// The highest of all lines from the least cycles on, the level one of the least energy among them: each line, steepest
// first, begins where it crosses the one before it, which is no part of the chain if that is before its own beginning.
CostChain LayerHull::lower() const {
  const CostPoint least = point_of(least_);
  const auto energy_on = [](const Line& line, const Wide& cycles) {
    return Wide(line.value - Wide(line.lambda) * cycles);
  };
  const auto crossing = [&](const Line& a, const Line& b) {
    const Wide cycles = (a.value - b.value) / (Wide(a.lambda) - Wide(b.lambda));
    return CostPoint{energy_on(b, cycles), cycles};
  };
  std::vector<Line> part;
  std::vector<CostPoint> corner;  // [k]: where line k of `part` begins
  std::vector<Line> all = lines_;
  if (all.empty() || all.back().lambda > 0) all.push_back({0, least.energy});
  else all.back().value = std::max(all.back().value, least.energy);
  for (const Line& line : all) {
    CostPoint begin;
    while (true) {
      begin = part.empty() ? CostPoint{energy_on(line, least.cycles), least.cycles} : crossing(part.back(), line);
      if (part.empty() || begin.cycles > corner.back().cycles) break;
      part.pop_back(), corner.pop_back();
    }
    part.push_back(line), corner.push_back(begin);
  }
  CostChain out;
  for (std::size_t k = 0; k + 1 < part.size(); ++k) out.slope.push_back(part[k].lambda);
  out.corner = std::move(corner);
  return out;
}

}  // namespace heliolite
