#pragma once
// What a proof claims, and the exact cost of a complete mapping (docs/cost_model.md, rules 18 to 28 and 44).
#include "check_proof/state.h"
namespace check_proof {
struct Cost {
  i128 energy = 0;  // in units of the instance
  u64 cycles = 0;
  Cost operator+(const Cost& more) const { return {energy + more.energy, cycles + more.cycles}; }
  bool operator==(const Cost&) const = default;
};

// What a step along a curve saves; of two steps the steeper saves more in a cycle.
inline bool is_steeper(const Cost& a, const Cost& b) {
  Big x = big(static_cast<u128>(a.energy)), y = big(static_cast<u128>(b.energy));
  multiply(x, b.cycles), multiply(y, a.cycles);
  return x > y;
}
enum Objective : u8 { kEnergy, kEdp, kEd2p, kDelay, kCurve };
inline constexpr std::array<std::string_view, 5> kObjectives = {"energy", "edp", "ed2p", "delay", "curve"};
inline constexpr std::array<const char*, 3> kUnits = {" pJ", " pJ x cycles", " pJ x cycles^2"};
inline constexpr std::array<const char*, 4> kNames = {"an energy", "an EDP", "an ED2P", "a delay"};

// What a claim is about, as a number: that of a delay or a corner has the cycles in front of the 128 bits of energy.
inline Big value_of(Objective objective, const Cost& cost) {
  Big out = big(static_cast<u128>(cost.energy));
  if (objective >= kDelay) out[1] = cost.cycles;
  for (int k = 0; k < objective && objective < kDelay; ++k) multiply(out, cost.cycles);
  return out;
}
inline std::string cost_text(const Cost& c, int unit_bits) {
  return std::to_string(c.cycles) + " cycles at " + scaled_text(value_of(kEnergy, c), unit_bits) + " pJ";
}
// No legal mapping is below a value, or below a convex curve through corners, whose first has the fewest cycles and its
// last the least energy. Closed stays closed where energy or cycles grow: all that a proof needs.
struct Claim {
  enum Kind : u8 { kOptimal, kBound, kNone };
  Kind kind = kNone;
  Objective objective = kEdp;
  Big value{};                       // of what is neither a delay, which has one corner, nor a curve
  std::vector<Cost> corners, steps;  // fewest cycles first; steps lead to the next corner
  bool operator==(const Claim&) const = default;
  // The least energy that is not below in `cycles` cycles; kInfinite: none is, at any that can be met.
  i128 least_energy(u64 cycles) const {
    if (kind == kNone) return kInfinite;
    if (objective >= kDelay) return energy_on_curve(cycles);
    Big least = value;
    for (int k = 0; k < objective; ++k)
      if (divide(least, cycles) != 0) multiply(least, 1, 1);
    if (least[0] != 0 || least[1] != 0 || least[2] >> 61 != 0) return kInfinite;
    return low(least);
  }
  bool is_closed(const Cost& cost) const { return cost.energy >= least_energy(cost.cycles); }
  // Whether mappings that cost this have what an optimum must have: the value, or each corner.
  bool is_met_by(const std::vector<Cost>& mappings) const {
    return kind != kOptimal || std::ranges::all_of(values(), [&](const Big& v) {
             return place_of(v, mappings, [&](const Cost& c) { return value_of(objective, c); }) >= 0;
           });
  }
  std::vector<Big> values() const {
    std::vector<Big> out(objective < kDelay ? 1 : 0, value);
    for (const Cost& c : corners) out.push_back(value_of(objective, c));
    return out;
  }
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
    if (objective != kCurve) lines.expect("claim", objective == kDelay ? 5 : 4);
    if (objective >= kDelay) {
      for (std::size_t k = 3; k == 3 || k < lines.count(); k += 2) out.read_corner(lines, k);
      return out;
    }
    const std::optional<Big> value = read_big(lines.word(3));
    if (!value) lines.wrong("a decimal integer below 2^256 expected");
    out.value = *value;
    return out;
  }
  // `what`: no legal mapping, or no choice of mappings.
  std::string text(int unit_bits, const std::string& what) const {
    if (kind == kNone) return "there is no legal mapping";
    const std::vector<Cost>& c = corners;
    if (objective == kCurve)
      return what + " is below the curve from " + cost_text(c.front(), unit_bits) + " to " +
             cost_text(c.back(), unit_bits) + (kind == kOptimal ? ", mappings have its " : ", of ") +
             std::to_string(c.size()) + " corners";
    const std::string least =
        objective == kDelay ? cost_text(c[0], unit_bits) : scaled_text(value, unit_bits) + kUnits[objective];
    return what + " has " + kNames[objective] + " below " + least + (kind == kOptimal ? ", the mapping has it" : "");
  }

 private:
  void read_corner(const Lines& lines, std::size_t k) {  // CYCLES ENERGY of the current line, from word k on
    const std::optional<Big> energy = read_big(lines.word(k + 1));
    if (!energy || *energy >= big(static_cast<u128>(1) << 120)) lines.wrong("an energy below 2^120 expected");
    corners.push_back({low(*energy), lines.positive(lines.word(k))});
    if (corners.size() == 1) return;
    const Cost &last = *(corners.end() - 2), &next = corners.back();
    steps.push_back({last.energy - next.energy, next.cycles - last.cycles});
    if (next.cycles <= last.cycles || next.energy >= last.energy ||
        (steps.size() > 1 && !is_steeper(*(steps.end() - 2), steps.back())))
      lines.wrong("corners expected with more cycles and less energy each, and steps less and less steep");
  }
  i128 energy_on_curve(u64 cycles) const {
    const auto next = std::ranges::upper_bound(corners, cycles, {}, &Cost::cycles);
    if (next == corners.begin()) return kInfinite;
    const Cost& last = *(next - 1);
    if (next == corners.end()) return objective == kDelay && cycles > last.cycles ? 0 : last.energy;
    const Cost& step = steps[static_cast<std::size_t>(next - corners.begin()) - 1];
    Big saved = big(static_cast<u128>(step.energy));
    multiply(saved, cycles - last.cycles), divide(saved, step.cycles);
    return last.energy - low(saved);
  }
};

// The cost of a state that is finished.
inline Cost exact_cost(const Steps& m, const State& s) {
  i128 energy = static_cast<i128>(m.in.mac) * m.in.macs, leakage = 0;
  u64 cycles = m.in.macs / s.units * m.in.point;
  u128 read_parts = 0, written_parts = 0;
  for (int i = 0; i < m.levels(); ++i) {
    const Level& level = m.in.levels[i];
    const u64 n = s.instances[i], part = static_cast<u64>(static_cast<u128>(m.in.output_words) * s.summed[i] / n);
    u128 price = 0;
    if (!level.shares) read_parts = written_parts = 0;
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
