#pragma once
// What a proof claims, and the exact cost of a complete mapping (docs/cost_model.md, rules 18 to 28 and 44).
#include "check_proof/state.h"
namespace check_proof {
struct Cost {
  i128 energy = 0;  // in units of the instance
  u64 cycles = 0;
  Cost operator+(const Cost& more) const { return {energy + more.energy, cycles + more.cycles}; }
};

// What a step along a curve saves; of two steps the steeper saves more in a cycle.
inline bool is_steeper(const Cost& a, const Cost& b) {
  Big x = big(static_cast<u128>(a.energy)), y = big(static_cast<u128>(b.energy));
  multiply(x, b.cycles), multiply(y, a.cycles);
  return x > y;
}
struct Curve {
  std::vector<Cost> corners, steps;  // fewest cycles first; steps lead to the next corner
  // The corners CYCLES ENERGY of the current line, from word k on.
  static Curve read(const Lines& lines, std::size_t k) {
    Curve out;
    for (; k < lines.count(); k += 2) {
      const u64 cycles = lines.positive(lines.word(k));
      const std::optional<Big> energy = read_big(lines.word(k + 1));
      if (!energy || *energy >= big(static_cast<u128>(1) << 120)) lines.wrong("an energy below 2^120 expected");
      const Cost corner{low(*energy), cycles};
      if (!out.corners.empty()) {
        const Cost &last = out.corners.back(), step{last.energy - corner.energy, cycles - last.cycles};
        if (cycles <= last.cycles || step.energy <= 0 || (!out.steps.empty() && !is_steeper(out.steps.back(), step)))
          lines.wrong("corners expected with more cycles and less energy each, and steps less and less steep");
        out.steps.push_back(step);
      }
      out.corners.push_back(corner);
    }
    if (out.corners.empty()) lines.wrong("cycles and energy of each corner expected");
    return out;
  }
  // The least energy on it or above it in `cycles` cycles; kInfinite: there is none.
  i128 least_energy(u64 cycles) const {
    const auto next = std::ranges::upper_bound(corners, cycles, {}, &Cost::cycles);
    if (next == corners.begin()) return kInfinite;
    if (next == corners.end()) return corners.back().energy;
    const Cost &last = *(next - 1), &step = steps[static_cast<std::size_t>(next - corners.begin()) - 1];
    Big saved = big(static_cast<u128>(step.energy));
    multiply(saved, cycles - last.cycles), divide(saved, step.cycles);
    return last.energy - low(saved);
  }
};
enum Objective : u8 { kEnergy, kEdp, kEd2p, kDelay, kCurve };
inline constexpr std::array<std::string_view, 5> kObjectives = {"energy", "edp", "ed2p", "delay", "curve"};
inline constexpr std::array<const char*, 4> kUnits = {" pJ", " pJ x cycles", " pJ x cycles^2", " cycles at "};
inline constexpr std::array<const char*, 4> kNames = {"an energy", "an EDP", "an ED2P", "a delay"};
using Value = std::pair<Big, Big>;  // of delays and corners of curves cycles and energy, of others one number

inline Value value_of(Objective objective, const Cost& cost) {
  Big out = big(static_cast<u128>(cost.energy));
  if (objective >= kDelay) return {big(cost.cycles), out};
  if (objective != kEnergy) multiply(out, cost.cycles);
  if (objective == kEd2p) multiply(out, cost.cycles);
  return {out, Big{}};
}
// In pJ and cycles.
inline std::string value_text(Objective objective, const Value& value, int unit_bits) {
  if (objective < kDelay) return scaled_text(value.first, unit_bits) + kUnits[objective];
  return text_of(value.first) + kUnits[kDelay] + scaled_text(value.second, unit_bits) + " pJ";
}
// No legal mapping is below the value. Closed stays closed where energy or cycles grow: all that a proof needs.
struct Claim {
  enum Kind : u8 { kOptimal, kBound, kNone };
  Kind kind = kNone;
  Objective objective = kEdp;
  Value value;
  Curve curve;  // instead
  // The least energy that is not below the value in `cycles` cycles; kInfinite: none is, at any that can be met.
  i128 least_energy(u64 cycles) const {
    if (kind == kNone) return kInfinite;
    if (objective == kCurve) return curve.least_energy(cycles);
    Big least = value.first;
    if (objective == kDelay) {
      if (big(cycles) != value.first) return big(cycles) > value.first ? 0 : kInfinite;
      least = value.second;
    }
    const int times = objective == kEdp ? 1 : objective == kEd2p ? 2 : 0;
    for (int k = 0; k < times; ++k)
      if (divide(least, cycles) != 0) multiply(least, 1, 1);
    if (least[0] != 0 || least[1] != 0 || least[2] >> 61 != 0) return kInfinite;
    return low(least);
  }
  // The values that mappings must have: the claim's, or each corner's.
  std::vector<Value> met() const {
    if (kind != kOptimal || objective != kCurve) return std::vector<Value>(kind == kOptimal ? 1 : 0, value);
    std::vector<Value> out;
    for (const Cost& c : curve.corners) out.push_back(value_of(kCurve, c));
    return out;
  }
  bool is_closed(const Cost& cost) const { return cost.energy >= least_energy(cost.cycles); }
  // `claim optimal edp VALUE` and its like.
  static Claim read(const Lines& lines) {
    Claim out;
    lines.expect("claim", lines.word(1) == "none" ? 2 : 0);
    if (lines.word(1) == "none") return out;
    if (lines.word(1) != "optimal" && lines.word(1) != "bound") lines.wrong("'optimal', 'bound' or 'none' expected");
    out.kind = lines.word(1) == "optimal" ? kOptimal : kBound;
    const int objective = place_of(lines.word(2), kObjectives);
    if (objective < 0) lines.wrong("'energy', 'delay', 'edp', 'ed2p' or 'curve' expected");
    out.objective = static_cast<Objective>(objective);
    if (out.objective == kCurve) return out.curve = Curve::read(lines, 3), out;
    lines.expect("claim", out.objective == kDelay ? 5 : 4);
    const std::optional<Big> first = read_big(lines.word(3)), second = read_big(lines.word(lines.count() - 1));
    if (!first || !second) lines.wrong("a decimal integer below 2^256 expected");
    out.value = {*first, out.objective == kDelay ? *second : Big{}};
    return out;
  }
  // `what`: no legal mapping, or no choice of mappings.
  std::string text(int unit_bits, const std::string& what) const {
    if (kind == kNone) return "there is no legal mapping";
    if (objective != kCurve)
      return what + " has " + kNames[objective] + " below " + value_text(objective, value, unit_bits) +
             (kind == kOptimal ? ", the mapping has it" : "");
    const std::vector<Cost>& c = curve.corners;
    return what + " is below the curve from " + value_text(kCurve, value_of(kCurve, c.front()), unit_bits) + " to " +
           value_text(kCurve, value_of(kCurve, c.back()), unit_bits) +
           (kind == kOptimal ? ", mappings have its " : ", of ") + std::to_string(c.size()) + " corners";
  }
};

// The cost of a state that is finished.
inline Cost exact_cost(const Steps& m, const State& s) {
  i128 energy = static_cast<i128>(m.in.mac) * m.in.macs, leakage = 0;
  u64 cycles = m.in.macs / s.units * m.in.point;
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
