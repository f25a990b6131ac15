#pragma once
// The exact search of a range of keep choices: a layered graph whose nodes are partial mappings (nest_steps.h),
// with a stage after each level, from the inside out. Proofs: docs/rules/exact.md.
#include <functional>
#include <vector>

#include "engine/search/certify/incumbent.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/rules.h"
#include "engine/search/exact/frontier.h"
#include "engine/search/exact/partial_bounds.h"

namespace heliolite {

// What a pass has left out.
struct PassEnd {
  bool complete = false;    // nothing was left out that could beat the incumbent
  bool by_memory = false;   // something was left out because the memory had no room for it
  bool by_budget = false;   // it was ended by the budget
  ObjectiveKey least_left;  // least bound of what was left out, by the width, the memory or the budget

  // Something with this bound is left out.
  void record_unexplored(const ObjectiveKey& bound) {
    complete = false;
    if (bound < least_left) least_left = bound;
  }
  // Something with this bound is left out for lack of memory; infinity: nothing is.
  void leave_by_memory(const ObjectiveKey& bound) {
    if (!(bound < ObjectiveKey())) return;
    by_memory = true;
    record_unexplored(bound);
  }
};

// A pass after one of its levels, before anything is left out by the width; level -1: nothing is placed. The frontier
// after the level is layers[level + 1].
struct PassStage {
  const FlowCosts& model;
  const PartialBounds& bounds;
  const std::vector<Frontier>& layers;
  int level;
  const Incumbent& incumbent;
  const PassEnd& pass;
};
using StageObserver = std::function<void(const PassStage&)>;

// The layered graph of a range of keep choices; run() may be called several times, with growing width.
class LayeredPass {
 public:
  static constexpr std::size_t kAnyWidth = ~std::size_t{0};

  // The frontiers that are held at a time take at most `bytes`. The tables are built here; if stop() says so they are
  // given up: then ready() is false, and nothing else may be asked.
  // `tables`: those of an equal model, which need not be built.
  LayeredPass(const LayerProblem& problem, FlowCosts model, u64 bytes, const std::function<bool()>& stop = {},
              std::shared_ptr<const RestBounds> tables = nullptr);
  LayeredPass(const LayeredPass&) = delete;
  LayeredPass& operator=(const LayeredPass&) = delete;

  bool ready() const { return bounds_.tables().complete(); }

  // Goes once over the levels, innermost first, and keeps at most `width` partial mappings after each, and no more than
  // the memory holds. Gives the same result for any number of threads. `proven` and `observe` are called after each
  // level.
  PassEnd run(std::size_t width, const SearchBudget& budget, Incumbent& incumbent, const BoundObserver& proven,
              const StageObserver& observe = {});

  // A lower bound of all mappings with these keep choices on the machine.
  CostBound root_bound(u32 machine) const;
  // On all machines.
  CostBound root_bound() const;

  std::size_t machines() const { return model_.machine.size(); }

  const SearchStatistics& statistics() const { return statistics_; }
  const std::vector<bool>& machines_tried() const { return machines_tried_; }

 private:
  struct Range;
  struct Part;

  Gate gate() { return {problem_.options.rules, statistics_.rules}; }

  bool extend(int level, std::vector<Frontier>& layers, const SearchBudget& budget, Incumbent& incumbent,
              PassEnd& pass);
  void extend(Part& part, int level, const std::vector<Frontier>& layers, const SearchBudget& budget) const;
  void merge(std::vector<Part>& parts, int level, const SearchBudget& budget, Frontier& out, PassEnd& pass);
  std::size_t room_after(const std::vector<Frontier>& layers, int level) const;

  const LayerProblem& problem_;
  const FlowCosts model_;
  const PartialBounds bounds_;
  const u64 bytes_;
  SearchStatistics statistics_;
  std::vector<bool> machines_tried_;
};

}  // namespace heliolite
