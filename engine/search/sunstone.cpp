#include "engine/search/sunstone.h"

#include <algorithm>
#include <map>

#include "engine/space/factor_tree.h"
#include "engine/space/unrolling.h"

namespace heliolite {
namespace {

// Widths of the beam. Ranking is in two steps: all candidates with the orders they have, then the best few with
// orders chosen for them.
constexpr std::size_t kTilesRanked = 48;   // tiles of a unit that are combined with unrollings
constexpr std::size_t kUnrollings = 12;    // different unrollings that are continued
constexpr std::size_t kCompleteWidth = 6;  // tiles at the outermost level that are completed
constexpr std::size_t kPreselected = 3;    // times a width: candidates that get their own orders
constexpr std::size_t kUnlimited = ~std::size_t{0};

// A partial plan: levels below some level done, the fan-out below that level too.
struct Node {
  Plan plan;
  Extents tile;  // of everything placed so far
  Extents rest;  // what is left of every dimension
  Score score;

  bool before(const Node& other) const {
    if (score.value != other.score.value) return score.value < other.score.value;
    return plan < other.plan;
  }
};

bool same_unrolling(const Plan& a, const Plan& b) {
  for (std::size_t slot = 0; slot < kMaxSlots; ++slot)
    if (kind_of(static_cast<int>(slot)) != LoopKind::Temporal && a.factor[slot] != b.factor[slot]) return false;
  return true;
}

// The best `width` nodes seen, without keeping many more at a time.
class Shortlist {
 public:
  explicit Shortlist(std::size_t width) : width_(width) {}

  void add(const Node& node) {
    ++offered_;
    if (full_ && worst_ < node.score.value) return;
    nodes_.push_back(node);
    if (nodes_.size() / 2 >= width_) trim();
  }
  std::size_t offered() const { return offered_; }

  // Best first.
  std::vector<Node> take() {
    if (nodes_.size() > width_) trim();
    std::sort(nodes_.begin(), nodes_.end(), before);
    return std::move(nodes_);
  }

 private:
  static bool before(const Node& a, const Node& b) { return a.before(b); }
  void trim() {
    const auto end = nodes_.begin() + static_cast<std::ptrdiff_t>(width_);
    std::nth_element(nodes_.begin(), end - 1, nodes_.end(), before);
    nodes_.resize(width_);
    worst_ = nodes_.back().score.value;
    full_ = true;
  }

  std::size_t width_;
  std::size_t offered_ = 0;
  std::vector<Node> nodes_;
  bool full_ = false;
  Value worst_;
};

class Search {
 public:
  Search(Ladder& ladder, const std::array<TensorMask, kMaxLevels>& keep, const SearchOptions& options)
      : ladder_(ladder), space_(ladder.space()), keep_(keep), rules_(options.rules), top_(ladder.levels() - 1) {
    for (int d = 0; d < space_.dimension_count; ++d) divisors_.emplace_back(space_.size[static_cast<std::size_t>(d)]);
    for (int i = 0; i <= top_; ++i)
      if (space_.levels[static_cast<std::size_t>(i)].spatial.exists()) outermost_fanout_ = i;
  }

  SunstoneResult run() {
    Node root;
    root.plan.keep = keep_;
    root.tile = root.rest = unit_extents();
    for (int d = 0; d < space_.dimension_count; ++d)
      root.rest[d] = static_cast<u32>(space_.size[static_cast<std::size_t>(d)]);
    for (const Node& node : unrolled({root}, 0, kUnrollings)) descend(0, node);
    return std::move(result_);
  }

 private:
  std::size_t beam(std::size_t width) const { return rules_[Rule::Beam] ? width : kUnlimited; }

  // Levels inside `level` are done, and the fan-out below it.
  void descend(int level, const Node& node) {
    if (ladder_.stopped()) return;
    if (level == top_) return complete(node);
    // Step 1. Tiles of this level and of those up to the next fan-out, which hold other tensors of the same unit.
    const int outer = next_fanout(level);
    const bool fanout = space_.levels[static_cast<std::size_t>(outer)].spatial.exists();
    std::vector<Node> nodes{node};
    for (int i = level; i < outer; ++i)
      nodes = grown(nodes, i, outer, fanout || i + 1 < outer ? kTilesRanked : kCompleteWidth);
    // Step 2. Each unrolling of that fan-out with the tile that suits it best.
    if (fanout) nodes = unrolled(nodes, outer, kUnrollings);
    // Step 3. Best first, until the incumbent cannot be beaten.
    for (const Node& n : nodes) {
      if (hopeless(n)) break;
      descend(outer, n);
    }
  }

