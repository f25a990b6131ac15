#include "engine/search/cosa/mapping_program.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/space/footprint.h"

namespace heliolite {

KeepMasks usual_keep(const Mapspace& space) {
  KeepMasks out{};
  for (std::size_t i = 0; i < space.levels.size(); ++i)
    out[i] = space.levels[i].keep != 0 ? space.levels[i].keep : space.levels[i].open;
  return out;
}

Mapping MappingProgram::mapping(std::span<const double> values) const {
  const PlaceFactors factors = factors_.factors(values);
  LevelOrders orders;
  for (int i = 0; i < space().level_count(); ++i) {
    const std::vector<u8> loops = order(i, values);
    std::ranges::copy(loops, orders.loop[at(i)].begin());
    orders.count[at(i)] = static_cast<u8>(loops.size());
  }
  Mapping out;
  NestWriter(space()).write(out, factors, orders);
  std::ranges::copy(keep_, out.keep.begin());
  return out;
}

Extents MappingProgram::tile(const PlaceFactors& factors, int i) const {
  Extents out = unit_extents();
  for (int j = 0; j <= i; ++j)
    for (const int d : bits(space().non_unit)) {
      const PlaceFactor& spatial = factors[at(place_of(j, true))][at(d)];
      out[at(d)] *= spatial.x * spatial.y * factors[at(place_of(j, false))][at(d)].x;
    }
  return out;
}

}  // namespace heliolite
