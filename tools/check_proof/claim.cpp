#include "check_proof/claim.h"

#include <algorithm>

namespace check_proof {
namespace {

constexpr std::array<std::string_view, 4> kObjectives = {"energy", "delay", "edp", "ed2p"};
constexpr std::array<std::string_view, 4> kNames = {"energy", "delay", "EDP", "ED2P"};
constexpr std::array<std::string_view, 4> kUnits = {" pJ", " cycles", " pJ x cycles", " pJ x cycles^2"};

std::string in_units(Objective objective, const U256& value, int unit_bits) {
  const std::string text = scaled_text(value, objective == Objective::Delay ? 0 : unit_bits);
  return text + std::string(kUnits[int(objective)]);
}

// Accesses for so many words, of one instance.
u128 accesses(const Level& level, const Prices& p, u64 words) {
  return level.block == 1 ? words : ceil_div(static_cast<u128>(words) * p.parts, level.block);
}

}  // namespace

bool Claim::closed(const Cost& cost) const {
  if (kind == ClaimKind::None) return false;
  const U256 reached = value_of(objective, cost);
  if (objective != Objective::Delay || reached != value) return reached >= value;
  return U256(static_cast<u128>(cost.energy)) >= second;
}

bool Claim::is_reached_by(const Cost& cost) const {
  return value_of(objective, cost) == value &&
         (objective != Objective::Delay || U256(static_cast<u128>(cost.energy)) == second);
}

Claim read_claim(const Lines& lines) {
  Claim out;
  if (lines.word(0) != "claim") lines.wrong("'claim' expected");
  if (lines.count() == 2 && lines.word(1) == "none") return out;
  if (lines.word(1) == "optimal") out.kind = ClaimKind::Optimal;
  else if (lines.word(1) == "bound") out.kind = ClaimKind::Bound;
  else lines.wrong("'optimal', 'bound' or 'none' expected");
  const auto found = std::ranges::find(kObjectives, lines.word(2));
  if (found == kObjectives.end()) lines.wrong("'energy', 'delay', 'edp' or 'ed2p' expected");
  out.objective = static_cast<Objective>(found - kObjectives.begin());
  lines.expect(out.objective == Objective::Delay ? 5 : 4);
  const auto value = [&](std::size_t k) {
    const std::optional<U256> v = read_u256(lines.word(k));
    if (!v) lines.wrong("a decimal integer below 2^256 expected");
    return *v;
  };
  out.value = value(3);
  if (out.objective == Objective::Delay) out.second = value(4);
  return out;
}

U256 value_of(Objective objective, const Cost& cost) {
  if (objective == Objective::Delay) return U256(cost.cycles);
  const U256 energy(static_cast<u128>(cost.energy));
  if (objective == Objective::Energy) return energy;
  const U256 product = energy.times(cost.cycles);
  return objective == Objective::Edp ? product : product.times(cost.cycles);
}

std::string value_text(Objective objective, const Cost& cost, int unit_bits) {
  const std::string out = in_units(objective, value_of(objective, cost), unit_bits);
  if (objective != Objective::Delay) return out;
  return out + " and " + in_units(Objective::Energy, value_of(Objective::Energy, cost), unit_bits);
}

std::string claim_text(const Claim& claim, int unit_bits) {
  if (claim.kind == ClaimKind::None) return "there is no legal mapping";
  std::string out = claim.objective == Objective::Energy || claim.objective == Objective::Delay
                        ? "no legal mapping has "
                        : "no legal mapping has an ";
  out += kNames[int(claim.objective)];
  out += " below " + in_units(claim.objective, claim.value, unit_bits);
  if (claim.objective == Objective::Delay)
    out += ", or as much and less energy than " + in_units(Objective::Energy, claim.second, unit_bits);
  return claim.kind == ClaimKind::Optimal ? out + ", the mapping has it" : out;
}

Cost exact_cost(const Machine& m, const State& s) {
  const Instance& instance = m.instance();
  i128 energy = static_cast<i128>(instance.mac) * instance.macs + s.network / static_cast<i128>(instance.scale);
  i128 leakage = 0;
  u64 cycles = instance.macs / s.units;
  for (int i = 0; i < m.levels(); ++i) {
    const Level& level = m.level(i);
    const u64 n = s.instances[i], part = static_cast<u64>(static_cast<u128>(instance.output_words) * s.summed[i] / n);
    const bool is_top = i == m.levels() - 1;
    u128 read_parts = 0, written_parts = 0, price = 0;
    for (int v = 0; v < m.tensors(); ++v) {
      const Count& count = s.count[i][v];
      if (count.accesses == 0) continue;  // every word that a level holds is asked for
      const Prices& p = level.of[v];
      const bool is_output = m.tensor(v).is_output;
      const u64 asked = count.accesses / n, arrived = count.fills / n;
      const u64 reads = is_output ? std::max(asked, part) - part : asked;
      const u64 fills = is_top ? 0 : is_output ? std::max(arrived, part) - part : arrived;
      const u64 updates = is_output ? asked : 0;
      price += p.read * accesses(level, p, reads) + p.fill * accesses(level, p, fills) +
               p.update * accesses(level, p, updates) +
               static_cast<u128>(p.address) * (is_output ? updates + fills : reads + fills);
      read_parts += static_cast<u128>(reads) * p.parts;
      written_parts += static_cast<u128>(fills + updates) * p.parts;
    }
    energy += static_cast<i128>(price * std::min(n, level.clusters));
    leakage += static_cast<i128>(static_cast<u128>(level.leak) * n);
    for (const Rate& r : level.rates) {
      const u128 parts = (r.kind == 'w' ? 0 : read_parts) + (r.kind == 'r' ? 0 : written_parts);
      cycles = std::max(cycles, static_cast<u64>(ceil_div(parts * r.cycles, r.parts)));
    }
  }
  return {energy + leakage * static_cast<i128>(cycles), cycles};
}

}  // namespace check_proof
