#include "engine/search/sunstone/sunstone.h"

#include "engine/base/integers.h"
#include "engine/space/factor_tree.h"

namespace heliolite {
namespace {

// Widths of the beam.
constexpr std::size_t kUnrollings = 64;   // different unrollings of the outermost fan-out whose tiles begin to grow
constexpr std::size_t kInner = 16;        // unrollings of the fan-outs inside the outermost
constexpr std::size_t kGrown = 16;        // those that are best after one step of growth everywhere grow on
constexpr std::size_t kContinued = 6;     // those with the best tiles inside the outermost fan-out go on
constexpr std::size_t kCompleted = 2;     // and those that are best with grown tiles outside it too
constexpr std::size_t kOuterTiles = 3;    // tiles of a level outside all fan-outs, of each of them
constexpr std::size_t kPreselected = 2;   // times a width: tiles that get their own orders
constexpr std::size_t kOrdersOfAll = 12;  // loop orders; if there are more, unrollings are ranked with the first
constexpr std::size_t kAnyWidth = ~std::size_t{0};

bool same_unrolling(const Plan& a, const Plan& b) {
  for (std::size_t loop_place = 0; loop_place < kMaxLoopPlaces; ++loop_place)
    if (kind_of(static_cast<int>(loop_place)) != LoopKind::Temporal && a.factor[loop_place] != b.factor[loop_place])
      return false;
  return true;
}

}  // namespace

Sunstone::Sunstone(Ladder& ladder, const RuleSet& rules, Fillings& fillings, bool must_complete)
    : ladder_(ladder),
      space_(ladder.space()),
      rules_(rules),
      must_complete_(must_complete),
      top_(ladder.levels() - 1),
      fillings_(fillings),
      divisors_(fillings.divisors()) {
  while (outermost_fanout_ > 0 && !spatial(outermost_fanout_).exists()) --outermost_fanout_;
}

std::vector<PartialPlan> Sunstone::begin() { return inner_tiles(unrollings()); }

bool Sunstone::begin_again(PartialPlan& plan) {
  TileGrowth inside(ladder_, divisors_, 0, outermost_fanout_);
  inside.strip(plan);
  return inside.grow(plan);
}

void Sunstone::complete(const std::vector<PartialPlan>& plans) {
  for (const PartialPlan& plan : plans) {
    // A search that has to stop and has nothing still completes something.
    if (over() || (ladder_.stopped() && !best_.empty()) || hopeless(plan)) break;
    std::vector<PartialPlan> tiled{plan};
    for (int i = outermost_fanout_; i < top_; ++i) tiled = tiles(tiled, i, top_, kOuterTiles);
    for (const PartialPlan& p : tiled) complete_plan(p);
  }
}

std::size_t Sunstone::beam(std::size_t width) const { return rules_[Rule::Beam] ? width : kAnyWidth; }

std::vector<PartialPlan> Sunstone::take(Shortlist& list, std::size_t width) {
  gate().prunes(Rule::Beam, [&] { return list.offered() > beam(width); });
  return list.take();
}

bool Sunstone::hopeless(const PartialPlan& plan) {
  return !best_.empty() && gate().prunes(Rule::AlphaBeta, [&] { return best_.front().score.value < plan.score.value; });
}

// Step 1.
std::vector<PartialPlan> Sunstone::unrollings() {
  PartialPlan root;
  root.plan.keep = ladder_.keep();
  for (int d = 0; d < space_.dimension_count; ++d) root.rest[d] = static_cast<u32>(space_.size[d]);
  std::vector<PartialPlan> plans{root};
  for (int i = 0; i <= top_ && !ladder_.stopped(); ++i) {
    if (!spatial(i).exists()) continue;
    const std::size_t width = i == outermost_fanout_ ? kUnrollings : kInner;
    Shortlist list(beam(width));
    for (const PartialPlan& plan : plans) unroll(plan, i, list);
    plans = take(list, width);
  }
  return plans;
}

// The unrollings of the fan-out below `level`, judged without tiles.
void Sunstone::unroll(const PartialPlan& plan, int level, Shortlist& out) {
  PartialPlan p = plan;
  for (const Unrolling& u : fillings_.list(level, plan.rest, rules_, counts_)) {
    p.plan.factor[loop_place_of(LoopKind::SpatialX, level)] = u.x;
    p.plan.factor[loop_place_of(LoopKind::SpatialY, level)] = u.y;
    for (int d = 0; d < space_.dimension_count; ++d) p.rest[d] = plan.rest[d] / u.factor(d);
    if (!ladder_.tile_fits(unrolled_through(space_, p.plan, level), level) ||
        !rest_can_be_placed(space_, p.rest, 0, level))
      continue;
    p.plan.order = plan.plan.order;
    p.score = !rules_[Rule::Beam] || ladder_.orders(level).size() <= kOrdersOfAll
                  ? ladder_.choose_orders(p.plan, level, level, p.rest)
                  : ladder_.score(p.plan, level, p.rest);
    if (p.score.fits) out.add(p);
    if (ladder_.stopped()) return;
  }
}

// Step 2.
std::vector<PartialPlan> Sunstone::inner_tiles(std::vector<PartialPlan> plans) {
  if (outermost_fanout_ == 0) return plans;
  if (!rules_[Rule::Beam]) {
    for (int i = 0; i < outermost_fanout_; ++i) plans = tiles(plans, i, next_fanout(i), kAnyWidth);
    return plans;
  }
  // What looks best with everything outside the fan-out for free need not be best when it has to be held there.
  TileGrowth inside(ladder_, divisors_, 0, outermost_fanout_), outside(ladder_, divisors_, outermost_fanout_, top_);
  Shortlist list(kContinued), completed(kCompleted);
  Shortlist begun(kGrown);
  for (PartialPlan& plan : plans) {
    if (over() || (ladder_.stopped() && !begun.empty())) break;
    if (inside.begin(plan)) begun.add(plan);
  }
  plans = take(begun, kGrown);
  for (PartialPlan& plan : plans) {
    if (over() || (ladder_.stopped() && !list.empty())) break;
    inside.finish(plan);
    list.add(plan);
    if (outside.grow(plan)) completed.add(plan);
  }
  plans = take(list, kContinued);
  if (over()) return plans;
  for (PartialPlan& plan : take(completed, kCompleted)) {
    complete_plan(plan);
    const auto same = [&](const PartialPlan& p) { return same_unrolling(p.plan, plan.plan); };
    if (std::any_of(plans.begin(), plans.end(), same)) continue;
    outside.strip(plan);
    judge_with_orders(ladder_, plan, 1, outermost_fanout_);
    plans.push_back(plan);
  }
  for (PartialPlan& plan : plans) inside.regrow(plan);
  std::sort(plans.begin(), plans.end(), [](const PartialPlan& a, const PartialPlan& b) { return a.before(b); });
  return plans;
}

int Sunstone::next_fanout(int level) const {
  int i = level + 1;
  while (i < top_ && !spatial(i).exists()) ++i;
  return i;
}

// The plans with tiles of `level` added, judged at level `outer`.
std::vector<PartialPlan> Sunstone::tiles(const std::vector<PartialPlan>& plans, int level, int outer,
                                         std::size_t width) {
  Shortlist list(beam(width == kAnyWidth ? width : kPreselected * width));
  for (const PartialPlan& plan : plans) enumerate(plan, level, outer, list);
  Shortlist chosen(beam(width));
  for (PartialPlan& p : take(list, width)) {
    if (over()) break;
    judge_with_orders(ladder_, p, level, outer);
    chosen.add(p);
  }
  return chosen.take();
}

void Sunstone::enumerate(const PartialPlan& plan, int level, int outer, Shortlist& out) {
  // Fan-outs further out enlarge the tile.
  std::vector<std::pair<int, Extents>> outside;
  const Extents unrolled = unrolled_through(space_, plan.plan, level);
  for (int i = level + 1; i <= top_; ++i) {
    if (!spatial(i).exists()) continue;
    Extents scale = unrolled_through(space_, plan.plan, i);
    for (int d = 0; d < space_.dimension_count; ++d) scale[d] /= unrolled[d];
    outside.emplace_back(i, scale);
  }
  const Extents below = tile_through(space_, plan.plan, level);
  const TileSpace all = make_tile_space(divisors_, below, plan.rest, space_.levels[level].temporal.factor);
  const auto fits = [&](const Extents& tile) -> bool {
    return ladder_.tile_fits(tile, level) && std::all_of(outside.begin(), outside.end(), [&](const auto& o) {
             Extents larger = tile;
             for (int d = 0; d < space_.dimension_count; ++d) larger[d] *= o.second[d];
             return ladder_.tile_fits(larger, o.first);
           });
  };
  PartialPlan p = plan;
  const auto add = [&](const Extents& tile) -> bool {
    Extents& factor = p.plan.factor[loop_place_of(LoopKind::Temporal, level)];
    for (int d = 0; d < space_.dimension_count; ++d) {
      factor[d] = tile[d] / below[d];
      p.rest[d] = plan.rest[d] / factor[d];
    }
    if (!rest_can_be_placed(space_, p.rest, level + 1, top_)) return true;
    ladder_.count_tile(level);
    judge(ladder_, p, outer);
    if (p.score.fits) out.add(p);
    return !ladder_.stopped();
  };
  // Inside a fan-out T1 costs up to 2x: what one level takes another could have reused.
  const bool maximal = rules_[Rule::MaximalTiles] && level >= outermost_fanout_;
  const TileCounts counts = for_each_tile(all, {maximal}, fits, add);
  counts_.calls[at(Rule::MaximalTiles)] += counts.tiles + counts.not_maximal;
  counts_.cuts[at(Rule::MaximalTiles)] += counts.not_maximal;
}

// Step 3.
void Sunstone::complete_plan(const PartialPlan& p) {
  if (over()) return;
  Candidate candidate{p.plan, {}};
  Extents& outermost = candidate.plan.factor[loop_place_of(LoopKind::Temporal, top_)];
  const LevelSpace& level = space_.levels[top_];
  for (int d = 0; d < space_.dimension_count; ++d) {
    if (!level.temporal.factor[d].allows(p.rest[d])) return;
    outermost[d] = p.rest[d];
  }
  const Extents none = unit_extents();
  candidate.score = ladder_.choose_orders(candidate.plan, 1, top_, none);
  if (candidate.score.fits) offer(candidate);
}

// One of each unrolling: climbs from candidates of the same one tend to end at the same place.
void Sunstone::offer(const Candidate& candidate) {
  const auto after =
      std::find_if(best_.begin(), best_.end(), [&](const Candidate& c) { return candidate.better_than(c); });
  const auto same = std::find_if(best_.begin(), best_.end(),
                                 [&](const Candidate& c) { return same_unrolling(c.plan, candidate.plan); });
  if (same < after) return;  // it is better
  if (same != best_.end()) best_.erase(same);
  best_.insert(after, candidate);
  if (best_.size() > kSunstoneKept) best_.pop_back();
}

}  // namespace heliolite
