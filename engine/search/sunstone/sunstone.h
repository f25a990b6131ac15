#pragma once
// The Sunstone strategy (Ng, UBC 2022; Olyaiy et al., ISPASS 2023): from the inside out, unrollings, tiles from a
// factor tree, loop orders from a trie, with alpha-beta between levels. Steps:
//  1. Unrollings of every fan-out (rules full-unrolling, indexing-first), innermost first, with the cheapest orders.
//  2. Of each, the tiles of the levels inside the outermost fan-out that suit it best.
//  3. Best first, the tiles of the levels outside (rule maximal-tiles), until traffic so far and the compulsory rest
//     exceed the incumbent (rule alpha-beta): complete mappings.
// Each step keeps the most promising few (rule beam).
#include <algorithm>
#include <vector>

#include "engine/search/core/rules.h"
#include "engine/search/sunstone/fillings.h"
#include "engine/search/sunstone/ladder.h"
#include "engine/search/sunstone/partial_plan.h"

namespace heliolite {

// The best few of many partial plans: at most twice as many are held at a time.

// Collects plans and keeps the best.
class Shortlist {
 public:
  // Keeps the `width` best.
  explicit Shortlist(std::size_t width) : width_(width) {}

  void add(const PartialPlan& p) {
    ++offered_;
    if (full_ && worst_ < p.score.value) return;
    plans_.push_back(p);
    if (plans_.size() / 2 >= width_) trim();
  }
  // How many were added, kept or not.
  std::size_t offered() const { return offered_; }
  bool empty() const { return plans_.empty(); }

  // The plans kept, best first; afterwards the list must not be used.
  std::vector<PartialPlan> take() {
    if (plans_.size() > width_) trim();
    std::sort(plans_.begin(), plans_.end(), before);
    return std::move(plans_);
  }

 private:
  static bool before(const PartialPlan& a, const PartialPlan& b) { return a.before(b); }
  void trim() {
    const auto end = plans_.begin() + width_;
    std::nth_element(plans_.begin(), end - 1, plans_.end(), before);
    plans_.resize(width_);
    worst_ = plans_.back().score.value;
    full_ = true;
  }

  std::size_t width_;
  std::size_t offered_ = 0;
  std::vector<PartialPlan> plans_;
  bool full_ = false;
  Value worst_;
};

// Complete plans that a search returns at most.
inline constexpr std::size_t kSunstoneKept = 4;

// One search, with the keep choice and the machine that the ladder is set to.
class Sunstone {
 public:
  // `fillings`: of the ladder's mapspace. `must_complete`: when the budget is used up, it still completes something, by
  // a few evaluations more.
  Sunstone(Ladder& ladder, const RuleSet& rules, Fillings& fillings, bool must_complete = true);

  // Steps 1 and 2: the most promising partial plans, best first.
  std::vector<PartialPlan> begin();
  // Step 2 again for one of them, on the machine that the ladder now uses. Returns false if no tile fits.
  bool begin_again(PartialPlan& plan);
  // Step 3 for the partial plans; complete plans go to best().
  void complete(const std::vector<PartialPlan>& plans);

  // The best complete plans of different unrollings, best first.
  const std::vector<Candidate>& best() const { return best_; }
  const RuleCounts& rules() const { return counts_; }

 private:
  Gate gate() { return {rules_, counts_}; }
  bool over() const { return !must_complete_ && ladder_.stopped(); }
  std::size_t beam(std::size_t width) const;
  const SpatialSpace& spatial(int level) const { return space_.levels[level].spatial; }
  std::vector<PartialPlan> take(Shortlist& list, std::size_t width);
  bool hopeless(const PartialPlan& plan);
  std::vector<PartialPlan> unrollings();
  void unroll(const PartialPlan& plan, int level, Shortlist& out);
  std::vector<PartialPlan> inner_tiles(std::vector<PartialPlan> plans);
  int next_fanout(int level) const;
  std::vector<PartialPlan> tiles(const std::vector<PartialPlan>& plans, int level, int outer, std::size_t width);
  void enumerate(const PartialPlan& plan, int level, int outer, Shortlist& out);
  void complete_plan(const PartialPlan& plan);
  void offer(const Candidate& candidate);

  Ladder& ladder_;
  const Mapspace& space_;
  RuleSet rules_;
  bool must_complete_;
  int top_;
  int outermost_fanout_ = top_;  // 0 if there is none
  Fillings& fillings_;
  const std::vector<DivisorTable>& divisors_;  // by dimension
  std::vector<Candidate> best_;
  RuleCounts counts_;
};

}  // namespace heliolite
