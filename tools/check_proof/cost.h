#pragma once
// What a proof claims, and the exact cost of a complete mapping (docs/cost_model.md, rules 18 to 28 and 44).
#include "check_proof/state.h"

namespace check_proof {
struct Cost {
  i128 energy = 0;  // in units of the instance
  u64 cycles = 0;
};

enum Objective : u8 { kEnergy, kDelay, kEdp, kEd2p };
inline constexpr std::array<std::string_view, 4> kObjectives = {"energy", "delay", "edp", "ed2p"};
inline constexpr std::array<const char*, 4> kUnits = {" pJ", " cycles", " pJ x cycles", " pJ x cycles^2"};
inline constexpr std::array<const char*, 4> kNames = {"an energy", "a delay", "an EDP", "an ED2P"};

// The value of a cost; of delay also its energy, which tells costs of the same cycles apart.
inline std::pair<Big, Big> value_of(Objective objective, const Cost& cost) {
  const Big energy = big(static_cast<u128>(cost.energy));
  if (objective == kDelay) return {big(cost.cycles), energy};
  Big out = energy;
  if (objective != kEnergy) multiply(out, cost.cycles);
  if (objective == kEd2p) multiply(out, cost.cycles);
  return {out, Big{}};
}

// In pJ and cycles.
inline std::string value_text(Objective objective, const std::pair<Big, Big>& value, int unit_bits) {
  if (objective != kDelay) return scaled_text(value.first, unit_bits) + kUnits[objective];
  return text_of(value.first) + " cycles at " + scaled_text(value.second, unit_bits) + " pJ";
}

// No legal mapping is below the value. Closed stays closed where energy or cycles grow: all that a proof needs.
struct Claim {
  enum Kind : u8 { kOptimal, kBound, kNone };
  Kind kind = kNone;
  Objective objective = kEdp;
  std::pair<Big, Big> value;
  // The least energy that is not below the value in so many cycles; kInfinite: none is, at any that can be met.
  i128 least_energy(u64 cycles) const {
    if (kind == kNone) return kInfinite;
    Big least = value.first;
    if (objective == kDelay) {
      if (big(cycles) != value.first) return big(cycles) > value.first ? 0 : kInfinite;
      least = value.second;
    }
    const int times = objective == kEdp ? 1 : objective == kEd2p ? 2 : 0;
    for (int k = 0; k < times; ++k)
      if (divide(least, cycles) != 0) multiply(least, 1, 1);
    if (least[0] != 0 || least[1] != 0 || least[2] >> 61 != 0) return kInfinite;
    return static_cast<i128>(static_cast<u128>(least[2]) << 64 | least[3]);
  }
  bool is_closed(const Cost& cost) const { return cost.energy >= least_energy(cost.cycles); }
  // `claim optimal edp VALUE` and its like.
  static Claim read(const Lines& lines) {
    Claim out;
    lines.expect("claim", lines.count() == 2 ? 2 : lines.word(2) == "delay" ? 5 : 4);
    if (lines.word(1) == "none" && lines.count() == 2) return out;
    if (lines.word(1) != "optimal" && lines.word(1) != "bound") lines.wrong("'optimal', 'bound' or 'none' expected");
    out.kind = lines.word(1) == "optimal" ? kOptimal : kBound;
    const int objective = place_of(lines.word(2), kObjectives);
    if (objective < 0) lines.wrong("'energy', 'delay', 'edp' or 'ed2p' expected");
    out.objective = static_cast<Objective>(objective);
    const std::optional<Big> first = read_big(lines.word(3)), second = read_big(lines.word(lines.count() - 1));
    if (!first || !second) lines.wrong("a decimal integer below 2^256 expected");
    out.value = {*first, lines.count() == 5 ? *second : Big{}};
    return out;
  }

  std::string text(int unit_bits) const {
    if (kind == kNone) return "there is no legal mapping";
    return std::string("no legal mapping has ") + kNames[objective] + " below " +
           value_text(objective, value, unit_bits) + (kind == kOptimal ? ", the mapping has it" : "");
  }
};

// Of a state that is finished.
inline Cost exact_cost(const Steps& m, const State& s) {
  i128 energy = static_cast<i128>(m.in.mac) * m.in.macs, leakage = 0;
  u64 cycles = m.in.macs / s.units;
  for (int i = 0; i < m.levels(); ++i) {
    const Level& level = m.in.levels[i];
    const u64 n = s.instances[i], part = static_cast<u64>(static_cast<u128>(m.in.output_words) * s.summed[i] / n);
    u128 read_parts = 0, written_parts = 0, price = 0;
    for (int v = 0; v < m.tensors(); ++v) {
      const Prices& p = level.of[v];
      energy += static_cast<i128>(p[kIngress]) * s.count[m.slot(kEntered, i, v)];
      energy += static_cast<i128>(p[kHop] / 2) * s.count[m.slot(kHopped, i, v)];
      const u64 asked = s.count[m.slot(kAsked, i, v)] / n, arrived = s.count[m.slot(kArrived, i, v)] / n;
      if (asked == 0) continue;  // every word that a level holds is asked for
      // Nothing is read or filled for the first time that a word of the output is written.
      const u64 first = v == m.in.output ? part : 0, reads = std::max(asked, first) - first;
      const u64 updates = v == m.in.output ? asked : 0, fills = m.is_top(i) ? 0 : std::max(arrived, first) - first;
      const auto accesses = [&](u64 words) {
        return level.block == 1 ? words : ceil_div(static_cast<u128>(words) * p[kParts], level.block);
      };
      price += p[kRead] * accesses(reads) + p[kFill] * accesses(fills) + p[kUpdate] * accesses(updates) +
               static_cast<u128>(p[kAddress]) * ((v == m.in.output ? updates : reads) + fills);
      read_parts += static_cast<u128>(reads) * p[kParts];
      written_parts += static_cast<u128>(fills + updates) * p[kParts];
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