  // Narrows a shortlist to `width`, judged at level `outer`: its nodes choose the orders of levels `first` .. outer.
  std::vector<Node> narrow(Shortlist& list, int first, int outer, std::size_t width) {
    result_.rules.count(Rule::Beam, list.offered() > beam(width));
    Shortlist chosen(beam(width));
    for (Node& n : list.take()) {
      n.score = ladder_.choose_orders(n.plan, first, outer, n.rest);
      if (first < outer) speed_up(outer, n);
      chosen.add(n);
    }
    return chosen.take();
  }

  int next_fanout(int level) const {
    int i = level + 1;
    while (i < top_ && !space_.levels[static_cast<std::size_t>(i)].spatial.exists()) ++i;
    return i;
  }

  bool hopeless(const Node& node) {
    if (!rules_[Rule::AlphaBeta] || result_.best.empty()) return false;
    return result_.rules.count(Rule::AlphaBeta, result_.best.front().score.value < node.score.value);
  }

  void add_counts(Rule rule, u64 kept, u64 cut) {
    result_.rules.calls[static_cast<std::size_t>(rule)] += kept + cut;
    result_.rules.cuts[static_cast<std::size_t>(rule)] += cut;
  }

  // Step 1. The nodes with tiles of `level` added.
  std::vector<Node> grown(const std::vector<Node>& nodes, int level, int outer, std::size_t width) {
    Shortlist list(beam(kPreselected * width));
    for (const Node& node : nodes) grow(level, outer, node, list);
    return narrow(list, level, outer, width);
  }

  void grow(int level, int outer, const Node& node, Shortlist& out) {
    const TileSpace tiles = make_tile_space(divisors_, node.tile, node.rest,
                                            space_.levels[static_cast<std::size_t>(level)].temporal.factor);
    const auto fits = [&](const Extents& tile) { return ladder_.tile_fits(tile, level); };
    Node n = node;
    const auto take = [&](const Extents& tile) -> bool {
      n.tile = tile;
      Extents& factor = n.plan.factor[slot_of(LoopKind::Temporal, level)];
      for (int d = 0; d < space_.dimension_count; ++d) {
        factor[d] = tile[d] / node.tile[d];
        n.rest[d] = node.rest[d] / factor[d];
      }
      if (!rest_can_be_placed(n.rest, level)) return true;
      n.score = ladder_.score(n.plan, outer, n.rest);
      if (n.score.fits) {
        speed_up(outer, n);
        out.add(n);
      }
      return !ladder_.stopped();
    };
    // Inside a fan-out a maximal tile can swallow what would fill the machine: T1 is for the levels outside all of
    // them.
    const TileCounts counts =
        for_each_tile(tiles, {rules_[Rule::MaximalTiles] && outermost_fanout_ <= level}, fits, take);
    add_counts(Rule::MaximalTiles, counts.tiles, counts.not_maximal);
  }

  // Ranks a tile as if the fan-out at `outer` were used as well as the tile lets it: a tile that swallows the
  // dimensions that would fill the machine is worse than its traffic says.
  void speed_up(int outer, Node& node) const {
    const SpatialSpace& fanout = space_.levels[static_cast<std::size_t>(outer)].spatial;
    if (!fanout.exists()) return;
    const u64 parallel = std::min(most_along(fanout.fanout_x, fanout.allowed_x, node.rest) *
                                      most_along(fanout.fanout_y, fanout.allowed_y, node.rest),
                                  product(fanout.allowed_x | fanout.allowed_y, node.rest));
    Cost& cost = node.score.cost;
    cost.cycles = (cost.cycles + parallel - 1) / parallel;
    node.score.value = Value::of(ladder_.objective(), cost);
  }

  u64 product(DimensionMask dimensions, const Extents& rest) const {
    u64 out = 1;
    for (int d = 0; d < space_.dimension_count; ++d)
      if (dimensions >> d & 1) out *= rest[d];
    return out;
  }

  // Most instances of one axis that factors of the rest can use.
  u64 most_along(u64 instances, DimensionMask allowed, const Extents& rest) const {
    if (instances == 1 || allowed == 0) return 1;
    std::vector<bool> reached(instances + 1);
    reached[1] = true;
    u64 most = 1;
    for (int d = 0; d < space_.dimension_count; ++d) {
      if (!(allowed >> d & 1) || rest[d] == 1) continue;
      // Downwards, so that a product made with d is not multiplied by d again.
      for (u64 n = std::min(most, instances); n >= 1; --n) {
        if (!reached[n]) continue;
        for (u32 f : divisors_[static_cast<std::size_t>(d)].of(rest[d])) {
          if (n * f > instances) break;
          reached[n * f] = true;
          most = std::max(most, n * f);
        }
      }
    }
    return most;
  }

