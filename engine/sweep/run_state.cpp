#include "engine/sweep/run_state.h"

#include <span>

#include "engine/sweep/derived_values.h"

namespace heliolite {
namespace {

constexpr std::size_t kWritesTogether = 200;

}  // namespace

void RunState::found(const PointRecord& point) {
  ++news_.kept;
  tell(point);
}

void RunState::write(const PointRecord& point, const LayerRecord& last_layer) {
  keep(store.write(point, std::span(&last_layer, 1)));
  ++result.points;
  tell(point);
}

void RunState::pass(PointRecord point) {
  tell(point);
  passed_.push_back(std::move(point));
  if (passed_.size() >= kWritesTogether) flush();
}

void RunState::pass_together(std::vector<PointRecord> points) {
  keep(write_all(points));
  for (const PointRecord& point : points) tell(point);
}

void RunState::flush() {
  if (passed_.empty() || !errors.empty()) return;
  keep(write_all(passed_));
  passed_.clear();
}

Diagnostics RunState::write_all(const std::vector<PointRecord>& points) {
  result.points += points.size();
  return store.together([&] {
    for (const PointRecord& point : points)
      if (Diagnostics problems = store.write(point); !problems.empty()) return problems;
    return Diagnostics{};
  });
}

void RunState::tell(const PointRecord& point) {
  ++news_.points;
  if (point.state == PointState::Done && (!news_.best || point.value < *news_.best)) news_.best = point.value;
  if (progress_) progress_(news_);
}

PointRecord point_record(u64 id, std::vector<std::string> values, const Architecture& machine) {
  PointRecord record;
  record.id = id;
  record.values = std::move(values);
  record.area_um2 = machine.area_um2();
  record.compute_units = machine.compute.instances;
  record.capacity_bytes = total_capacity_bytes(machine);
  record.cycle_ns = machine.cycle_ns;
  return record;
}

}  // namespace heliolite
