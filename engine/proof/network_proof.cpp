#include "engine/proof/network_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

#include "engine/proof/claim.h"

namespace heliolite::proof {
namespace {

using Wide256 = boost::multiprecision::uint256_t;

constexpr int kEnergyBits = 112, kCycleBits = 54;  // that the checker takes

// The cost of all the shape's runs, in the network's unit; none: it is too large.
std::optional<ExactCost> times(const ExactCost& cost, const ProvenShape& shape, int unit_bits) {
  const Wide256 energy = (Wide256(cost.energy) << (unit_bits - shape.report.unit_bits)) * shape.runs;
  const Wide256 cycles = Wide256(cost.cycles) * shape.runs;
  if ((energy >> kEnergyBits) != 0 || (cycles >> kCycleBits) != 0) return std::nullopt;
  return ExactCost{static_cast<u128>(energy), static_cast<u64>(cycles)};
}

bool is_steeper(const ExactCost& a, const ExactCost& b) {
  return Wide256(a.energy) * b.cycles > Wide256(b.energy) * a.cycles;
}

// The corners of the sum of the shapes' curves, which has the steps of all, steepest first. Empty: they are too large.
std::vector<ExactCost> corners_of_sum(const std::vector<ProvenShape>& shapes, int unit_bits) {
  ExactCost sum;
  std::vector<ExactCost> steps;
  for (const ProvenShape& shape : shapes) {
    std::optional<ExactCost> last;
    for (const ExactCost& corner : shape.report.corners) {
      const std::optional<ExactCost> next = times(corner, shape, unit_bits);
      if (!next) return {};
      if (last) steps.push_back({last->energy - next->energy, next->cycles - last->cycles});
      else sum.energy += next->energy, sum.cycles += next->cycles;
      last = next;
    }
  }
  std::ranges::stable_sort(steps, is_steeper);
  std::vector<ExactCost> out{sum};
  for (std::size_t k = 0; k < steps.size(); ++k) {
    sum.energy -= steps[k].energy, sum.cycles += steps[k].cycles;
    // Between two equal steps there is no corner.
    if (k > 0 && !is_steeper(steps[k - 1], steps[k])) out.back() = sum;
    else out.push_back(sum);
  }
  return out;
}

bool is_less(Objective objective, const ExactCost& a, const ExactCost& b) {
  const auto value = [&](const ExactCost& c) {
    Wide256 out = Wide256(c.energy);
    if (objective.kind() == Objective::Delay) return Wide256(c.cycles);
    if (objective.kind() != Objective::Energy) out *= c.cycles;
    if (objective.kind() == Objective::Ed2p) out *= c.cycles;
    return out;
  };
  return value(a) < value(b);
}

// What the network costs with the mappings that the shapes' proofs choose, or at the least corner. None: too large.
std::optional<ExactCost> best_of(const std::vector<ProvenShape>& shapes, const std::vector<ExactCost>& corners,
                                 Objective objective, int unit_bits) {
  if (std::ranges::none_of(shapes, [](const ProvenShape& s) { return s.report.chosen.has_value(); }))
    return *std::ranges::min_element(corners,
                                     [&](const ExactCost& a, const ExactCost& b) { return is_less(objective, a, b); });
  ExactCost out;
  for (const ProvenShape& shape : shapes) {
    const std::optional<ExactCost> part = times(*shape.report.chosen, shape, unit_bits);
    if (!part) return std::nullopt;
    out.energy += part->energy, out.cycles += part->cycles;
  }
  return out;
}

}  // namespace

std::optional<NetworkProof> network_proof(const std::vector<ProvenShape>& shapes, std::optional<Objective> objective) {
  int unit_bits = 0;
  for (const ProvenShape& shape : shapes) unit_bits = std::max(unit_bits, shape.report.unit_bits);
  const std::vector<ExactCost> corners = corners_of_sum(shapes, unit_bits);
  if (corners.empty()) return std::nullopt;
  const std::optional<ExactCost> best = objective ? best_of(shapes, corners, *objective, unit_bits) : corners.front();
  if (!best) return std::nullopt;
  const std::optional<Claim> claim =
      objective ? Claim::of(*objective, best->energy, best->cycles, 1) : Claim::of_curve(corners, 1);
  if (!claim) return std::nullopt;
  NetworkProof out;
  out.is_closed = std::ranges::all_of(corners, [&](const ExactCost& c) { return claim->closed(c.energy, c.cycles); });
  out.claim = claim->text();
  out.head = fmt::format("heliolite-network 1\nunit {}\nclaim optimal {}\nlayers", unit_bits, out.claim);
  for (const ProvenShape& shape : shapes) out.head += fmt::format(" {}", shape.runs);
  out.head += "\n";
  const int shift = 32 - unit_bits;
  out.cost = {Energy{shift >= 0 ? best->energy << shift : best->energy >> -shift}, best->cycles};
  return out;
}

}  // namespace heliolite::proof
