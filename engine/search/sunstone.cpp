#include "engine/search/sunstone.h"

#include <algorithm>
#include <map>

#include "engine/space/factor_tree.h"
#include "engine/space/unrolling.h"

namespace heliolite {
namespace {

// Widths of the beam. Ranking is in two steps: all candidates with the orders they have, then the best few with
// orders chosen for them.
constexpr std::size_t kTilesRanked = 64;    // tiles of a unit that are combined with unrollings
constexpr std::size_t kUnrollings = 12;     // different unrollings that are continued
constexpr std::size_t kCompleteWidth = 6;   // tiles at the outermost level that are completed
constexpr std::size_t kPreselected = 4;     // times a width: candidates that get their own orders
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

void keep_best(std::vector<Node>& nodes, std::size_t width) {
  const auto before = [](const Node& a, const Node& b) { return a.before(b); };
  if (nodes.size() > width) {
    std::nth_element(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(width), nodes.end(), before);
    nodes.resize(width);
  }
  std::sort(nodes.begin(), nodes.end(), before);
}

class Search {
 public:
  Search(Ladder& ladder, const std::array<TensorMask, kMaxLevels>& keep, const SearchOptions& options)
      : ladder_(ladder), space_(ladder.space()), keep_(keep), rules_(options.rules), stop_(options.stop),
        top_(ladder.levels() - 1) {
    for (int d = 0; d < space_.dimension_count; ++d) divisors_.emplace_back(space_.size[static_cast<std::size_t>(d)]);
    for (int i = 0; i <= top_; ++i)
      if (space_.levels[static_cast<std::size_t>(i)].spatial.exists()) outermost_fanout_ = i;
  }

  SunstoneResult run() {
    Node root;
    root.plan.keep = keep_;
    root.tile.fill(1);
    root.rest.fill(1);
    for (int d = 0; d < space_.dimension_count; ++d) root.rest[d] = static_cast<u32>(space_.size[static_cast<std::size_t>(d)]);
    std::vector<Node> start;
    unroll(0, root, start);
    keep_best(start, beam(kUnrollings));
    for (const Node& node : start) descend(0, node);
    return std::move(result_);
  }

 private:
  std::size_t beam(std::size_t width) const { return rules_[Rule::Beam] ? width : kUnlimited; }
  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  // Levels inside `level` are done, and the fan-out below it.
  void descend(int level, const Node& node) {
    if (stopped()) return;
    if (level == top_) return complete(node);
    // Step 1. Tiles of this level and of those up to the next fan-out, which hold other tensors of the same unit.
    const int outer = next_fanout(level);
    const bool fanout = space_.levels[static_cast<std::size_t>(outer)].spatial.exists();
    std::vector<Node> tiles{node};
    for (int i = level; i < outer; ++i) {
      std::vector<Node> grown;
      for (const Node& n : tiles) grow(i, outer, n, grown);
      select(grown, i, outer, kTilesRanked);
      tiles = std::move(grown);
    }
    // Step 2. Each unrolling of that fan-out with the tile that suits it best.
    std::vector<Node> next;
    if (fanout) {
      for (const Node& tile : tiles) unroll(outer, tile, next);
      best_of_each_unrolling(outer, next);
      select(next, outer, outer, kUnrollings);
    } else {
      next = std::move(tiles);
      keep_best(next, beam(kCompleteWidth));
    }
    // Step 3. Best first, until the incumbent cannot be beaten.
    for (const Node& n : next) {
      if (hopeless(n)) break;
      descend(outer, n);
    }
  }

  // Narrows to `width` nodes, judged at level `outer`; of the more promising ones levels `first` .. outer choose their orders.
  void select(std::vector<Node>& nodes, int first, int outer, std::size_t width) {
    result_.rules.count(Rule::Beam, nodes.size() > beam(width));
    keep_best(nodes, beam(kPreselected * width));
    for (Node& n : nodes) {
      n.score = ladder_.choose_orders(n.plan, first, outer, n.rest);
      speed_up(outer, n);
    }
    keep_best(nodes, beam(width));
  }

  void best_of_each_unrolling(int level, std::vector<Node>& nodes) {
    if (!rules_[Rule::Beam]) return;
    std::map<std::pair<Extents, Extents>, std::size_t> best;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const Plan& plan = nodes[k].plan;
      const auto [at, fresh] =
          best.try_emplace({plan.factor[slot_of(LoopKind::SpatialX, level)], plan.factor[slot_of(LoopKind::SpatialY, level)]}, k);
      if (!fresh && nodes[k].before(nodes[at->second])) at->second = k;
    }
    std::vector<Node> kept;
    for (const auto& [unrolling, k] : best) kept.push_back(nodes[k]);
    nodes = std::move(kept);
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

