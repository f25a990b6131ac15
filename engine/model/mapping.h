#pragma once
// A mapping is its loop nest: the non-unit loops, innermost first, and which level keeps which tensor.
#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <span>
#include <type_traits>

#include "engine/base/integers.h"
#include "engine/base/types.h"

namespace heliolite {

// Loops of one level in nest order: X loops innermost, then Y, then temporal. The spatial loops of level i are
// the fan-out below it.
enum class LoopKind : u8 { SpatialX, SpatialY, Temporal };

// One loop with more than one iteration.
struct Loop {
  u32 end = 1;       // iterations
  u32 residual = 1;  // iterations when every outer loop of the dimension is in its last; = end when perfect
  u8 dimension = 0;
  u8 level = 0;
  LoopKind kind = LoopKind::Temporal;

  bool is_spatial() const { return kind != LoopKind::Temporal; }
  bool is_perfect() const { return residual == end; }
  auto operator<=>(const Loop&) const = default;
};

// [level]: tensors that it keeps.
using KeepMasks = std::array<TensorMask, kMaxLevels>;

// [level][tensor]: how many temporal loops of the level, its outermost ones, stand outside the tile that it keeps of
// the tensor. All are 0 in an even mapping, where the tiles of a level end at the same loop.
using StoreDepths = std::array<std::array<u8, kMaxTensors>, kMaxLevels>;
inline constexpr StoreDepths kEven{};

// A whole mapping. What it must obey to be priced, well_formed() in mapping_check.h says.
struct Mapping {
  std::array<Loop, kMaxLoops> loop{};         // [0, loop_count): innermost first, sorted by (level, kind)
  std::array<TensorMask, kMaxLevels> keep{};  // bit v of keep[i]: level i keeps tensor v
  StoreDepths outside{};
  std::array<TensorMask, kMaxLevels> no_peers{};  // tensors that peers below the level do not pass on
  u8 loop_count = 0;
  u8 level_count = 0;

  std::span<const Loop> loops() const { return {loop.data(), loop_count}; }
  bool keeps(int level, int tensor) const { return contains(keep[level], tensor); }
  bool is_perfect() const {
    u32 difference = 0;  // no early exit: almost every mapping asked about is perfect
    for (const Loop& l : loops()) difference |= l.end ^ l.residual;
    return difference == 0;
  }
  bool is_even() const {
    u64 any = 0;  // no early exit: almost every mapping asked about is even
    for (const auto& level : outside) any |= std::bit_cast<u64>(level);
    return any == 0;
  }
  // Compute units that it uses: the product of the spatial factors.
  u64 units() const {
    u64 product = 1;
    for (const Loop& l : loops())
      if (l.is_spatial()) product = saturating_product(product, l.end);
    return product;
  }
  bool allows_all_peers() const {
    return std::ranges::all_of(no_peers, [](TensorMask tensors) { return tensors == 0; });
  }
  // What the levels keep, and no loops.
  Mapping without_loops() const {
    Mapping out;
    out.level_count = level_count;
    out.keep = keep;
    return out;
  }
  // Appends a loop; unit loops are dropped. Callers append in nest order.
  void add(LoopKind kind, int level, int dimension, u64 end, u64 residual) {
    if (end <= 1) return;
    loop[loop_count++] = {static_cast<u32>(end), static_cast<u32>(residual), static_cast<u8>(dimension),
                          static_cast<u8>(level), kind};
  }
  void add(LoopKind kind, int level, int dimension, u64 end) { add(kind, level, dimension, end, end); }

  auto operator<=>(const Mapping&) const = default;  // also the canonical tie-break
};
static_assert(std::is_trivially_copyable_v<Mapping>);

}  // namespace heliolite
