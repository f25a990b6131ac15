#include "engine/search/sunstone/thesis_search.h"

#include <algorithm>

#include "engine/search/sunstone/fillings.h"
#include "engine/search/sunstone/partial_plan.h"
#include "engine/space/factor_tree.h"

namespace heliolite {
namespace {

// A list may use 1 / kShares of the memory: lists double as they grow, and those of several levels are held at a time.
constexpr u64 kShares = 4;

}  // namespace

ThesisSearch::ThesisSearch(Ladder& ladder, const RuleSet& rules, u64 memory_bytes, u64 evaluations)
    : ladder_(ladder),
      space_(ladder.space()),
      rules_(rules),
      chain_(level_chain(space_)),
      divisors_(divisor_tables(space_)),
      most_candidates_(std::max<u64>(2, memory_bytes / kShares / sizeof(Choice))),
      last_evaluation_(evaluations > ~u64{0} - ladder.evaluated() ? ~u64{0} : ladder.evaluated() + evaluations) {}

void ThesisSearch::run(std::optional<Candidate>& best) {
  best_ = &best;
  Node node = root();
  if (chain_.size() == 1) complete(node, 0);
  else stage(0, node);
}

ThesisSearch::Node ThesisSearch::root() const {
  Node out;
  out.plan.keep = ladder_.keep();
  for (int d = 0; d < space_.dimension_count; ++d) out.rest[d] = static_cast<u32>(space_.size[d]);
  return out;
}

std::vector<ThesisSearch::Tagged> ThesisSearch::first_candidates(const Tagger& tagger) {
  std::vector<Tagged> out;
  if (chain_.size() == 1) return {{}};
  std::optional<Candidate> none;
  std::vector<Choice> unused;
  best_ = &none;
  tagger_ = &tagger;
  tagged_ = &out;
  unrollings(0, root(), unused);
  tagger_ = nullptr;
  tagged_ = nullptr;
  return out;
}

std::optional<Score> ThesisSearch::first_price(const Choice& choice) {
  if (chain_.size() == 1) return Score{true, {}, {}};
  const Node node = after(0, root(), choice);
  const Score score = ladder_.score(node.plan, chain_.front().outer, node.rest);
  return score.fits ? std::optional(score) : std::nullopt;
}

void ThesisSearch::run_from(std::vector<Choice> candidates, std::optional<Candidate>& best) {
  if (chain_.size() == 1) return run(best);
  best_ = &best;
  follow(0, root(), candidates);
}

bool ThesisSearch::hopeless(const Value& price) {
  return *best_ && gate().prunes(Rule::AlphaBeta, [&] { return (*best_)->score.value < price; });
}

void ThesisSearch::stage(std::size_t k, const Node& node) {
  if (k + 1 == chain_.size()) {
    Node last = node;
    return complete(last, std::max(chain_[k - 1].level, 0));
  }
  std::vector<Choice> candidates;
  unrollings(k, node, candidates);
  follow(k, node, candidates);
}

// Step 2.
void ThesisSearch::follow(std::size_t k, const Node& node, std::vector<Choice>& candidates) {
  std::sort(candidates.begin(), candidates.end(), [](const Choice& a, const Choice& b) { return a.price < b.price; });
  for (const Choice& choice : candidates) {
    if (over() || hopeless(choice.price)) break;
    if (!choice.done) stage(k + 1, after(k, node, choice));
  }
}

// Step 1.
void ThesisSearch::unrollings(std::size_t k, const Node& node, std::vector<Choice>& candidates) {
  const int fanout = chain_[k].fanout;
  if (fanout < 0) return tiles(k, node, {}, candidates);
  const UnrollingSpace all = make_unrolling_space(divisors_, node.rest, space_, fanout, ladder_.model().workload());
  const bool full = rules_[Rule::FullUnrolling], indexing = rules_[Rule::IndexingFirst];
  const u64 before = reached_;
  const auto walk = [&](bool only_full) -> UnrollingCounts {
    return for_each_unrolling(all, {only_full, only_full, indexing}, [&](const Unrolling& u) -> bool {
      tiles(k, node, u, candidates);
      return !over();
    });
  };
  UnrollingCounts counts = walk(full);
  if (full) {
    counts_.add(Rule::FullUnrolling, counts.unrollings, 0);
    gate().pruned(Rule::FullUnrolling, counts.not_full + counts.not_maximal);
    // An unrolling for which there is no room is none.
    if (reached_ == before && !over()) counts = walk(false);
  }
  if (!indexing) return;
  counts_.add(Rule::IndexingFirst, counts.unrollings, 0);
  gate().pruned(Rule::IndexingFirst, counts.not_indexing);
}

void ThesisSearch::tiles(std::size_t k, const Node& node, const Unrolling& u, std::vector<Choice>& candidates) {
  const ChainStep& step = chain_[k];
  Choice choice{.price = {}, .unrolling = u};
  if (step.level < 0) return tagged_ != nullptr ? collect(node, choice, 0) : price(k, node, choice, candidates);
  Extents left = node.rest;
  for (int d = 0; d < space_.dimension_count; ++d) left[d] /= u.factor(d);
  const TileSpace all = make_tile_space(divisors_, node.tile, left, space_.levels[step.level].temporal.factor);
  const auto fits = [&](const Extents& tile) -> bool {
    if (!ladder_.tile_fits(tile, step.level)) return false;
    if (step.fanout < 0) return true;
    Extents outside = tile;
    for (int d = 0; d < space_.dimension_count; ++d) outside[d] *= u.factor(d);
    return ladder_.tile_fits(outside, step.fanout);
  };
  const bool maximal = rules_[Rule::MaximalTiles];
  const auto tag_of = [&](const Extents& tile) -> int {
    if (!fits(tile)) return kDoesNotFit;
    return tagger_ == nullptr ? 0 : (*tagger_)(tile);
  };
  const TileCounts counts = for_each_tagged_tile(all, {maximal}, tag_of, [&](const Extents& tile, int tag) -> bool {
    for (int d = 0; d < space_.dimension_count; ++d) choice.factor[d] = tile[d] / node.tile[d];
    choice.done = false;
    ladder_.count_tile(step.level);
    if (tagged_ != nullptr) collect(node, choice, tag);
    else price(k, node, choice, candidates);
    return !over();
  });
  if (maximal) counts_.add(Rule::MaximalTiles, counts.tiles + counts.not_maximal, counts.not_maximal);
}

// In the place of price(), at the first step.
void ThesisSearch::collect(const Node& node, Choice& choice, int tag) {
  const ChainStep& step = chain_.front();
  choice.order = {};
  Node next = after(0, node, choice);
  if (!rest_can_be_placed(space_, next.rest, step.level + 1, std::max(step.level, step.fanout))) return;
  const Score score = ladder_.choose_orders(next.plan, std::max(step.level, 0), step.outer, next.rest);
  if (!score.fits) return;
  ++reached_;
  choice.price = score.value;
  choice.order = next.plan.order;
  tagged_->push_back({choice, tag});
}

void ThesisSearch::price(std::size_t k, const Node& node, Choice& choice, std::vector<Choice>& candidates) {
  const ChainStep& step = chain_[k];
  Node next = after(k, node, choice);
  const int unrolled = std::max(step.level, step.fanout);
  if (!rest_can_be_placed(space_, next.rest, step.level + 1, unrolled)) return;
  const int first = std::max(step.level, 0);
  if (k + 2 == chain_.size()) return complete(next, first);
  const Score score = ladder_.choose_orders(next.plan, first, step.outer, next.rest);
  if (!score.fits) return;
  ++reached_;
  if (hopeless(score.value)) return;
  choice.price = score.value;
  choice.order = next.plan.order;
  // The cheapest so far, which stands first, is continued at once: an incumbent makes the others fewer.
  choice.done = candidates.empty() || choice.price < candidates.front().price;
  if (choice.done) stage(k + 1, next);
  candidates.push_back(choice);
  if (choice.done) std::swap(candidates.front(), candidates.back());
  if (candidates.size() >= most_candidates_) forget(candidates);
}

ThesisSearch::Node ThesisSearch::after(std::size_t k, const Node& node, const Choice& choice) const {
  const ChainStep& step = chain_[k];
  Node out = node;
  if (step.level >= 0) out.plan.factor[loop_place_of(LoopKind::Temporal, step.level)] = choice.factor;
  if (step.fanout >= 0) {
    out.plan.factor[loop_place_of(LoopKind::SpatialX, step.fanout)] = choice.unrolling.x;
    out.plan.factor[loop_place_of(LoopKind::SpatialY, step.fanout)] = choice.unrolling.y;
  }
  out.plan.order = choice.order;
  for (int d = 0; d < space_.dimension_count; ++d) {
    const u32 factor = choice.factor[d] * choice.unrolling.factor(d);
    out.tile[d] *= factor;
    out.rest[d] /= factor;
  }
  return out;
}

// The dearer half goes. That is a loss unless the incumbent is cheaper than all of it.
void ThesisSearch::forget(std::vector<Choice>& candidates) {
  std::sort(candidates.begin(), candidates.end(), [](const Choice& a, const Choice& b) { return a.price < b.price; });
  const std::size_t keep = candidates.size() / 2;
  forgot_ |= !hopeless(candidates[keep].price);
  candidates.resize(keep);
}

// Step 3. The levels inside `first` have their orders.
void ThesisSearch::complete(Node& node, int first) {
  const int top = ladder_.levels() - 1;
  Candidate candidate{node.plan, {}};
  const LevelSpace& outermost = space_.levels[top];
  for (int d = 0; d < space_.dimension_count; ++d)
    if (!outermost.temporal.factor[d].allows(node.rest[d])) return;
  candidate.plan.factor[loop_place_of(LoopKind::Temporal, top)] = node.rest;
  const Extents none = unit_extents();
  candidate.score = ladder_.choose_orders(candidate.plan, first, top, none);
  if (candidate.score.fits) ++reached_;
  if (candidate.score.fits && (!*best_ || candidate.better_than(**best_))) *best_ = candidate;
}

}  // namespace heliolite
