#pragma once
// What the engine relies on in an architecture, wherever that comes from: the largest values, and checks.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "arch/architecture.h"
#include "engine/base/result.h"
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

// The text for Diagnostic::field of a complaint about a part of a level: "level 'Buf', keep".
std::string level_field(std::string_view level, std::string_view part);

// Gives the place for a complaint about a level, or about kWholeMachine or kComputeUnits: a diagnostic with file, line
// and field filled in.
using PlaceOf = std::function<Diagnostic(int level)>;
inline constexpr int kWholeMachine = -1;
inline constexpr int kComputeUnits = -2;

// What is wrong with the architecture; empty if nothing. It must have 1 .. kMaxLevels levels with unique names; sizes
// within the limits above; instances and meshes that follow from the fan-outs; clusters that divide the instances;
// energies from 0 to kMaxAccessPicojoules; an outermost level that refuses no tensor; constraints that something can
// satisfy.
Diagnostics check(const Architecture& architecture);
Diagnostics check(const Architecture& architecture, const PlaceOf& place_of);

// A note on prices that counting energies in whole units (engine/base/types.h) changes by more than a ten-thousandth,
// with what each becomes; none: there are no such prices.
std::optional<std::string> rounded_prices(const Architecture& architecture);

}  // namespace heliolite
