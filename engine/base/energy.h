#pragma once
// Energies as fixed-point integers, so that every sum is exact and does not depend on its order.
#include <cmath>
#include <compare>

#include "engine/base/types.h"

namespace heliolite {

// Unit: 2^-32 pJ. An access of 0.05 pJ is resolved to 5e-9 relative; 1e15 MACs of 1e9 pJ each stay below 2^113.
struct Energy {
  u128 units = 0;

  static constexpr double kUnitsPerPicojoule = 4294967296.0;

  static Energy from_picojoules(double pj) { return {static_cast<u128>(std::llround(pj * kUnitsPerPicojoule))}; }
  double picojoules() const { return static_cast<double>(units) / kUnitsPerPicojoule; }

  friend constexpr Energy operator+(Energy a, Energy b) { return {a.units + b.units}; }
  friend constexpr Energy operator*(Energy a, u64 n) { return {a.units * n}; }
  constexpr Energy& operator+=(Energy b) {
    units += b.units;
    return *this;
  }
  friend constexpr auto operator<=>(Energy, Energy) = default;
};

// Largest energy of one access a reader accepts, in pJ: from_picojoules() stays within 63 bits. (A buffer of 2^41
// words costs 5e7 pJ an access by Timeloop's own rule.)
inline constexpr double kMaxAccessPicojoules = 1e9;

}  // namespace heliolite
