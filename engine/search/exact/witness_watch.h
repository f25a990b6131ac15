#pragma once
// Follows a witness through the passes of an exact search and notes what removes it. It looks on from outside, stage by
// stage: a search without a witness does not ask about one anywhere.
#include <span>
#include <string>
#include <vector>

#include "engine/search/core/answer.h"
#include "engine/search/exact/layered_pass.h"
#include "engine/search/exact/witness.h"

namespace heliolite {

// One witness in one search.
class WitnessWatch {
 public:
  // `witness`: a perfect mapping of the problem's mapspace that fits. The problem must outlive the watch.
  WitnessWatch(const LayerProblem& problem, const Mapping& witness);

  // Whether the range has the witness' keep choice: only then a search of the range looks at it.
  bool in(const KeepRange& keep) const;
  // Its range of keep choices is not searched, by rule keep-bound.
  void keep_choice_cut(const ObjectiveKey& bound, const ObjectiveKey& limit);
  // A stage of a pass over its range is done; stages come in order, each pass begins anew.
  void look(const PassStage& stage);

  // What became of it, beside the search's answer.
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
  std::string level_name(int level) const { return problem_.space.level_names[at(level)]; }

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