  // Step 1.
  void grow(int level, int outer, const Node& node, std::vector<Node>& out) {
    const TileSpace tiles = make_tile_space(divisors_, node.tile, node.rest,
                                            space_.levels[static_cast<std::size_t>(level)].temporal.factor);
    const auto fits = [&](const Extents& tile) { return ladder_.tile_fits(tile, level, keep_); };
    const auto take = [&](const Extents& tile) {
      Node n = node;
      n.tile = tile;
      Extents& factor = n.plan.factor[slot_of(LoopKind::Temporal, level)];
      for (int d = 0; d < space_.dimension_count; ++d) {
        factor[d] = tile[d] / node.tile[d];
        n.rest[d] = node.rest[d] / factor[d];
      }
      if (!rest_can_be_placed(n.rest, level)) return;
      n.score = ladder_.score(n.plan, outer, n.rest);
      if (!n.score.fits) return;
      speed_up(outer, n);
      out.push_back(n);
    };
    // Inside a fan-out a maximal tile can swallow what would fill the machine: T1 is for the levels outside all of them.
    const TileCounts counts = for_each_tile(tiles, {rules_[Rule::MaximalTiles] && outermost_fanout_ <= level}, fits, take);
    add_counts(Rule::MaximalTiles, counts.tiles, counts.not_maximal);
  }

  // Ranks a tile as if the fan-out at `outer` were used as well as the tile lets it: a tile that swallows the dimensions
  // that would fill the machine is worse than its traffic says.
  void speed_up(int outer, Node& node) {
    if (unrolled(outer, node) || !space_.levels[static_cast<std::size_t>(outer)].spatial.exists()) return;
    const u64 parallel = most_parallel(outer, node.rest);
    Cost& cost = node.score.cost;
    cost.cycles = (cost.cycles + parallel - 1) / parallel;
    node.score.value = Value::of(ladder_.objective(), cost);
  }

  bool unrolled(int level, const Node& node) const {
    const Extents &x = node.plan.factor[slot_of(LoopKind::SpatialX, level)], &y = node.plan.factor[slot_of(LoopKind::SpatialY, level)];
    return std::any_of(x.begin(), x.end(), [](u32 f) { return f > 1; }) || std::any_of(y.begin(), y.end(), [](u32 f) { return f > 1; });
  }

  u64 most_parallel(int level, const Extents& rest) {
    const auto [at, fresh] = parallel_.try_emplace({level, rest}, 1);
    if (!fresh) return at->second;
    const UnrollingSpace unrollings = make_unrolling_space(divisors_, rest, space_, level, ladder_.model().workload());
    const u64 all = unrollings.fanout.fanout_x * unrollings.fanout.fanout_y;
    u64 most = 1;
    for_each_unrolling(unrollings, {true, true, rules_[Rule::IndexingFirst]}, [&](const Unrolling& u) -> bool {
      u64 product = 1;
      for (int d = 0; d < space_.dimension_count; ++d) product *= u.factor(d);
      most = std::max(most, product);
      return most < all;
    });
    return at->second = most;
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

  // Step 2.
  void unroll(int level, const Node& node, std::vector<Node>& out) {
    const UnrollingSpace unrollings =
        make_unrolling_space(divisors_, node.rest, space_, level, ladder_.model().workload());
    const auto take = [&](const Unrolling& u) {
      Node n = node;
      n.plan.factor[slot_of(LoopKind::SpatialX, level)] = u.x;
      n.plan.factor[slot_of(LoopKind::SpatialY, level)] = u.y;
      for (int d = 0; d < space_.dimension_count; ++d) {
        n.tile[d] *= u.factor(d);
        n.rest[d] /= u.factor(d);
      }
      if (!ladder_.tile_fits(n.tile, level, keep_)) return;
      n.score = ladder_.score(n.plan, level, n.rest);
      if (n.score.fits) out.push_back(n);
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
    Extents none;
    none.fill(1);
    const Score score = ladder_.choose_orders(plan, 1, top_, none);
    if (!score.fits) return;
    const Candidate candidate{plan, score};
    auto& best = result_.best;
    const auto at = std::find_if(best.begin(), best.end(), [&](const Candidate& c) { return candidate.better_than(c); });
    // One of each unrolling: climbs from candidates of the same one tend to end at the same place.
    const auto twin = std::find_if(best.begin(), best.end(), [&](const Candidate& c) { return same_unrolling(c.plan, plan); });
    if (twin < at) return;  // it is better
    if (twin != best.end()) best.erase(twin);
    best.insert(at, candidate);
    if (best.size() > kSunstoneKept) best.pop_back();
  }

  Ladder& ladder_;
  const Mapspace& space_;
  const std::array<TensorMask, kMaxLevels>& keep_;
  RuleSet rules_;
  const std::atomic<bool>* stop_;
  int top_;
  int outermost_fanout_ = -1;  // -1: none
  std::vector<DivisorTable> divisors_;                 // by dimension
  std::map<std::pair<int, Extents>, u64> parallel_;  // most_parallel() of a level and a rest
  SunstoneResult result_;
};

}  // namespace

SunstoneResult sunstone(Ladder& ladder, const std::array<TensorMask, kMaxLevels>& keep, const SearchOptions& options) {
  return Search(ladder, keep, options).run();
}

}  // namespace heliolite
