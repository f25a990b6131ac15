#pragma once
// From factors, loop orders and what is kept to a mapping.
#include <array>
#include <vector>

#include "engine/model/mapping.h"
#include "engine/space/splits.h"

namespace heliolite {

// Loops over time of each level, innermost first; those of one iteration may be left in.
struct LevelOrders {
  std::array<std::array<u8, kMaxDimensions>, kMaxLevels> loop{};
  std::array<u8, kMaxLevels> count{};
};

class NestWriter {
 public:
  explicit NestWriter(const Mapspace& space);

  // The loops of a tiling; `out` keeps its keep choices. Spatial loops stand in declaration order, behind those the
  // machine puts innermost: their order changes nothing but the hops of multicasts, and Timeloop's files fix it.
  void write(Mapping& out, const Tiling& tiling, const LevelOrders& orders) const;

  // The level's loops of more than one iteration in declaration order, behind those the machine orders. Returns how
  // many the machine orders.
  std::size_t present(const Tiling& tiling, int level, LevelOrders& orders) const;

  // Whether the fan-outs have room for the tiling's spatial factors.
  bool fits_fanouts(const Tiling& tiling) const;

 private:
  const Mapspace& space_;
  std::vector<std::vector<u8>> spatial_order_, temporal_order_;  // by level; dimensions of size above 1
};

}  // namespace heliolite
