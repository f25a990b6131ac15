#pragma once
// What all parts of a running sweep share. Everything but `spec` is to be touched under the mutex.
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/sweep/runner.h"

namespace heliolite {

class RunState {
 public:
  RunState(const SweepSpec& asked, Store& rows, const SweepHook& progress)
      : spec(asked), store(rows), progress_(progress) {}

  const SweepSpec& spec;
  Store& store;
  std::mutex mutex;
  SweepRun result;
  Diagnostics errors;  // of the store: the run ends

  bool stopped() const { return spec.options.stop != nullptr && spec.options.stop->load(); }
  bool over() const { return stopped() || !errors.empty(); }

  void keep(const Diagnostics& problems) { errors.insert(errors.end(), problems.begin(), problems.end()); }
  // The value, or nothing after keeping the errors.
  template <class T>
  std::optional<T> keep(Result<T> value) {
    if (value) return *std::move(value);
    keep(value.errors());
    return std::nullopt;
  }

  // A point of an earlier run.
  void found(const PointRecord& point);
  // A point that was mapped: its row, and that of its last layer.
  void write(const PointRecord& point, const LayerRecord& last_layer);
  // A point that is not mapped; written soon, at the latest by flush().
  void pass(PointRecord point);
  // The same for points that belong together: all are written or none.
  void pass_together(std::vector<PointRecord> points);
  // A point that no row tells of.
  void leave_out(const PointRecord& point) { tell(point); }
  void flush();

 private:
  void tell(const PointRecord& point);
  Diagnostics write_all(const std::vector<PointRecord>& points);

  const SweepHook& progress_;
  SweepNews news_;
  std::vector<PointRecord> passed_;  // not yet written
};

// What is recorded of a point whatever becomes of it.
PointRecord point_record(u64 id, std::vector<std::string> values, const Architecture& machine);

}  // namespace heliolite
