#pragma once
// Makes a mapping of factors, loop orders and keep choices.
#include <array>
#include <vector>

#include "engine/model/mapping.h"
#include "engine/space/splits.h"

namespace heliolite {

// The temporal loops of each level; loops of one iteration may be among them.
struct LevelOrders {
  std::array<std::array<u8, kMaxDimensions>, kMaxLevels> loop{};  // [level]: dimensions, innermost first
  std::array<u8, kMaxLevels> count{};                             // [level]: number of loops
};

// Writes mappings of one mapspace, which must outlive it.
class NestWriter {
 public:
  explicit NestWriter(const Mapspace& space);

  // Writes the loops of a tiling into `out` and leaves its keep choices as they are. Spatial loops stand in declaration
  // order, outside those that the machine puts innermost: their order changes nothing but the hops of multicasts, and
  // Timeloop's files fix it.
  void write(Mapping& out, const PlaceFactors& tiling, const LevelOrders& orders) const;

  // Writes the level's loops of more than one iteration into `orders`: innermost those that the machine orders, the
  // others in declaration order. Returns how many the machine orders.
  std::size_t present(const PlaceFactors& tiling, int level, LevelOrders& orders) const;

  // Whether the fan-outs have room for the tiling's spatial factors.
  bool fits_fanouts(const PlaceFactors& tiling) const;

 private:
  const Mapspace& space_;
  std::vector<std::vector<u8>> spatial_order_, temporal_order_;  // [level]: dimensions of size above 1
};

}  // namespace heliolite
