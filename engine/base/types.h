#pragma once
// The integer types used everywhere, and the sizes that fix the capacity of inline arrays.
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

}  // namespace heliolite
