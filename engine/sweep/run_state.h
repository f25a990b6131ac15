#pragma once
// What all parts of a running sweep share. Everything but `spec` is to be touched under the mutex.
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/sweep/runner.h"

namespace heliolite {

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
  // The point was mapped: writes its row and that of its last layer, the others are there.
  void write(const PointRecord& point, const LayerRecord& last_layer);
  // The point is not mapped: its row is written soon, at the latest by flush().
  void pass(PointRecord point);
  // The same for points that belong together: all rows are written at once or none.
  void pass_together(std::vector<PointRecord> points);
  // The point gets no row.
  void leave_out(const PointRecord& point) { tell(point); }
  // Writes the rows that pass() has not written yet.
  void flush();

 private:
  void tell(const PointRecord& point);
  Diagnostics write_all(const std::vector<PointRecord>& points);

  const SweepHook& progress_;
  SweepNews news_;
  std::vector<PointRecord> passed_;  // not yet written
};

// A record with what is known of a point before it is mapped: id, parameter values, area, compute units, capacity,
// clock.
PointRecord point_record(u64 id, std::vector<std::string> values, const Architecture& machine);

}  // namespace heliolite
