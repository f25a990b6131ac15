#pragma once
// Maps design points, layer by layer: hands out searches, answers equal questions once, and writes a point when its
// last layer is answered. How many points are open at a time is limited, so memory does not grow with the sweep.
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/bounds/curve/movement_distance.h"
#include "engine/search/core/parallel.h"
#include "engine/sweep/run_state.h"

namespace heliolite {

// All functions are called with the state's mutex held; the tasks that next() returns take it themselves.
class PointMapper {
 public:
  // At most `most_open` points are open at a time.
  PointMapper(RunState& state, std::size_t most_open) : state_(state), most_open_(most_open) {}

  // Whether no further point may be opened.
  bool full() const { return open_.size() >= most_open_; }
  // Takes a point whose layers are to be mapped on `machine`.
  void open(PointRecord record, Architecture machine);
  // The next search to do; empty when all layers of the open points are answered or being searched.
  Task next();

 private:
  struct OpenPoint {
    PointRecord record;
    std::shared_ptr<const Architecture> machine;
    std::vector<LayerRecord> layers;
    std::size_t asked = 0, answered = 0;
  };
  // A layer of a point.
  struct Asker {
    u64 point = 0;
    std::size_t layer = 0;
  };

  Task ask(OpenPoint& point);
  bool known(const Asker& asker, const std::string& question);
  void search(const Asker& first, const Architecture& machine, const std::string& question);
  void answered(const Asker& asker, LayerRecord record, bool written);
  void conclude(OpenPoint& point) const;

  RunState& state_;
  const std::size_t most_open_;
  MovementBound bound_;  // asked without the mutex
  std::map<u64, OpenPoint> open_;
  u64 asking_ = 0;                                   // the open point whose layers are being asked
  std::map<std::string, std::vector<Asker>> asked_;  // questions being searched, and who waits for the answer
};

}  // namespace heliolite
