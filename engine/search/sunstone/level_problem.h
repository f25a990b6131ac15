#pragma once
// A layer prepared for searches level by level: the loop orders of each level and the keep choices to start from.
#include <memory>
#include <vector>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/sunstone/ladder.h"
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

}  // namespace heliolite
