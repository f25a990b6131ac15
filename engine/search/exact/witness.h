#pragma once
// The witness: a known mapping led through the exact search step by step, with what every bound says of it on the way.
// A bound above the mapping's own cost would cut it wrongly.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/search/certify/incumbent.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/rules.h"
#include "engine/search/exact/partial_bounds.h"

namespace heliolite {

struct PassStage;

// One bound that the search computes on the way to the mapping.
struct WitnessStep {
  int level = 0;
  std::string_view bound;          // "root", "instances", "unrolling", "receivers", "unrolled", "tiles", "enlarged",
                                   // "candidate", "ordered", "begun", "tile", "sum"
  Rule rule = Rule::LatticeBound;  // that asks it
  CostBound value;
};

// A perfect mapping of the problem's mapspace, built level by level as the search builds it.
class WitnessWalk {
 public:
  // The model and the bounds must outlive the walk; the model's range has the mapping's kept tensors.
  WitnessWalk(const FlowCosts& model, const PartialBounds& bounds, const Mapping& mapping);

  // Adds the loops of the next level. Appends to `out` the bounds of which the search asks there, in its order; the
  // last is "tile", at the outermost level "sum": the energy and cycles that the flows add up to. False if the search
  // cannot meet the mapping: factors that do not divide, two loops of one dimension at the level, an unrolling that is
  // not allowed, or more sliding flows than it holds.
  bool add_level(std::vector<WitnessStep>& out);

  // The partial mapping after the levels added, and how the search names the last of them: as in FrontierNode.
  const PartialMapping& state() const { return s_; }
  u32 choice() const { return choice_; }
  u64 order() const { return order_; }
  // Whether the dimensions of the mapping given have changed places in state() and order() (rule symmetry), and whether
  // they had before the last level was added, as in choice().
  bool swapped() const { return swapped_; }
  bool swapped_before() const { return swapped_before_; }

 private:
  bool add_unrolling(std::vector<WitnessStep>& out);
  void ask_of_tile(const LatticePoint& tile, std::vector<WitnessStep>& out) const;
  void swap();
  LatticePoint own_tile() const;
  bool add_loops(const LatticePoint& tile, std::vector<WitnessStep>& out);

  const FlowCosts& m_;
  const PartialBounds& bounds_;
  Mapping mapping_;
  NestSteps steps_;
  PartialMapping s_;
  int level_ = -1;  // the last one added, or being added
  int loop_ = 0;    // of the mapping, the next one to be placed
  u32 choice_ = 0;
  u64 order_ = 0;
  bool swapped_ = false, swapped_before_ = false;
};

// What stands for a mapping where a rule of the exact search drops it: the other mappings that a witness becomes.

// The mapping with the loops of a level in another order, which is as in FrontierNode (rule free-loops).
Mapping reordered(const Mapping& mapping, int level, u64 order);

// The orders, as in FrontierNode, in which the search tries the loops of the mapping at the stage's level, whatever
// they cost. `parent`: the node that the mapping came to in the stage before; `walk`: it has led the mapping through
// the level. Without rule free-loops: the mapping's own.
std::vector<u64> orders_tried(const LayerProblem& problem, const PassStage& stage, u32 parent, const Mapping& mapping,
                              const WitnessWalk& walk);

// The mapping with all that has room moved from its innermost loops of `level` (1 or more) into the level inside (rule
// push-in); the same mapping: nothing has.
Mapping all_moved_in(const FlowCosts& model, const Mapping& mapping, int level);

// Follows a witness through the passes of an exact search and notes what removes it. It looks on from outside, stage by
// stage: a search without a witness does not ask about one anywhere.
class WitnessWatch {
 public:
  // `witness`: a perfect mapping of the problem's mapspace that fits. The problem must outlive the watch.
  WitnessWatch(const LayerProblem& problem, const Mapping& witness);

  // Whether the range has the witness' keep choice: only then a search of the range looks at it.
  bool in(const KeepRange& keep) const;
  // Its range of keep choices is not searched, by rule keep-bound.
  void keep_choice_cut(const ObjectiveKey& bound, const ObjectiveKey& limit);
  // A stage of a pass over its range is done; stages come in order, each pass begins anew.
  void observe(const PassStage& stage);

  // What became of it, given the answer of the search.
  WitnessReport report(const LayerAnswer& answer) const;

 private:
  // How the search came to a partial mapping of a stage.
  struct Arrival {
    u32 parent = 0, choice = 0, servers = 0;
    u64 tile = 0;
    u64 order = 0;
  };

  void begin();
  void cut(int level, Rule rule, std::string what, const ObjectiveKey& bound, const ObjectiveKey& limit);
  void lost(int level, std::string limit);
  void error(std::string what);
  void check_bound(int level, Rule rule, std::string_view what, const ObjectiveKey& bound);
  bool cut_by(const PassStage& stage, std::span<const WitnessStep> steps);
  void look_after(const PassStage& stage, u32 parent);
  void push_in(const FlowCosts& model);
  bool pushed_in(const PassStage& stage);
  void absent(const PassStage& stage, const WitnessWalk& walk, const WitnessStep& tile, u32 parent);
  void stand_in(const Mapping& next, WitnessEvent event);
  ObjectiveKey key_of(const Mapping& mapping) const;
  std::string level_name(int level) const { return problem_.space.level_names[level]; }

  const LayerProblem& problem_;
  const Mapping witness_;
  Mapping followed_;      // the witness, or what stands for it
  ObjectiveKey its_key_;  // of the mapping followed
  Arrival arrival_;       // of the mapping followed, in the stage looked at last
  bool gone_ = false;
  bool searched_ = false;  // its range was looked at
  WitnessReport report_;
};

}  // namespace heliolite
