#include "engine/search/climb/plan.h"

#include <algorithm>
#include <cstdlib>

#include "engine/space/divisors.h"

namespace heliolite {

namespace {

constexpr u64 kMostEnds = 4096;  // tried one by one

DimensionMask allowed_at(const LevelSpace& level, LoopKind kind) {
  return kind == LoopKind::SpatialX   ? level.spatial.allowed_x
         : kind == LoopKind::SpatialY ? level.spatial.allowed_y
                                      : level.temporal.allowed;
}

}  // namespace

MoveSpace::MoveSpace(const Mapspace& space, Ends ends)
    : space_(space), ends_(ends), place_count_(3 * space.level_count()) {
  for (int p = 0; p < place_count_; ++p)
    allowed_[p] = allowed_at(space.levels[level_of(p)], kind_of(p)) & space.non_unit;
  for (const int d : bits(space.non_unit)) {
    for (int p = 0; p < place_count_; ++p)
      if (contains(allowed_[p], d)) loop_places_[d].push_back(static_cast<u8>(p));
    for (const PrimePower& p : factorize(space.size[d])) primes_[d].push_back(static_cast<u32>(p.prime));
  }
  for (int i = 0; i < space.level_count(); ++i)
    for (int v = 0; v < space.tensor_count; ++v)
      if (contains(space.levels[i].open, v)) open_.emplace_back(static_cast<u8>(i), static_cast<u8>(v));
}

void MoveSpace::list(const LoopEnds& plan, MoveReach reach, std::vector<Move>& out, int but) const {
  out.clear();
  LoopEnds trial = plan;
  for (const int d : bits(space_.non_unit)) {
    if (d == but) continue;
    if (ends_ == Ends::Dividing) list_dividing(trial, d, out);
    else list_useful(plan, d, reach, out);
  }
}

// Leaves `trial` as it is.
void MoveSpace::list_dividing(LoopEnds& trial, int d, std::vector<Move>& out) const {
  for (const u8 from : loop_places_[d])
    for (const u32 prime : primes_[d]) {
      if (trial[from][d] % prime != 0) continue;
      for (const u8 to : loop_places_[d]) {
        if (to == from) continue;
        const Move move{static_cast<u8>(d), from, to, prime};
        if (apply(trial, move)) out.push_back(move);
        trial[from][d] *= prime;
        trial[to][d] /= prime;
      }
    }
}

void MoveSpace::list_useful(const LoopEnds& plan, int d, MoveReach reach, std::vector<Move>& out) const {
  std::vector<u32> ends;
  for (const u8 from : loop_places_[d]) {
    useful_ends(plan, d, from, ends);
    const u32 now = plan[from][d];
    const auto count = std::ssize(ends), here = std::ranges::lower_bound(ends, now) - ends.begin();
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      const u32 end = ends[k];
      if (end == now) continue;
      if (reach == MoveReach::Near && std::abs(k - here) > 1 && k != 0 && k + 1 != count) continue;
      for (const u8 to : loop_places_[d]) {
        // Shrinking the last loop of a dimension on an axis lets the other axis take over; growing never needs that.
        if (to == from || (kind_of(to) != LoopKind::Temporal && end > now)) continue;
        out.push_back({static_cast<u8>(d), from, to, end});
      }
    }
  }
}

bool MoveSpace::apply(LoopEnds& plan, const Move& m) const {
  u32& from = plan[m.from][m.dimension];
  if (ends_ != Ends::Dividing) {
    from = m.factor;
    return absorb(plan, m.dimension, m.to);
  }
  if (from % m.factor != 0) return false;
  from /= m.factor;
  plan[m.to][m.dimension] *= m.factor;
  return legal_at(plan, m.dimension, m.from) && legal_at(plan, m.dimension, m.to);
}

