#pragma once
// Integer tiles of a convolution with two windows on a machine with a scratchpad for image and filter and an
// accumulator for outputs (GEMMINI). Source: Dinh, Optimization-Based Mappers and Lower Bounds for Tensor
// Problems, 4.3.2; its footprint of the image is (w + r')(h + s') r'' s'' a channel and image, r' = ceil(R / stride).
#include <array>
#include <optional>

#include "engine/bounds/conv/conv_bound.h"

namespace heliolite {

// Words that a tile may take: half of each memory when it is double-buffered.
struct ScratchpadMachine {
  u64 scratchpad = 131072;
  u64 accumulator = 8192;
};

// The extents of a tile.
struct IntegerConvTile {
  u64 batch = 1, in_channels = 1, out_channels = 1;
  std::array<u64, 2> outputs{1, 1}, quotients{1, 1}, remainders{1, 1};  // (w, h), (r', s'), (r'', s'')
  std::array<u64, 2> taps{1, 1};  // r' r'' and s' s'', of which at most R and S exist

  u64 volume() const;  // iterations
  u64 image_words() const;
  u64 filter_words() const;
  u64 out_words() const;
};

// The tile of most iterations; nothing when not even one iteration fits.
std::optional<IntegerConvTile> largest_integer_tile(const Convolution& conv, const ScratchpadMachine& machine);

// The tile that the vendor's library takes: from the whole convolution the largest extent is cut, channels by a side of
// the array of units, until both memories have room, then all extents grow in turn as long as they have. Memories are
// counted in rows of `kArraySide` words (tile_rows()). Nothing when not even one iteration fits. Source: the tiler of
// convolutions in GEMMINI's C library (repository gemmini-rocc-tests), without pooling.
inline constexpr u64 kArraySide = 16;
std::optional<IntegerConvTile> vendor_tile(const Convolution& conv, const ScratchpadMachine& machine);

// Rows that a tile takes in the scratchpad and in the accumulator, as the library counts them.
struct TileRows {
  u64 scratchpad = 0, accumulator = 0;
};
TileRows tile_rows(const Convolution& conv, const IntegerConvTile& tile);

// What the source takes for communication: rows of both memories, over all tiles (volumes are not rounded up).
double allocated_rows(const Convolution& conv, const IntegerConvTile& tile);

// The tile with whole filters that loads the fewest words of image and filter when outputs stay in the accumulator
// until they are done; edges count as whole tiles. Channels are streamed one by one.
struct OutputStationaryTile {
  IntegerConvTile tile;
  u64 loads = 0;  // words of image and filter over the whole convolution
};
std::optional<OutputStationaryTile> least_loads_tile(const Convolution& conv, const ScratchpadMachine& machine);

}  // namespace heliolite
