#include "engine/search/network/layer_hull.h"

#include <algorithm>
#include <cmath>
#include <iterator>
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
    while (!out.slope.empty() && slope_between(out.corner.back(), p) >= out.slope.back())
      out.corner.pop_back(), out.mapping.pop_back(), out.slope.pop_back();
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

namespace {

// A value this much lower is lower: sums of doubles are not exact.
constexpr double kLower = 1 - 1e-12;

// The exchanges of corners of a few layers.
class Exchanges {
 public:
  Exchanges(const std::vector<std::vector<LimitedPoint>>& layers, Objective objective, const CostLimits& limits)
      : layers_(layers), objective_(objective), limits_(limits) {}

  // The value of a choice; kNever: it does not keep to the limits.
  double value(const CornerChoice& choice) const { return value(sum_of(choice)); }

  // Takes the exchange of the corners of one layer, or of two, that lowers the value most. False: none does.
  bool improve(CornerChoice& choice) const {
    const Sum now = sum_of(choice);
    double least = value(now) * kLower;
    CornerChoice best;
    for (std::size_t a = 0; a < layers_.size(); ++a)
      for (std::size_t i = 0; i < layers_[a].size(); ++i) {
        const Sum first = exchanged(now, a, choice[a], i);
        consider(choice, first, {a, i, a, i}, least, best);
        for (std::size_t b = a + 1; b < layers_.size() && i != choice[a]; ++b)
          for (std::size_t j = 0; j < layers_[b].size(); ++j)
            consider(choice, exchanged(first, b, choice[b], j), {a, i, b, j}, least, best);
      }
    if (best.empty()) return false;
    choice = std::move(best);
    return true;
  }

 private:
  struct Sum {
    double energy_pj = 0, cycles = 0;
  };
  // Corner i of layer a, corner j of layer b.
  struct Exchange {
    std::size_t a, i, b, j;
  };

  double value(const Sum& s) const {
    return limits_.meets(s.energy_pj, s.cycles) ? objective_number(objective_, s.energy_pj, s.cycles) : kNever;
  }

  Sum sum_of(const CornerChoice& choice) const {
    Sum out;
    for (std::size_t l = 0; l < choice.size(); ++l)
      out.energy_pj += layers_[l][choice[l]].energy_pj, out.cycles += layers_[l][choice[l]].cycles;
    return out;
  }

  Sum exchanged(const Sum& s, std::size_t layer, std::size_t from, std::size_t to) const {
    const LimitedPoint &old = layers_[layer][from], &now = layers_[layer][to];
    return {s.energy_pj + (now.energy_pj - old.energy_pj), s.cycles + (now.cycles - old.cycles)};
  }

  void consider(const CornerChoice& choice, const Sum& sum, const Exchange& by, double& least,
                CornerChoice& best) const {
    if (value(sum) >= least) return;
    least = value(sum);
    best = choice;
    best[by.a] = by.i, best[by.b] = by.j;
  }

  const std::vector<std::vector<LimitedPoint>>& layers_;
  Objective objective_;
  const CostLimits& limits_;
};

}  // namespace

std::optional<CornerChoice> choose_within(const std::vector<std::vector<LimitedPoint>>& layers,
                                          const std::vector<CornerChoice>& corners, Objective objective,
                                          const CostLimits& limits) {
  const Exchanges exchanges(layers, objective, limits);
  std::optional<CornerChoice> best;
  double least = kNever;
  // Step 1. The best corner.
  for (const CornerChoice& corner : corners)
    if (const double value = exchanges.value(corner); value < least) least = value, best = corner;
  // Step 2. Where none keeps to the limits, one that is two layers away may.
  for (std::size_t k = 0; k < corners.size() && !best; ++k)
    if (CornerChoice near = corners[k]; exchanges.improve(near)) best = near;
  // Step 3. Exchanges as long as they help.
  while (best && exchanges.improve(*best)) continue;
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

namespace {

// This part of what is between the top of an edge and the best answer may be missing below the top.
constexpr double kBelowTop = 0.1;
constexpr int kHalvings = 40;

// An edge from the least corner, along which the value rises to a top.
struct ChainEdge {
  LimitedPoint near_top;  // the first point where the top is nearly reached
  double top;             // at most the value of the best answer
};

ChainEdge edge_to(const LimitedPoint& end, const LimitedPoint& corner, Objective objective, double best) {
  const auto point = [&](double part) {
    LimitedPoint p{corner.energy_pj + part * (end.energy_pj - corner.energy_pj),
                   corner.cycles + part * (end.cycles - corner.cycles)};
    p.value = objective_number(objective, p.energy_pj, p.cycles);
    return p;
  };
  // Step 1. The top: where energy x cycles_power = slope x cycles, or the end.
  double to = 1;
  if (const double cycles = end.cycles - corner.cycles, energy = corner.energy_pj - end.energy_pj;
      cycles != 0 && energy != 0) {
    const double power = info(objective).cycles_power, slope = energy / cycles;
    const double top = power * (corner.energy_pj + slope * corner.cycles) / ((1 + power) * slope);
    to = std::clamp((top - corner.cycles) / cycles, 0.0, 1.0);
  }
  const double most = std::min(point(to).value, best);
  // Step 2. Nearly there.
  const double enough = most - kBelowTop * (best - most);
  if (corner.value >= enough) return {corner, most};
  double from = 0;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = (from + to) / 2;
    (point(middle).value < enough ? from : to) = middle;
  }
  return {point(to), most};
}

}  // namespace

double CornerLift::sum_pj(double lambda) const {
  return std::max(fewer_cycles.energy_pj + lambda * fewer_cycles.cycles,
                  less_energy.energy_pj + lambda * less_energy.cycles);
}

std::optional<CornerLift> lift_of_least(const CostChain& chain, Objective objective, double best) {
  const std::vector<LimitedPoint> corners = corners_of_sum({chain}, {1}, objective);
  const auto least = std::ranges::min_element(corners, {}, &LimitedPoint::value);
  if (least->value >= best) return std::nullopt;
  // Beyond the ends of the chain there are as many cycles, or as much energy, as it takes to be as dear as the best.
  LimitedPoint before = *least, after = *least;
  before.energy_pj *= best / least->value;
  after.cycles *= std::pow(best / least->value, 1.0 / info(objective).cycles_power);
  const bool is_first = least == corners.begin(), is_last = std::next(least) == corners.end();
  const ChainEdge a = edge_to(is_first ? before : *std::prev(least), *least, objective, best),
                  b = edge_to(is_last ? after : *std::next(least), *least, objective, best);
  CornerLift out{a.near_top, b.near_top};
  const auto number = static_cast<std::size_t>(least - corners.begin());
  if (!is_first && a.near_top == *least) out.edges_first.push_back(chain.slope[number - 1]);
  if (!is_last && b.near_top == *least) out.edges_first.push_back(chain.slope[number]);
  if (out.edges_first.size() == 2 && b.top < a.top) std::swap(out.edges_first[0], out.edges_first[1]);
  return out;
}

}  // namespace heliolite
