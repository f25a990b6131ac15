#include "engine/sweep/point_mapper.h"

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "engine/search/map.h"
#include "engine/sweep/expression.h"
#include "engine/sweep/question.h"
#include "engine/sweep/records.h"
#include "engine/sweep/totals.h"

namespace heliolite {
namespace {

constexpr std::size_t kWritesTogether = 200;

}  // namespace

void RunState::found(const PointRecord& point) {
  ++news_.kept;
  report_progress(point);
}

void RunState::write(const PointRecord& point, const LayerRecord& last_layer) {
  keep(store.write(point, std::span(&last_layer, 1)));
  ++result.points;
  report_progress(point);
}

void RunState::pass(PointRecord point) {
  report_progress(point);
  passed_.push_back(std::move(point));
  if (passed_.size() >= kWritesTogether) flush();
}

void RunState::pass_together(std::vector<PointRecord> points) {
  keep(write_all(points));
  for (const PointRecord& point : points) report_progress(point);
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

void RunState::report_progress(const PointRecord& point) {
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

void PointMapper::open(PointRecord record, Architecture machine) {
  asking_ = record.id;
  OpenPoint& point = open_[record.id];
  point.record = std::move(record);
  point.machine = std::make_shared<const Architecture>(std::move(machine));
  point.layers.resize(state_.spec.layers.size());
}

Task PointMapper::next() {
  while (!state_.over()) {
    const auto asking = open_.find(asking_);
    if (asking == open_.end() || asking->second.asked == state_.spec.layers.size()) return {};
    if (Task task = ask(asking->second)) return task;
  }
  return {};
}

// Asks for the point's next layer: a search to do, or nothing when the answer is known or on its way.
Task PointMapper::ask(OpenPoint& point) {
  const Asker asker{point.record.id, point.asked++};
  const std::shared_ptr<const Architecture> machine = point.machine;
  std::string question = layer_question(state_.spec.layers[asker.layer].layer.workload, *machine, state_.spec.options);
  if (const auto waiting = asked_.find(question); waiting != asked_.end()) {
    waiting->second.push_back(asker);
    return {};
  }
  if (known(asker, question) || state_.over()) return {};
  asked_[question] = {asker};
  return [this, asker, machine, question = std::move(question)] { search(asker, *machine, question); };
}

// Answers the layer from the store if that has its row (a run was interrupted before the point was done) or one with an
// equal question.
bool PointMapper::known(const Asker& asker, const std::string& question) {
  const auto row = state_.keep(state_.store.layer(asker.point, asker.layer));
  if (row && *row && (*row)->question == question) {
    answered(asker, **row, true);
    return true;
  }
  const auto equal = state_.keep(state_.store.answer(question));
  if (!equal || !*equal) return false;
  ++state_.result.reused;
  answered(asker, reused(**equal, state_.spec.layers[asker.layer]), false);
  return true;
}

// On any thread. Under a name that says nothing of who asked first.
void PointMapper::search(const Asker& first, const Architecture& machine, const std::string& question) {
  Layer layer{state_.spec.layers[first.layer].layer.workload, 1};
  layer.workload.name = "layer";
  const Result<NetworkResult> found = map_network({"", {layer}}, machine, state_.spec.options);
  const bool stopped = state_.stopped();  // then it was perhaps not done
  std::optional<LayerRecord> record;
  if (found && !stopped)
    record = layer_record(state_.spec.layers[first.layer], machine, found->layers.front().result, bound_, question);
  const std::lock_guard lock(state_.mutex);
  if (!found) state_.keep(found.errors());
  if (!record || !state_.errors.empty()) return;
  ++state_.result.searched;
  const std::vector<Asker> askers = std::move(asked_.extract(question).mapped());
  for (const Asker& asker : askers) {
    const bool reuses = asker.point != first.point || asker.layer != first.layer;
    state_.result.reused += reuses;
    answered(asker, reuses ? reused(*record, state_.spec.layers[asker.layer]) : *record, false);
  }
}

void PointMapper::answered(const Asker& asker, LayerRecord record, bool written) {
  const auto at = open_.find(asker.point);
  OpenPoint& point = at->second;
  record.point = asker.point;
  record.layer = asker.layer;
  const bool last = ++point.answered == point.layers.size();
  if (!last && !written) state_.keep(state_.store.write(record));
  point.layers[asker.layer] = std::move(record);
  if (!last) return;
  conclude(point);
  state_.write(point.record, point.layers[asker.layer]);
  open_.erase(at);
}

// All layers are answered.
void PointMapper::conclude(OpenPoint& point) const {
  const auto unmapped = std::ranges::find(point.layers, name(Status::Infeasible), &LayerRecord::status);
  if (unmapped != point.layers.end()) {
    point.record.state = PointState::Infeasible;
    point.record.reason = fmt::format("no mapping of {}: {}", unmapped->name, unmapped->reason);
    return;
  }
  const Totals sum = totals(point.layers, ranking_of(state_.spec), point.record.cycle_ns);
  point.record.energy_pj = sum.energy_pj;
  point.record.cycles = sum.cycles;
  point.record.value = sum.value;
  point.record.lower_bound = sum.lower_bound;
  point.record.sum_of_layer_values = sum.sum_of_layer_values;
  point.record.words_moved = sum.words_moved;
  point.record.least_words = sum.least_words;
}

}  // namespace heliolite
