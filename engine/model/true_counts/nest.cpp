#include "engine/model/true_counts/nest.h"

namespace heliolite {
namespace {

// Steps of the units and instances in use, by one walk over all loops from the outside (rules 33 and 34).
void count_units(TrueNest& nest) {
  std::array<TrueCells, kMaxDimensions> step, unit;
  step.fill({});
  unit.fill({});
  const auto product = [&](const auto& cells) {
    u64 n = 1;
    for (int d = 0; d < nest.dimension_count; ++d) n *= cells[d].count();
    return n;
  };
  int l = nest.loop_count;
  for (int i = nest.level_count - 1; i >= 0; --i) {
    nest.used[i] = product(unit);
    while (l > nest.first[i]) {
      const TruePlace& p = nest.place[--l];
      const bool spatial = contains(nest.spatial, l);
      if (spatial) step[p.dimension].only(0, p), unit[p.dimension].all(p);
      else step[p.dimension].all(p), unit[p.dimension].only(0, p);
    }
  }
  nest.macs_used = product(unit);
  nest.steps = product(step);
}

}  // namespace

TrueNest::TrueNest(const Compiled& c, const Mapping& m)
    : loop_count(0), level_count(c.level_count), dimension_count(c.dimension_count), spatial(0), divides(true) {
  Extents reach;                          // nominal tile so far
  std::array<u32, kMaxDimensions> tiles;  // how many of these the dimension has
  for (int d = 0; d < dimension_count; ++d) reach[d] = 1, tiles[d] = c.size[d], of[d] = 0;
  int k = 0;
  for (int i = 0; i < level_count; ++i) {
    first[i] = static_cast<u8>(loop_count);
    fanout[i] = columns[i] = 0;
    product_x[i] = product_y[i] = 1;
    std::copy_n(reach.begin(), dimension_count, tile[i].begin());
    for (; k < m.loop_count && m.loop[k].level == i; ++k) {
      const Loop& loop = m.loop[k];
      const u8 d = loop.dimension;
      u32& left = tiles[d];
      const u32 end = std::min(loop.end, left);  // a larger factor means the same
      if (end <= 1) continue;
      const u32 last = (left - 1) % end + 1;
      const LoopMask bit = LoopMask{1} << loop_count;
      place[loop_count++] = {end, last, reach[d], d, static_cast<u8>(i)};
      left = (left - 1) / end + 1;
      reach[d] *= end;
      of[d] |= bit;
      divides &= last == end;
      if (!loop.is_spatial()) continue;
      spatial |= bit;
      fanout[i] |= bit;
      if (loop.kind == LoopKind::SpatialX) columns[i] |= bit;
      (loop.kind == LoopKind::SpatialX ? product_x : product_y)[i] *= end;
    }
  }
  first[level_count] = static_cast<u8>(loop_count);
  std::copy_n(reach.begin(), dimension_count, tile[level_count].begin());
  count_units(*this);
}

u64 true_box_words(const Compiled& c, const CompiledTensor& t, const Extents& tile) {
  return box_words(t, [&](u8 d) { return std::min(tile[d], c.size[d]); });
}

namespace {

class TileSteps {
 public:
  TileSteps(const Compiled& c, const TrueNest& nest, int boundary, int d, StepKind step, const UnitDigits& unit,
            std::vector<TileStep>& out)
      : nest_(nest), unit_(unit), out_(out), d_(d), step_(step), tile_(nest.tile[boundary][d]), size_(c.size[d]) {
    const LoopMask loops = nest.of[d] & nest.outside(boundary);
    fanout_ = loops & nest.fanout[boundary];
    const LoopMask inside = step.what == StepKind::First   ? loops
                            : step.what == StepKind::Every ? fanout_
                                                           : loops & loops_before(step.loop);
    own_ = step.what == StepKind::Loop && contains(loops, step.loop);
    time_ = step.what == StepKind::Loop ? inside & ~nest.spatial : 0;
    above_ = inside & nest.spatial & ~fanout_;
    outside_ = loops & ~inside;
  }

  void list() {
    const TrueCells contexts = nest_.cells(d_, outside_, 0, own_ ? LoopMask{1} << step_.loop : 0, unit_);
    if (contexts.count() == 0) return;
    for (const int l : bits(time_)) back_ += nest_.place[l].inside;
    ahead_ = own_ ? nest_.place[step_.loop].inside : 0;
    const u32 group = group_size();
    rest_ = size_ - (size_ - 1) / group * group;
    u64 full = contexts.full;
    const bool last_is_full = rest_ == group;
    if (last_is_full) full += contexts.last;
    if (full != 0) add_full(full);
    if (contexts.last != 0 && !last_is_full) add_last();
  }

