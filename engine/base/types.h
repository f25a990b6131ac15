#pragma once
// The integer types used everywhere, and the sizes that fix the capacity of inline arrays.
#include <cmath>
#include <compare>
#include <cstdint>

namespace heliolite {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
__extension__ using u128 = unsigned __int128;

// Readers refuse files that exceed these limits and name them; inside, arrays of these sizes never overflow.
inline constexpr int kMaxDimensions = 12;
inline constexpr int kMaxTensors = 8;
inline constexpr int kMaxRanks = 8;    // of one tensor
inline constexpr int kMaxTerms = 4;    // of one rank
inline constexpr int kMaxLevels = 10;  // storage levels of an architecture
inline constexpr int kMaxLoops = 64;   // non-unit loops of one mapping

inline constexpr u64 kMaxDimensionSize = 0x7fff'ffff;   // 2^31 - 1
inline constexpr u64 kMaxCoefficient = 0xffff;          // stride, dilation
inline constexpr u64 kMaxMacs = 4'000'000'000'000'000;  // counts stay exact in doubles (2^53) and in 64 bits

using TensorMask = u8;      // bit v: tensor v
using DimensionMask = u16;  // bit d: dimension d

// Energies as fixed-point integers, so that every sum is exact and does not depend on its order.

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