  // Whether the limits of the slots outside `level` leave a place for every dimension's rest.
  bool rest_can_be_placed(const Extents& rest, int level) const {
    for (int d = 0; d < space_.dimension_count; ++d) {
      u64 least = 1, most = 1;
      for (int i = level + 1; i <= top_; ++i) {
        const LevelSpace& outer = space_.levels[static_cast<std::size_t>(i)];
        least *= outer.temporal.factor[d].min * outer.spatial.factor[d].min;
        most = std::min<u64>(most * outer.temporal.factor[d].max, rest[d]);
        most = std::min<u64>(most * outer.spatial.factor[d].max, rest[d]);
      }
      if (rest[d] % least != 0 || most < rest[d]) return false;
    }
    return true;
  }

  // Step 2. Of each unrolling of the fan-out below `level`, the node it suits best.
  std::vector<Node> unrolled(const std::vector<Node>& nodes, int level, std::size_t width) {
    std::map<Unrolling, Node> best;
    for (const Node& node : nodes) unroll(level, node, best);
    Shortlist list(beam(kPreselected * width));
    for (const auto& [unrolling, node] : best) list.add(node);
    return narrow(list, level, level, width);
  }

  void unroll(int level, const Node& node, std::map<Unrolling, Node>& best) {
    const UnrollingSpace unrollings =
        make_unrolling_space(divisors_, node.rest, space_, level, ladder_.model().workload());
    Node n = node;
    const auto take = [&](const Unrolling& u) -> bool {
      n.plan.factor[slot_of(LoopKind::SpatialX, level)] = u.x;
      n.plan.factor[slot_of(LoopKind::SpatialY, level)] = u.y;
      for (int d = 0; d < space_.dimension_count; ++d) {
        n.tile[d] = node.tile[d] * u.factor(d);
        n.rest[d] = node.rest[d] / u.factor(d);
      }
      if (!ladder_.tile_fits(n.tile, level)) return true;
      n.score = ladder_.score(n.plan, level, n.rest);
      if (!n.score.fits) return true;
      const auto [at, fresh] = best.try_emplace(u, n);
      if (!fresh && n.before(at->second)) at->second = n;
      return !ladder_.stopped();
    };
    const bool full = rules_[Rule::FullUnrolling];
    const UnrollingCounts counts = for_each_unrolling(unrollings, {full, full, rules_[Rule::IndexingFirst]}, take);
    add_counts(Rule::FullUnrolling, counts.unrollings, counts.not_full + counts.not_maximal);
    add_counts(Rule::IndexingFirst, counts.unrollings, counts.not_indexing);
  }

  // Step 4.
  void complete(const Node& node) {
    Plan plan = node.plan;
    Extents& outermost = plan.factor[slot_of(LoopKind::Temporal, top_)];
    const LevelSpace& level = space_.levels[static_cast<std::size_t>(top_)];
    for (int d = 0; d < space_.dimension_count; ++d) {
      if (!level.temporal.factor[d].allows(node.rest[d])) return;
      outermost[d] = node.rest[d];
    }
    const Extents none = unit_extents();
    const Score score = ladder_.choose_orders(plan, 1, top_, none);
    if (!score.fits) return;
    const Candidate candidate{plan, score};
    auto& best = result_.best;
    const auto at =
        std::find_if(best.begin(), best.end(), [&](const Candidate& c) { return candidate.better_than(c); });
    // One of each unrolling: climbs from candidates of the same one tend to end at the same place.
    const auto twin =
        std::find_if(best.begin(), best.end(), [&](const Candidate& c) { return same_unrolling(c.plan, plan); });
    if (twin < at) return;  // it is better
    if (twin != best.end()) best.erase(twin);
    best.insert(at, candidate);
    if (best.size() > kSunstoneKept) best.pop_back();
  }

  Ladder& ladder_;
  const Mapspace& space_;
  const std::array<TensorMask, kMaxLevels>& keep_;
  RuleSet rules_;
  int top_;
  int outermost_fanout_ = -1;           // -1: none
  std::vector<DivisorTable> divisors_;  // by dimension
  SunstoneResult result_;
};

}  // namespace

SunstoneResult sunstone(Ladder& ladder, const std::array<TensorMask, kMaxLevels>& keep, const SearchOptions& options) {
  return Search(ladder, keep, options).run();
}

}  // namespace heliolite
