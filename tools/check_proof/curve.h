#pragma once
// Costs, and the convex curves of energy and cycles that no mapping is below.
#include "check_proof/text.h"

namespace check_proof {
struct Cost {
  i128 energy = 0;  // in units of the instance
  u64 cycles = 0;
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
  // The least energy on it or above it in so many cycles; kInfinite: there is none.
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
}  // namespace check_proof
