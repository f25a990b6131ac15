#pragma once
// The largest values that readers and check() accept; products of them fit 64-bit integers inside the cost model.
#include "engine/base/types.h"

namespace heliolite {

inline constexpr u64 kMaxEntries = u64{1} << 50;  // words of one instance
inline constexpr u64 kMaxBlockWords = 65536;
inline constexpr u64 kMaxClusterSize = 65536;
inline constexpr u64 kMaxFanout = 1'000'000;       // along one axis
inline constexpr u64 kMaxInstances = 0x7fff'ffff;  // of a level, in the whole machine
inline constexpr double kMaxMultipleBuffering = 1024;
inline constexpr double kMaxBandwidth = 1e12;  // words per cycle
inline constexpr double kMinBandwidth = 1e-6;
inline constexpr double kMaxAreaUm2 = 1e12;  // of one instance

// The value of a factor that is to be as large as there is room for ("K=max", "R*S=max"): FactorConstraint::value.
inline constexpr u64 kLargestFactor = ~u64{0};

}  // namespace heliolite