 private:
  // Extent of what the loops inside go through, in a full context.
  u32 group_size() const {
    if (outside_ != 0) return nest_.place[std::countr_zero(outside_)].inside;
    return nest_.tile[nest_.level_count][d_];
  }
  bool is_fixed(int l) const { return contains(unit_.fixed, l); }

  void add_full(u64 contexts) {
    TileStep s{};
    s.count = contexts;
    for (const int l : bits(above_))
      if (!is_fixed(l)) s.count *= nest_.place[l].end;
    s.run = 1;
    for (const int l : bits(fanout_))
      if (!is_fixed(l)) s.run *= nest_.place[l].end;
    s.mover = time_ == 0 ? kNoLoop : static_cast<u8>(std::countr_zero(time_));
    s.extent = s.held = std::min(tile_, size_);
    s.move = i64{ahead_} - i64{back_};
    out_.push_back(s);
  }

  // The last context: unit by unit of the fan-outs further out, in runs of equal ones of the innermost.
  void add_last() {
    std::array<u8, kMaxLoops> loop;  // loops of above_ with digits that are counted through
    int count = 0;
    u32 low = 0;
    for (const int l : bits(above_))
      if (is_fixed(l)) low += unit_.digit[l] * nest_.place[l].inside;
      else loop[count++] = static_cast<u8>(l);
    u32 run = 1;
    for (const int l : bits(fanout_))
      if (is_fixed(l)) low += unit_.digit[l] * nest_.place[l].inside;
      else run *= nest_.place[l].end;
    std::array<u32, kMaxLoops> digit{};
    for (u32 context = 1;; ++context) {
      add_runs(low, run, context);
      int k = 0;
      for (; k < count; ++k) {
        const TruePlace& p = nest_.place[loop[k]];
        low += p.inside;
        if (++digit[k] < p.end) break;
        low -= p.end * p.inside;
        digit[k] = 0;
      }
      if (k == count) return;
    }
  }

  void add_runs(u32 low, u32 units, u32 context) {
    for (u32 u = 0; u < units && low < rest_;) {
      u32 alike = 0;
      TileStep s = unit_step(low, alike);
      s.run = std::min(units - u, alike / tile_ + 1);
      s.context = context;
      s.low = low;
      out_.push_back(s);
      u += s.run;
      low += s.run * tile_;
    }
  }

  // The tile at `low` in the last context. `alike`: how much further out tiles behave in the same way.
  TileStep unit_step(u32 low, u32& alike) const {
    alike = rest_ - 1 - low;
    const auto below = [&](u32 offset) {  // whether low + offset still is in the dimension
      if (offset >= rest_ || low >= rest_ - offset) return false;
      alike = std::min(alike, rest_ - 1 - offset - low);
      return true;
    };
    TileStep s{};
    s.count = 1;
    s.mover = kNoLoop;
    s.extent = below(tile_ - 1) ? tile_ : rest_ - low;
    s.held = tile_;
    if (own_) {  // it comes from the context before, which is full
      if (time_ != 0) s.mover = static_cast<u8>(std::countr_zero(time_));
      s.move = i64{ahead_} - i64{back_};
      return s;
    }
    for (const int l : bits(time_))
      if (below(nest_.place[l].inside)) {
        s.mover = static_cast<u8>(l);
        break;
      }
    u32 held = 0;  // from low
    for (LoopMask rest = time_; rest != 0;) {
      const int l = std::bit_width(rest) - 1;
      rest ^= LoopMask{1} << l;
      if (below(held + nest_.place[l].inside)) held += nest_.place[l].inside;
    }
    if (!below(held + tile_ - 1)) s.held = rest_ - low - held;
    s.move = -i64{held};
    return s;
  }

  const TrueNest& nest_;
  const UnitDigits& unit_;
  std::vector<TileStep>& out_;
  int d_;
  StepKind step_;
  u32 tile_, size_, rest_ = 0;
  u32 back_ = 0, ahead_ = 0;
  bool own_;
  LoopMask fanout_, time_, above_,
      outside_;  // spatial loops of the boundary's fan-out, temporal ones inside the step's, ..
};

}  // namespace

void add_tile_steps(const Compiled& c, const TrueNest& nest, int boundary, int d, StepKind step, const UnitDigits& unit,
                    std::vector<TileStep>& out) {
  TileSteps(c, nest, boundary, d, step, unit, out).list();
}

}  // namespace heliolite
