#include "engine/search/certify/incumbent.h"

#include <cmath>

#include "engine/search/core/compulsory.h"

namespace heliolite {

ObjectiveKey objective_key(Objective objective, double energy_units, double cycles) {
  if (energy_units >= kImpossible) return {};
  const double whole = whole_cycles(cycles);
  if (info(objective).energy_power == 0) return {whole, energy_units};
  return {objective_units(objective, energy_units, whole), 0};
}

ObjectiveKey key_of_number(Objective objective, double number) {
  if (std::isinf(number)) return {};
  return {info(objective).energy_power == 0 ? number : number / Energy{1}.picojoules(), 0};
}

double key_number(Objective objective, const ObjectiveKey& key) {
  return info(objective).energy_power == 0 ? key.first : Energy{1}.picojoules() * key.first;
}

namespace {

// Sums of doubles are not exact; bounds this close to the incumbent count as equal to it.
constexpr double kEqual = 1 - 1e-12;

}  // namespace

bool Incumbent::cuts(const ObjectiveKey& bound) const {
  if (info(objective_).energy_power != 0) return bound.first >= best_.first * kEqual;
  return bound.first > best_.first || (bound.first == best_.first && bound.second >= best_.second * kEqual);
}

double Incumbent::energy_limit(double cycles) const {
  const double whole = whole_cycles(std::max(cycles, aim_.least_cycles));
  if (aim_.list_within && !may_be_within({0, whole})) return 0;
  if (info(objective_).energy_power == 0) {
    if (whole > best_.first) return 0;
    return whole == best_.first ? best_.second * kEqual : std::numeric_limits<double>::infinity();
  }
  const double most = best_.first * kEqual;
  return objective_.is_sum() ? std::max(0.0, most - objective_.lambda() * whole)
                             : most / objective_units(objective_, 1, whole);
}

u64 Incumbent::most_cycles(Energy least) const {
  u64 few = 0, too_many = u64{1} << 62;
  if (!cuts(Cost{least, too_many})) return ~u64{0};
  while (too_many - few > 1) {
    const u64 cycles = few + (too_many - few) / 2;
    (cuts(Cost{least, cycles}) ? too_many : few) = cycles;
  }
  return few;
}

bool Incumbent::may_be_within(const CostBound& bound) const {
  return bound.energy * kEqual <= aim_.list_within->energy && whole_cycles(bound.cycles) <= aim_.list_within->cycles;
}

// The first in canonical order stays of mappings that cost the same.
bool Incumbent::list(const Mapping& mapping, const Cost& cost) {
  const CostBound units{static_cast<double>(cost.energy.units), static_cast<double>(cost.cycles)};
  if (!may_be_within(units) || !(objective_key(objective_, cost) < best_)) return false;
  const auto as_good = [](const PricedMapping& a, const Cost& b) {
    return a.cost.cycles <= b.cycles && a.cost.energy <= b.energy;
  };
  const auto at =
      std::ranges::lower_bound(listed_, cost.cycles, {}, [](const PricedMapping& m) { return m.cost.cycles; });
  if (at != listed_.end() && at->cost == cost) {
    if (mapping < at->mapping) at->mapping = mapping;
    return false;
  }
  if (at != listed_.begin() && as_good(*std::prev(at), cost)) return false;
  if (at != listed_.end() && as_good(*at, cost)) return false;
  auto end = at;
  while (end != listed_.end() && as_good({mapping, cost}, end->cost)) ++end;
  listed_.insert(listed_.erase(at, end), {mapping, cost});
  return true;
}

bool Incumbent::offer(const Mapping& mapping, const Cost& cost, u32 machine) {
  if (aim_.list_within) {
    if (!list(mapping, cost)) return false;
    answer_.offer(objective_, mapping, cost, machine);
    return true;
  }
  if (!answer_.offer(objective_, mapping, cost, machine)) return false;
  best_ = std::min(best_, aimed(objective_key(objective_, cost)));
  return true;
}

void Incumbent::offer(const Incumbent& other) {
  if (aim_.list_within) {
    for (const PricedMapping& m : other.listed_) offer(m.mapping, m.cost, other.answer_.machine);
    return;
  }
  if (other.found()) offer(other.answer_.mapping, other.answer_.cost, other.answer_.machine);
}

LayerAnswer Certificate::answer(const Incumbent& incumbent, const SearchStatistics& statistics) const {
  LayerAnswer out = incumbent.answer();
  out.listed = incumbent.listed();
  out.statistics = statistics;
  out.complete = complete;
  out.end = end;
  out.lower_bound = lower_bound;
  return out;
}

}  // namespace heliolite
