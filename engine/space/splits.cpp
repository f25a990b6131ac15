#include "engine/space/splits.h"

namespace heliolite {

namespace {

// ceil(n / k) for all k, ascending: rounding up twice is rounding up once.
std::vector<u32> rounded_quotients(u32 n) {
  std::vector<u32> out{1};
  for (u32 value = 1; value < n;) {
    const u32 k = (n - 1) / value;  // the largest k whose quotient is above `value`
    value = (n - 1) / k + 1;
    out.push_back(value);
  }
  return out;
}

}  // namespace

Splits::Splits(const Mapspace& space, bool imperfect) : space_(space), imperfect_(imperfect) {
  for (int d = 0; d < space.dimension_count; ++d) {
    const auto size = static_cast<u32>(space.size[d]);
    OfDimension& mine = dimension_.emplace_back();
    mine.table = DivisorTable(size);
    if (imperfect) mine.lefts = rounded_quotients(size);
    else mine.lefts.assign(mine.table.all().begin(), mine.table.all().end());
    count(d);
  }
}

void Splits::count(int d) {
  OfDimension& mine = dimension_[d];
  mine.ways.assign(at(place_count()), std::vector<u128>(mine.lefts.size(), 0));
  for (int p = place_count(); p-- > 0;)
    for (std::size_t k = 0; k < mine.lefts.size(); ++k)
      for_each_choice(d, p, mine.lefts[k], [&](const FactorRun& run) {
        mine.ways[p][k] += ways(d, p + 1, run.left) * (run.last - run.first + 1);
        return true;
      });
}

NestWriter::NestWriter(const Mapspace& space) : space_(space) {
  for (const LevelSpace& level : space.levels) {
    spatial_order_.push_back(canonical_order(space, level.spatial.order));
    temporal_order_.push_back(canonical_order(space, level.temporal.order));
  }
}

void NestWriter::write(Mapping& out, const PlaceFactors& tiling, const LevelOrders& orders) const {
  std::array<u64, kMaxDimensions> left = space_.size;
  out.level_count = static_cast<u8>(space_.level_count());
  out.loop_count = 0;
  const auto add = [&](LoopKind kind, int level, u8 d, u32 end) {
    if (end == 1) return;
    out.add(kind, level, d, end, (left[d] - 1) % end + 1);
    left[d] = (left[d] - 1) / end + 1;
  };
  for (int i = 0; i < space_.level_count(); ++i) {
    const auto level = at(i);
    const auto& spatial = tiling[place_of(i, true)];
    const auto& temporal = tiling[place_of(i, false)];
    if (space_.levels[level].spatial.exists()) {
      for (u8 d : spatial_order_[level]) add(LoopKind::SpatialX, i, d, spatial[d].x);
      for (u8 d : spatial_order_[level]) add(LoopKind::SpatialY, i, d, spatial[d].y);
    }
    for (u8 k = 0; k < orders.count[level]; ++k) {
      const u8 d = orders.loop[level][k];
      add(LoopKind::Temporal, i, d, temporal[d].x);
    }
  }
}

std::size_t NestWriter::present(const PlaceFactors& tiling, int level, LevelOrders& orders) const {
  const auto i = at(level);
  const auto& temporal = tiling[place_of(level, false)];
  const auto prefix = space_.levels[i].temporal.order.dimensions();
  std::size_t ordered = 0;
  orders.count[i] = 0;
  for (u8 d : temporal_order_[i]) {
    if (temporal[d].x == 1) continue;
    orders.loop[i][orders.count[i]++] = d;
    ordered += std::find(prefix.begin(), prefix.end(), d) != prefix.end() ? 1 : 0;
  }
  return ordered;
}

bool NestWriter::fits_fanouts(const PlaceFactors& tiling) const {
  for (int i = 0; i < space_.level_count(); ++i) {
    const SpatialSpace& s = space_.levels[i].spatial;
    if (!s.exists()) continue;
    u64 x = 1, y = 1;  // each factor is within the fan-out, so that products of two do not overflow
    for (const PlaceFactor& f : tiling[place_of(i, true)]) {
      x *= f.x;
      y *= f.y;
      if (x > s.fanout_x || y > s.fanout_y) return false;
    }
  }
  return true;
}

}  // namespace heliolite
