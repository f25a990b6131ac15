#pragma once
// The orders of the loops over tiles, and the sizes of tiles, that can matter between one buffer and the backing
// store.
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/types.h"
#include "engine/bounds/curve/orojenesis_tensor.h"

namespace heliolite {

// The orders of the loops over tiles that can matter between one buffer and the store outside. Unlike those of
// engine/space/order_trie.h they keep apart what the cost model tells apart in sliding tensors: overlaps that reappear
// at loops further out. Proof: docs/rules/orojenesis.md.

// Which words count as shared between tiles, beyond those of neighbours along the innermost loop that moves the tensor.
enum class Overlaps : u8 {
  Neighbours,  // nothing
  Model,       // what the cost model finds at loops further out
  Executed,    // whatever is still in the buffer when a loop wraps around
};

// What a loop order lets one tensor reuse.
struct BufferReuse {
  DimensionMask inside = 0;  // loops within the innermost one that indexes the tensor: it stays where it is
  // A tensor that is not plain: the loops from the innermost indexing one on, as far as they decide what is shared.
  u8 run_count = 0;
  std::array<u8, kMaxDimensions> run{};
  bool may_return = false;  // a loop of the run further out may bring the tile back to words it has just left

  // Whether the tensor moves at most as many words as with `other`.
  bool covers(const BufferReuse& other) const;
};

// A loop order.
struct BufferOrder {
  u8 count = 0;                                  // loops
  std::array<u8, kMaxDimensions> loop{};         // innermost first; those that no longer matter in canonical order
  std::array<BufferReuse, kMaxTensors> reuse{};  // [tensor]
};

// The orders of the loops over the dimensions `loops` that can matter to the tensors `kept` by the buffer. `shapes`: of
// all tensors. None if there are more than kMaxBufferOrders.
std::optional<std::vector<BufferOrder>> buffer_orders(std::span<const TensorShape> shapes, TensorMask kept,
                                                      DimensionMask loops, Overlaps overlaps);

inline constexpr std::size_t kMaxBufferOrders = 1000;

// The sizes of a tile along one dimension that can matter.

// Which sizes are listed.
enum class TileSizes : u8 {
  Divisors,  // those that divide the size
  Least,     // the least size for every number of tiles, about 2 sqrt(size) of them: a larger one takes more room
  All,
};

// The sizes of tiles of a dimension of `size`, ascending, 1 and `size` included.
std::vector<u64> tile_sizes(u64 size, TileSizes which);

}  // namespace heliolite