bool MoveSpace::meet(const Move& a, const Move& b) const {
  if (ends_ == Ends::Dividing) return b.dimension > a.dimension && (a.to == b.from || a.from == b.to);
  return b.from == a.from || b.to == a.from || b.from == a.to;
}

bool MoveSpace::absorb(LoopEnds& plan, int d, int absorber) const {
  const u64 size = space_.size[d];
  u64 others = 1;
  for (int p = 0; p < place_count_; ++p)
    if (p != absorber) others = std::min(others * plan[p][d], size);
  plan[absorber][d] = static_cast<u32>(ceil_div(size, others));
  u64 left = size;
  for (int p = 0; p < place_count_; ++p) {
    u32& end = plan[p][d];
    end = static_cast<u32>(std::min<u64>(end, left));
    left = ceil_div(left, u64{end});
  }
  return legal(plan, d);
}

// The largest end the place has room for, the other dimensions as they are.
u64 MoveSpace::room(const LoopEnds& plan, int d, int loop_place) const {
  const LevelSpace& level = space_.levels[level_of(loop_place)];
  if (kind_of(loop_place) == LoopKind::Temporal) return level.temporal.factor[d].max;
  u64 others = 1;
  for (int k = 0; k < space_.dimension_count; ++k)
    if (k != d) others *= plan[loop_place][k];
  const u64 axis = kind_of(loop_place) == LoopKind::SpatialX ? level.spatial.fanout_x : level.spatial.fanout_y;
  return std::min(axis / others, level.spatial.factor[d].max);
}

void MoveSpace::useful_ends(const LoopEnds& plan, int d, int loop_place, std::vector<u32>& out) const {
  out.clear();
  u64 inside = 1;
  for (int p = 0; p < loop_place; ++p) inside *= plan[p][d];
  const u64 left = ceil_div(space_.size[d], inside);
  const u64 most = std::min(room(plan, d, loop_place), left);
  if (most == 0) return;
  if (ends_ == Ends::All && most <= kMostEnds) {
    for (u32 end = 1; end <= most; ++end) out.push_back(end);
    return;
  }
  // Descending: the least end for k iterations outside, for ever larger k.
  if (ceil_div(left, ceil_div(left, most)) != most) out.push_back(static_cast<u32>(most));
  for (u64 k = ceil_div(left, most);;) {
    const u64 end = ceil_div(left, k);
    out.push_back(static_cast<u32>(end));
    if (end == 1) break;
    k = ceil_div(left, end - 1);
  }
  std::reverse(out.begin(), out.end());
}

// Perfect factors that overflow a fan-out do not fit, which their price says.
bool MoveSpace::legal(const LoopEnds& plan, int dimension) const {
  for (int p = 0; p < place_count_; ++p) {
    if (kind_of(p) != LoopKind::SpatialX && !legal_at(plan, dimension, p)) return false;
    if (ends_ == Ends::Dividing) continue;
    const u32 end = plan[p][dimension];
    if (end > 1 && (!contains(allowed_[p], dimension) || end > room(plan, dimension, p))) return false;
  }
  return true;
}

bool MoveSpace::legal(const LoopEnds& plan) const {
  for (int d = 0; d < space_.dimension_count; ++d)
    if (!legal(plan, d)) return false;
  return true;
}

bool MoveSpace::legal_at(const LoopEnds& plan, int dimension, int loop_place) const {
  const auto d = at(dimension);
  const int i = level_of(loop_place);
  const LevelSpace& level = space_.levels[i];
  if (kind_of(loop_place) == LoopKind::Temporal)
    return level.temporal.factor[d].allows(plan[loop_place_of(LoopKind::Temporal, i)][d]);
  const u64 x = plan[loop_place_of(LoopKind::SpatialX, i)][d], y = plan[loop_place_of(LoopKind::SpatialY, i)][d];
  return !(space_.one_axis_per_dimension && x > 1 && y > 1) && level.spatial.factor[d].allows(x * y);
}

}  // namespace heliolite
