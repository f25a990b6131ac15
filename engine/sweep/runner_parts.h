#pragma once
// The run of a sweep: what the parts of it share that choose points, which are mapped as threads become free
// (point_mapper.h). runner.cpp has the queue and the points of plain grids, runner_goals.cpp the goals that choose by
// what is known of others.
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "arch/architecture.h"
#include "engine/search/co_search/co_search.h"
#include "engine/sweep/best_machine.h"
#include "engine/sweep/families.h"
#include "engine/sweep/front.h"
#include "engine/sweep/machine_grid.h"
#include "engine/sweep/point_mapper.h"
#include "engine/sweep/runner.h"
#include "engine/sweep/set_rows.h"
#include "engine/sweep/totals.h"

namespace heliolite {

// A point that may have to be mapped.
struct RunCandidate {
  PointRecord record;
  Architecture machine;
  Totals least;
};

// One run.
class Runner {
 public:
  Runner(const SweepSpec& spec, Store& store, const Shard& shard, const SweepHook& progress);

  Result<SweepRun> run();

 private:
  void map(const std::function<Task()>& begin_more);
  Task next(const std::function<Task()>& begin_more);
  void certify_front();
  void explore();
  bool find_best();
  std::vector<u64> machines_left(const MachineGrid& parts, const SetRows& rows);
  void map_point(u64 id);
  void map_best(const BestMachine& best);
  void pass_others(const std::vector<u64>& machines, const SetRows& rows, const BestMachine& best);
  void exclude_open(FrontCertificate& front);
  Totals least_of(u64 id) const;
  void begin_pilot();
  void begin_point();
  Task begin_family();
  std::optional<RunCandidate> consider(u64 id);
  void pass(DesignPoint point);
  void choose(std::vector<RunCandidate> members);
  void keep_best(std::vector<RunCandidate> members, const CoSearchResult& result);

  const SweepSpec& spec_;
  const DesignPoints points_;
  const ShardRule mine_;
  std::optional<Families> families_;  // if they are co-searched
  RunState state_;
  PointMapper mapper_;
  const SweepSpec fast_spec_;  // of the pass before a front is certified
  PointMapper fast_;
  PointMapper* mapping_ = &mapper_;
  bool again_ = false;  // points are mapped that have a row
  std::vector<u64> pilots_;
  std::map<u64, Totals> least_;       // of open points
  std::optional<PilotRule> rule_;     // none while the pilots are mapped
  u64 decided_before_ = 0;            // machines that were decided when the search for the best one began
  u64 cursor_ = 0;                    // next pilot, then next planned point
  bool at_end_ = false;               // no point is left to begin
  std::vector<RunCandidate> to_map_;  // as soon as there is room
};

}  // namespace heliolite
