#include "engine/search/all_tiles/parts.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/search/all_tiles/partial_search.h"
#include "engine/search/all_tiles/unrollings.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/core/rules.h"

namespace heliolite {

namespace {

constexpr u64 kMostKeepSpaces = 64;   // keep choices with tables of their own
constexpr u64 kMostProxySpaces = 16;  // if there are no more of them, with proxies, whose tables double theirs
// Tables have as many points as let them look at this number of tiles; those of sliding tensors take ten times as long.
// But not fewer than these.
constexpr u64 kMostTiles = 8'000'000, kMostSlidingTiles = 300'000;
constexpr std::size_t kFewPoints = 10'000;
constexpr std::size_t kPointsBefore = 3'333;  // of the boundaries that say which points need be looked at

TileRanges ranges_for(const LayerProblem& problem, std::span<const KeepMasks> keeps, std::size_t most_points) {
  const Compiled& c = problem.model.compiled();
  if (most_points <= kFewPoints || keeps.empty()) return TileRanges(c, most_points);
  const TileRanges few(c, kFewPoints);
  const KeptFlows costs(c, keeps.front(), Unrollable::of(problem.space), Proxies::No);
  const u64 looked = std::max<u64>(1, keeps.size() * tiles_looked_at(costs, few, loop_limits(problem.space)));
  const bool slides = std::ranges::any_of(costs.flows(), &Flow::sliding);
  const u64 most_tiles = slides ? kMostSlidingTiles : kMostTiles;
  return TileRanges(c, std::clamp<std::size_t>(most_tiles * few.points() / looked, kFewPoints, most_points));
}

}  // namespace

KeepSpaces::KeepSpaces(const LayerProblem& problem, const Incumbent& incumbent, RuleCounts& counts,
                       std::size_t most_points, DimensionMask batches, const SearchBudget& budget)
    : KeepSpaces(problem, incumbent, counts, problem.keep_choices(kMostKeepSpaces), most_points, batches, budget) {}

KeepSpaces::KeepSpaces(const LayerProblem& problem, const Incumbent& incumbent, RuleCounts& counts,
                       const std::vector<KeepMasks>& keeps, std::size_t most_points, DimensionMask batches,
                       const SearchBudget& budget)
    : ranges_(ranges_for(problem, keeps, most_points)) {
  const Proxies proxies = keeps.size() <= kMostProxySpaces ? Proxies::Yes : Proxies::No;
  const Compiled& c = problem.model.compiled();
  const u64 fewest = c.cycles_of(fewest_steps(c, problem.space));
  for (const KeepMasks& keep : keeps) {
    if (whole_ = whole_ && !budget.over(); !whole_) return;
    const u64 compulsory = compulsory_cost(problem.model, {keep, keep}).whole.cycles;
    space_.push_back(
        std::make_unique<KeepSpace>(c, keep, problem.space, std::max(fewest, compulsory), batches, proxies));
    tabulate(problem, incumbent, counts, *space_.back(), budget);
  }
}

// Tables of few points say which of the many need be looked at.
void KeepSpaces::tabulate(const LayerProblem& problem, const Incumbent& incumbent, RuleCounts& counts, KeepSpace& space,
                          const SearchBudget& budget) {
  const LoopLimits limits = loop_limits(problem.space);
  const TileRanges few(ranges_, kPointsBefore);
  const BoundaryTable boundaries(space.partial, space.costs, few, limits);
  Trail nothing(problem.model.compiled());
  nothing.begin(0);
  const OnceCost once = space.partial.once(nothing);
  const Gate gate(problem.options.rules, counts);
  const auto can_improve = [&](int level, const Rest& outside) {
    return !gate.prunes(Rule::RelaxedBound, [&] { return incumbent.cuts(with_outside(once, level, outside)); });
  };
  const KnownBefore known{boundaries, can_improve, [&] {
                            whole_ = whole_ && !budget.over();
                            return !whole_;
                          }};
  space.rest.emplace(space.partial, space.costs, ranges_, limits, &known, FurtherOut::Yes);
}

u64 KeepSpaces::bytes() const {
  u64 sum = 0;
  for (const auto& space : space_) sum += space->rest->bytes();
  return sum;
}

void KeepSpaces::settle(KeepSpace& space, const Trail& trail, const Reach& reach, bool loops) {
  unsettle();
  settled_ = &space.partial;
  settled_->settle(trail, reach, loops);
}

void KeepSpaces::look_ahead(KeepSpace& space, const Trail& trail, const Reach& reach) {
  if (space.partial.is_ahead()) return;
  if (settled_ != &space.partial) unsettle();
  settled_ = &space.partial;
  settled_->look_ahead(trail, reach);
}

void KeepSpaces::unsettle() {
  if (settled_ != nullptr) settled_->unsettle();
  settled_ = nullptr;
}

// Unrollings: where a search over partial mappings begins, all mappings of a keep choice together or divided by what
// their fan-outs make.

namespace {

constexpr std::size_t kMostUnrollings = 100'000;               // that mappings are divided by
constexpr std::size_t kMostSplits = 250;                       // of each of them
constexpr u32 kRootsBetweenLooks = 64;                         // at the clock
constexpr std::array<std::size_t, 2> kRootPoints{800, 5'000};  // of the tables of each, one after the other

}  // namespace

// One node for each keep choice.
void PartialSearch::begin() {
  rebuild(kNone);
  for (u32 k = 0; k < keeps_.choices(); ++k) child({{}, 0, kNone, 0, kNone, kNone, static_cast<u8>(k), 0, kX, 0});
}

// Where two change into each other when dimensions change places (rule symmetry) one stands for both: all of its
// mappings are looked at.
void PartialSearch::leave_images_out(std::vector<ClassUnrolling>& unrollings) {
  if (!symmetry_) return;
  const std::vector<Mirrored> all = mirrored(unrollings, tensor_classes(c_), *symmetry_);
  std::size_t left = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (gate_.prunes(Rule::Symmetry, [&] { return all[k] == Mirrored::LeftOut; })) continue;
    if (left != k) unrollings[left] = std::move(unrollings[k]);
    unrollings[left++].stands_for_image |= all[k] == Mirrored::StandsFor;
  }
  unrollings.resize(left);
}

// Divides the mappings of an unrolling by the units along each of these dimensions, unless there are too many ways.
bool PartialSearch::split(u32 index, DimensionMask dimensions) {
  const Node root = node_[index];
  std::optional<std::vector<ClassUnrolling>> parts =
      splits(c_, problem_.space, unrolling_[root.unrolling], dimensions, kMostSplits);
  if (!parts) return false;
  if (!stands_for_image(root)) leave_images_out(*parts);
  rebuild(index);
  for (const ClassUnrolling& part : *parts) {
    Node first = root;
    first.parent = index;
    first.unrolling = static_cast<u32>(unrolling_.size());
    first.root = kNone;
    unrolling_.push_back(part);
    gate_.prunes(Rule::UnrollingBound, [&] { return !child(first); });
  }
  return true;
}

// When the turn of an unrolling comes: it is divided by the units along each dimension of sliding ranks, then gets
// tables of its own, then is divided by the units along dimensions that were free. Returns whether its turn is over.
bool PartialSearch::divide_further(u32 index) {
  const Node& node = node_[index];
  const bool is_root = node.level == 0 && node.stage == kX && node.end == 0;
  if (!is_root || node.unrolling == kNone) return false;
  ClassUnrolling& unrolling = unrolling_[node.unrolling];
  unrolling.most_steps = std::min(unrolling.most_steps, incumbent_.most_cycles(node.least.energy) / c_.point_cycles);
  if ((split_ & ~unrolling.split) != 0 && split(index, split_)) return true;
  while (root_[node.root].tables < kRootPoints.size())
    if (tabulate(index)) return true;
  DimensionMask free = 0;
  const std::vector<DimensionMask>& classes = space(node).costs.classes();
  for (std::size_t k = 0; k < classes.size(); ++k)
    if (contains(unrolling.free, k)) free = static_cast<DimensionMask>(free | classes[k]);
  return free != 0 && split(index, free);
}

// Tables of an unrolling's own. Returns whether they raise its bound.
bool PartialSearch::tabulate(u32 index) {
  Node& node = node_[index];
  const std::size_t turn = root_[node.root].tables++;
  const BoundaryTable& boundaries = boundaries_of(turn, node.keep);
  KeepSpace& keep = space(node);
  const OnceCost& once = root_[node.root].once;
  const auto can_improve = [&](int level, const Rest& outside) {
    return !cut(Rule::UnrollingBound, with_outside(once, level, outside));
  };
  const KnownBefore known{boundaries, can_improve};
  if (root_[node.root].table) bytes_of_tables_ -= root_[node.root].table->bytes();
  root_[node.root].table = std::make_shared<RestTable>(keep.partial, keep.costs, root_ranges_[turn], limits_, &known);
  bytes_of_tables_ += root_[node.root].table->bytes();
  rebuild(index);
  const Reach reach = this->reach(node);
  const RestOutside rest = this->rest(node, reach);
  const auto forget = [&] {  // no mapping with the unrolling can beat the incumbent
    bytes_of_tables_ -= root_[node.root].table->bytes();
    root_[node.root].table.reset();
    return true;
  };
  if (rest.all.energy == Rest::kNone) return forget();
  raise(node.least, keep.partial(trail_, reach, rest.all));
  if (problem_.options.rules[Rule::PassingBound] && keep.costs.passes(0))
    raise(node.least, keep.partial.with_proxies(trail_, reach, rest.with_proxies));
  const double bound = objective_number(problem_.options.objective, node.least) * kBoundRounded;
  if (bound <= node.bound) return false;
  node.bound = bound;
  if (cut(Rule::UnrollingBound, node.least)) return forget();
  fresh_.push_back(index);
  return true;
}

// The boundaries of all unrollings with a keep choice.
const BoundaryTable& PartialSearch::boundaries_of(std::size_t turn, u32 keep) {
  if (root_ranges_.empty())
    for (const std::size_t points : kRootPoints) root_ranges_.emplace_back(c_, points);
  boundaries_.resize(kRootPoints.size() * keeps_.choices());
  std::unique_ptr<BoundaryTable>& out = boundaries_[turn * keeps_.choices() + keep];
  if (!out) {
    KeepSpace& space = keeps_[keep];
    space.costs.unroll(nullptr);
    out = std::make_unique<BoundaryTable>(space.partial, space.costs, root_ranges_[turn], limits_);
    bytes_of_tables_ += out->bytes();
  }
  return *out;
}

// What is known of a node's keep choice, and of its unrolling if it has one.
KeepSpace& PartialSearch::space(const Node& node) {
  KeepSpace& out = keeps_[node.keep];
  out.costs.unroll(node.unrolling == kNone ? nullptr : &unrolling_[node.unrolling]);
  return out;
}

u64 PartialSearch::bytes_of_unrollings() const {
  const u64 of_level = tensor_classes(c_).size() * sizeof(u32) + sizeof(unrolling_[0].along[0]);
  return unrolling_.size() *
             (sizeof(ClassUnrolling) + at(c_.level_count) * of_level + 2 * tensor_classes(c_).size() * sizeof(u64)) +
         root_.capacity() * sizeof(Root) + bytes_of_tables_;
}

bool PartialSearch::divide(const SearchBudget& budget) {
  if (!problem_.options.rules[Rule::UnrollingBound]) return false;
  begin();
  const Growing<Node> all = std::exchange(node_, {});
  std::vector<Node> roots;
  for (std::size_t k = 0; k < all.size(); ++k) roots.push_back(all[k]);
  fresh_.clear();
  u64 asked = 0;
  bool over = false;
  const auto can_improve_with = [&](u64 steps) {
    if (++asked % kRootsBetweenLooks == 0) over |= budget.over();
    return !over && std::ranges::any_of(roots, [&](const Node& root) {
      return !incumbent_.cuts(Cost{root.least.energy, std::max(root.least.cycles, c_.cycles_of(steps))});
    });
  };
  for (const DimensionMask of_class : tensor_classes(c_))
    for (int v = 0; v < c_.tensor_count; ++v)
      if (c_.tensor[v].sliding && !c_.tensor[v].entangled && (of_class & c_.tensor[v].sharing_any) != 0)
        split_ |= of_class;
  unrolling_ = unrollings(c_, problem_.space, kMostUnrollings, can_improve_with);
  leave_images_out(unrolling_);
  begun_ = !unrolling_.empty() && !over;
  for (const Node& root : roots)
    for (u32 u = 0; u < unrolling_.size() && begun_; ++u) {
      Node first = root;
      first.unrolling = u;
      gate_.prunes(Rule::UnrollingBound, [&] { return !child(first); });
      if (u % kRootsBetweenLooks == 0 && (budget.over() || !budget.allows(evaluated_))) begun_ = false;
    }
  if (begun_) {
    into_heap();
    return true;
  }
  node_ = {}, fresh_.clear();
  return false;
}

// What flows into later boundaries cost at least, by all that is known of them.
RestOutside PartialSearch::rest(const Node& node, const Reach& reach) {
  RestOutside out = rest_without_hops(node, reach);
  // The hops are those of the present fan-out, too, whose flows are not counted before all its loops are placed.
  out.add_energy(space(node).costs.hops_to_come(trail_, reach));
  return out;
}

RestOutside PartialSearch::rest_without_hops(const Node& node, const Reach& reach) {
  const KeepSpace& keep = space(node);
  const bool proxies = keep.costs.passes(node.level);
  const std::size_t point = keep.rest->point(keep.costs, trail_, reach);
  RestOutside out;
  out.all = (*keep.rest)(node.level, point);
  if (proxies) out.with_proxies = keep.rest->with_proxies(node.level, point);
  if (node.unrolling != kNone && node.root != kNone) {
    const Root& root = root_[node.root];
    if (root.table) {
      const std::size_t here = root.table->point(keep.costs, trail_, reach);
      out.all.raise_to((*root.table)(node.level, here));
      if (proxies) out.with_proxies.raise_to(root.table->with_proxies(node.level, here));
    }
    out.all.energy = std::max(out.all.energy, root.once.outside[node.level]);
    raise_by_units_outside(keep, reach, out);
  }
  return out;
}

// An unrolling's own tables have few points. That of all has many, and says as well what is outside a level further
// out, which holds what the fan-outs up to it make of the present tile.
void PartialSearch::raise_by_units_outside(const KeepSpace& keep, const Reach& reach, RestOutside& rest) const {
  const bool proxies = keep.costs.passes(reach.level);
  for (int level = reach.level + 1; level + 1 < c_.level_count; ++level) {
    if (c_.level[level].fanout() == 1) continue;
    const RestOutside outside = keep.rest->further_out(keep.costs, trail_, reach, level);
    rest.all.raise_to(outside.all);
    if (proxies) rest.with_proxies.raise_to(outside.with_proxies);
  }
}

// What the flows of the parent cost at least if the loops to come begin with the node's own.
Cost PartialSearch::ahead(const Node& node, const Reach& reach, const RestOutside& rest) {
  KeepSpace& keep = space(node);
  const int d = node.stage == kTemporal ? node.dimension : kAnyDimension;
  Cost out = keep.partial.ahead(trail_, reach, d, rest.all, Asking::Themselves);
  if (problem_.options.rules[Rule::PassingBound] && keep.costs.passes(node.level))
    raise(out, keep.partial.ahead(trail_, reach, d, rest.with_proxies, Asking::Proxies));
  return out;
}

}  // namespace heliolite
