#pragma once
// A layer prepared for searches level by level: the loop orders of each level and the keep choices to start from.
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

}  // namespace heliolite
