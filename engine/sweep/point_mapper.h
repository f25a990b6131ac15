#pragma once
// Maps design points, layer by layer: hands out searches, answers equal questions once, and writes a point when its
// last layer is answered. How many points are open at a time is limited, so memory does not grow with the sweep.
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/bounds/curve/movement_distance.h"
#include "engine/search/core/parallel.h"
#include "engine/sweep/runner.h"

namespace heliolite {

class PointEvaluator;

// What all parts of a running sweep share. Everything but `spec` is to be touched under the mutex.

// The state of one run.
class RunState {
 public:
  RunState(const SweepSpec& asked, Store& rows, const SweepHook& progress)
      : spec(asked), store(rows), progress_(progress) {}

  const SweepSpec& spec;
  Store& store;
  std::mutex mutex;
  SweepRun result;
  Diagnostics errors;  // of the store; if there are any, the run ends

  // Whether somebody asked the run to stop, and whether it has to end for that or for an error.
  bool stopped() const { return spec.options.stop != nullptr && spec.options.stop->load(); }
  bool over() const { return stopped() || !errors.empty(); }

  // Adds to `errors`.
  void keep(const Diagnostics& problems) { errors.insert(errors.end(), problems.begin(), problems.end()); }
  // The value; or nothing, after adding the errors to `errors`.
  template <class T>
  std::optional<T> keep(Result<T> value) {
    if (value) return *std::move(value);
    keep(value.errors());
    return std::nullopt;
  }

  // Each of these counts points and reports them to the progress hook.
  // The point's row is in the database from an earlier run.
  void found(const PointRecord& point);
  // The point was mapped: writes its row with those of its layers that are not there yet.
  void write(const PointRecord& point, std::span<const LayerRecord> layers);
  // The point, which has a row, was mapped again, or more is known of it: no point more is counted.
  void rewrite(const PointRecord& point, std::span<const LayerRecord> layers = {});
  // How many points may still come onto the front, and how many there are with those that are on it for certain.
  void tell_front(u64 open, u64 front);
  // How far the search for the best machine is.
  void tell_best(u64 undecided, double value, double lower_bound);
  // The point is not mapped: its row is written soon, at the latest by flush().
  void pass(PointRecord point);
  // Passes on points that belong together: all rows are written at once or none.
  void pass_together(const std::vector<PointRecord>& points);
  // The point gets no row.
  void leave_out(const PointRecord& point) { report_progress(point); }
  // Writes the rows that pass() has not written yet.
  void flush();

 private:
  void report_progress(const PointRecord& point);
  Diagnostics write_all(const std::vector<PointRecord>& points);

  const SweepHook& progress_;
  SweepNews news_;
  std::vector<PointRecord> passed_;  // not yet written
};

// A record with what is known of a point before it is mapped: id, parameter values, area, compute units, capacity,
// clock.
PointRecord point_record(u64 id, std::vector<std::string> values, const Architecture& machine);

// All functions are called with the state's mutex held; the tasks that next() returns take it themselves.
class PointMapper {
 public:
  // At most `most_open` points are open at a time. `spec`: the sweep, or it with another strategy.
  PointMapper(RunState& state, const SweepSpec& spec, std::size_t most_open);
  ~PointMapper();

  // Whether no further point may be opened.
  bool full() const { return open_.size() >= most_open_; }
  // Takes a point whose layers are to be mapped on `machine`.
  void open(PointRecord record, Architecture machine);
  // Opens a point that has a row already, which is replaced with its layers when all are answered.
  void open_again(PointRecord record, Architecture machine);
  // The next search to do; empty when all layers of the open points are answered or being searched.
  Task next();

 private:
  struct OpenPoint {
    PointRecord record;
    std::shared_ptr<const Architecture> machine;
    std::vector<LayerRecord> layers;
    std::size_t asked = 0, answered = 0;
    bool again = false;  // the point has a row
  };
  // Layers of a point that are searched by one question: one, or for a network's own objective all of them.
  struct Asker {
    u64 point = 0;
    std::size_t layer = 0, layers = 1;
  };
  // The rows of an asker's layers, and of a network's own objective what no mappings are below, in the point's unit.
  struct PointAnswer {
    std::vector<LayerRecord> layers;
    std::optional<double> lower_bound;
  };

  Task ask(OpenPoint& point);
  bool known(const Asker& asker, const std::string& question);
  bool known_together(const Asker& asker, const std::string& question);
  void search(const Asker& first, const Architecture& machine, const std::string& question,
              const std::string& parameters);
  PointAnswer for_asker(PointAnswer answer, const Asker& asker) const;
  void answered(const Asker& asker, PointAnswer answer, bool written);
  void conclude(OpenPoint& point, std::optional<double> lower_bound) const;

  RunState& state_;
  const SweepSpec& spec_;
  const std::size_t most_open_;
  MovementBound bound_;                              // asked without the mutex
  const std::unique_ptr<PointEvaluator> evaluator_;  // asked without the mutex; null: costs are the model's
  std::map<u64, OpenPoint> open_;
  u64 asking_ = 0;                                   // the open point whose layers are being asked
  std::map<std::string, std::vector<Asker>> asked_;  // questions being searched, and who waits for the answer
};

}  // namespace heliolite
