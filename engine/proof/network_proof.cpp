#include "engine/proof/network_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

#include "engine/proof/claim.h"

namespace heliolite::proof {
namespace {

using Wide256 = boost::multiprecision::uint256_t;

bool is_steeper(const ExactCost& a, const ExactCost& b) {
  return Wide256(a.energy) * b.cycles > Wide256(b.energy) * a.cycles;
}

// The corners of the sum of the shapes' curves, which has the steps of all, steepest first. Empty: they are too large.
std::vector<ExactCost> corners_of_sum(const std::vector<ProvenShape>& shapes, int unit_bits) {
  constexpr int kEnergyBits = 112, kCycleBits = 54;
  ExactCost sum;
  std::vector<ExactCost> steps;
  for (const ProvenShape& shape : shapes) {
    const std::vector<ExactCost>& corners = shape.report.corners;
    const Wide256 factor = Wide256(shape.runs) << (unit_bits - shape.report.unit_bits);
    if (((Wide256(corners.front().energy) * factor) >> kEnergyBits) != 0) return {};
    if (((Wide256(corners.back().cycles) * shape.runs) >> kCycleBits) != 0) return {};
    const auto times = [&](u128 energy, u64 cycles) {
      return ExactCost{static_cast<u128>(Wide256(energy) * factor), cycles * shape.runs};
    };
    const ExactCost first = times(corners.front().energy, corners.front().cycles);
    sum.energy += first.energy, sum.cycles += first.cycles;
    for (std::size_t k = 1; k < corners.size(); ++k)
      steps.push_back(times(corners[k - 1].energy - corners[k].energy, corners[k].cycles - corners[k - 1].cycles));
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

}  // namespace

std::optional<NetworkProof> network_proof(const std::vector<ProvenShape>& shapes, std::optional<Objective> objective) {
  int unit_bits = 0;
  for (const ProvenShape& shape : shapes) unit_bits = std::max(unit_bits, shape.report.unit_bits);
  const std::vector<ExactCost> corners = corners_of_sum(shapes, unit_bits);
  if (corners.empty()) return std::nullopt;
  ExactCost best = corners.front();
  for (const ExactCost& c : corners)
    if (objective && is_less(*objective, c, best)) best = c;
  const std::optional<Claim> claim =
      objective ? Claim::of(*objective, best.energy, best.cycles, 1) : Claim::of_curve(corners, 1);
  if (!claim) return std::nullopt;
  NetworkProof out;
  out.claim = claim->text();
  out.head = fmt::format("heliolite-network 1\nunit {}\nclaim optimal {}\nlayers", unit_bits, out.claim);
  for (const ProvenShape& shape : shapes) out.head += fmt::format(" {}", shape.runs);
  out.head += "\n";
  const int shift = 32 - unit_bits;
  out.cost = {Energy{shift >= 0 ? best.energy << shift : best.energy >> -shift}, best.cycles};
  return out;
}

}  // namespace heliolite::proof
