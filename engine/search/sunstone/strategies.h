#pragma once
// The strategies that go level by level, each on one layer, over all keep choices.
#include <memory>
#include <vector>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/sunstone/ladder.h"
#include "engine/space/mapspace.h"
#include "engine/space/order_trie.h"

namespace heliolite {

// One layer; the problem must outlive it.
class LevelProblem {
 public:
  // With at most this many keep choices Sunstone starts from each of them, with more from a few. Its climbs then change
  // single choices.
  static constexpr std::size_t kMaxKeepChoices = 8;

  explicit LevelProblem(const LayerProblem& problem);

  const LayerProblem& problem() const { return *problem_; }
  // The ladder that prices plans; it is set to the first of keep_choices().
  std::unique_ptr<Ladder> make_ladder(const SearchBudget& budget) const;
  // The keep choices from which Sunstone starts: [choice][level] masks of the tensors kept.
  const std::vector<KeepMasks>& keep_choices() const { return keep_; }
  // [level]: the loop orders that can matter (O1-O3), and what those rules have left out.
  const std::vector<std::vector<LoopOrder>>& orders() const { return orders_; }
  const RuleCounts& order_counts() const { return order_counts_; }

 private:
  void list_orders();
  void list_keep_choices();
  KeepMasks dealt(const KeepRange& range, int first) const;
  KeepMasks with_room(KeepMasks keep, int first) const;

  const LayerProblem* problem_;
  std::vector<std::vector<LoopOrder>> orders_;
  RuleCounts order_counts_;
  std::vector<KeepMasks> keep_;
};

// What a search decides level by level, one step after the other from the inside out. Neighbouring levels without a
// fan-out between them that keep different tensors are one split level: buffers side by side, with the same tile.

// One step: the temporal loops of a level, then the fan-out between it and the next level with loops.
struct ChainStep {
  int level = -1;   // -1: no level with loops stands inside the fan-out since the last one
  int fanout = -1;  // the level whose fan-out it is; -1: none
  int outer = -1;   // the level at which what the step leaves is priced; -1: the last step, which leaves nothing
};

// The steps, innermost first. The last one is that of the outermost level, whether or not it may have loops: what is
// left of every dimension stands there.
std::vector<ChainStep> level_chain(const Mapspace& space);

// How much a search climbs.
struct ClimbEffort {
  std::size_t first_steps;  // candidates of the beam that take the first steps
  std::size_t climbs;       // those of them that are best then and climb to the end
  bool from_thesis;         // whether what the thesis' search finds climbs, too
  u64 kicks, least_kicks;   // evaluations of disturbances: what is left of the first, and no fewer than the second
  bool first_to_end;        // whether under a limit of evaluations the first start climbs to the end before the beam
};
inline constexpr ClimbEffort kClimbsAlone{10, 5, true, 8'000, 2'500, true};
inline constexpr ClimbEffort kBeforePasses{10, 1, false, 0, 0, true};  // narrow passes find what more would find
inline constexpr ClimbEffort kForLargerSizes{10, 5, true, 8'000, 2'500, false};  // the answer is cut to the true sizes

// The strategy `sunstone`: the best of the growing beam (sunstone.h) and, from there, of the thesis' search, with
// climbs (refine.h) from both.
LayerAnswer sunstone_search(const LevelProblem& levels, const SearchBudget& budget, const ClimbEffort& effort);

// The first `most` mappings that sunstone prices (greedy_starts.h), made without pricing any.
std::vector<Mapping> greedy_mappings(const LevelProblem& levels, std::size_t most);

// The strategy `thesis` (thesis_search.h).
LayerAnswer thesis_search(const LevelProblem& levels, const SearchBudget& budget);

}  // namespace heliolite
