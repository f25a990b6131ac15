#pragma once
// The exact search of a range of keep choices: a layered graph whose nodes are partial mappings (nest_steps.h),
// with a stage after each level, from the inside out. Proofs: docs/rules/exact.md.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/search/certify/incumbent.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/core/rules.h"
#include "engine/search/exact/fanout.h"
#include "engine/search/exact/frontier.h"
#include "engine/search/exact/partial_bounds.h"
#include "engine/search/exact/parts.h"

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

// The passes over one range of the mapspace, until nothing below the incumbent is left in it, or a budget ends them.

class LayeredPass;
class PeerSites;
struct PassEnd;
struct PassStage;

// What the exact search needs to search a range of the mapspace: the lattice of tiles and the fan-outs, which all
// ranges share, and for each range the flows, their tables and the passes over them.

// How coarse the grid of the exact search's tables has to be (docs/rules/exact.md, "Coarse tables").

// Whether the tables of all keep choices, on a coarse grid, take so long or leave so little memory that coarser ones
// are better.
bool coarse_tables_are_large(const LayerProblem& problem, const Lattice& lattice,
                             std::span<const FanoutChoices> fanouts);

// The lattice with a coarser grid; none: its grid is as coarse as is of use.
std::optional<Lattice> with_coarser_grid(const Lattice& lattice);

// A range with what its passes need.
struct PreparedRange {
  std::shared_ptr<const std::vector<FanoutChoices>> fanouts;
  u64 bytes = 0;  // of tables, and of fan-outs that other ranges have not
  std::unique_ptr<LayeredPass> passes;
};

// The lattice and the fan-outs of a mapspace, and what is made of them for its ranges.
class RangeTables {
 public:
  // The grid is made coarser until the tables of all keep choices are of use. The problem must
  // outlive it.
  RangeTables(const LayerProblem& problem, const GridLimits& limits);

  const Lattice& lattice() const { return lattice_; }
  // [level]: with all choices. Empty: there is no memory for them.
  const std::vector<FanoutChoices>& fanouts() const { return *fanouts_; }
  // Most instances of all fan-outs together.
  double most_instances() const;

  // Makes the grid of the tables coarser; ranges prepared before must not be used any more. False: it is as coarse as
  // is of use.
  bool coarsen();

  // None: there is no memory for the tables of the range while others hold `held` bytes. With `cycles_only` energy
  // counts as nothing. `stop`: as LayeredPass() has it. What is prepared refers to this object.
  std::optional<PreparedRange> prepare(const SearchRange& range, u64 held, bool cycles_only,
                                       const std::function<bool()>& stop) const;

 private:
  const LayerProblem& problem_;
  Lattice lattice_;
  std::shared_ptr<const std::vector<FanoutChoices>> fanouts_;
  std::shared_ptr<PeerSites> sites_;  // of all ranges
};

// Why there can be no further pass after this number of evaluations; Done: there can. The tasks of a pass share its
// evaluations: if few are left some would have none.
SearchEnd exhausted_reason(const SearchBudget& budget, u64 evaluated);

// `run` searches the range.
class RangePasses {
 public:
  // States that the first pass keeps of each set of servers. It looks for a better incumbent.
  static constexpr std::size_t kNarrow = 16;

  // `search` gives the passes, `proven` is what nothing in the range is below; `watch` and `observe` as
  // LayeredPass::run has them. All must outlive the search.
  RangePasses(LayeredPass& search, const SearchBudget& budget, u64 before_parts, Incumbent& incumbent,
              ObjectiveKey& proven, const BoundObserver& watch, const std::function<void(const PassStage&)>& observe)
      : search_(search),
        budget_(budget),
        before_parts_(before_parts),
        incumbent_(incumbent),
        proven_(proven),
        watch_(watch),
        observe_(observe) {}

  // `in_parts` arranges for the parts of the range to be searched instead, and is asked when a pass prices more than
  // `before_parts` mappings; false: there are none. Returns why the range could not be searched to the end; Done: it
  // was, or its parts will be.
  SearchEnd run(const std::function<bool()>& in_parts);

 private:
  u64 evaluated() const;
  PassEnd pass(std::size_t width, const SearchBudget& budget);
  SearchEnd wide();
  void rise(u64 most);

  LayeredPass& search_;
  const SearchBudget& budget_;
  const u64 before_parts_;
  Incumbent& incumbent_;
  ObjectiveKey& proven_;
  const BoundObserver& watch_;
  const std::function<void(const PassStage&)>& observe_;
};

}  // namespace heliolite
