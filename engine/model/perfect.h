#pragma once
// The closed form of perfect mappings, once their loops are read (nest.h).
#include <array>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/nest.h"

namespace heliolite {

// What a mapping costs.
struct Cost {
  Energy energy;   // of the whole run, all instances together
  u64 cycles = 0;  // of the whole run
  auto operator<=>(const Cost&) const = default;
};

// Why a mapping cannot run. Rejection is a value: searches count it, the command line prints it.
// IdleUnits: it uses fewer compute units than the machine's constraints ask for, which searches look at.
enum class Verdict : u8 { Fits, OverCapacity, OverFanoutX, OverFanoutY, IdleUnits };

// The answer to: does the mapping fit, and what does it cost?
struct Evaluation {
  Verdict verdict = Verdict::Fits;
  u8 level = 0;  // where it does not fit
  Cost cost;     // zero unless it fits
};

// [level]: tensors that it keeps.
using KeepMasks = std::array<TensorMask, kMaxLevels>;

// Whether a perfect mapping fits (rules 5, 44), and its cost if it does (rules 16 to 28). `outside`: where the tiles of
// each level stand (rule 42). Allocates nothing but for networks and links.
Evaluation evaluate_perfect(const Compiled& c, const Nest& nest, const KeepMasks& keep,
                            const StoreDepths& outside = kEven);

}  // namespace heliolite
