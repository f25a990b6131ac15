#include "engine/sweep/point_mapper.h"

#include <fmt/format.h>
#include <algorithm>

#include "engine/sweep/design_points.h"
#include "engine/sweep/front.h"
#include "engine/sweep/point_answer.h"
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

void RunState::write(const PointRecord& point, std::span<const LayerRecord> layers) {
  keep(store.write(point, layers));
  ++result.points;
  report_progress(point);
}

void RunState::rewrite(const PointRecord& point, std::span<const LayerRecord> layers) {
  keep(store.write(point, layers));
}

void RunState::tell_front(u64 open, u64 front) {
  news_.front = front, news_.open = open;
  if (progress_) progress_(news_);
}

void RunState::tell_best(u64 undecided, double value, double lower_bound) {
  news_.undecided = undecided, news_.least_value = value, news_.lower_bound = lower_bound;
  if (progress_) progress_(news_);
}

void RunState::pass(PointRecord point) {
  report_progress(point);
  passed_.push_back(std::move(point));
  if (passed_.size() >= kWritesTogether) flush();
}

void RunState::pass_together(const std::vector<PointRecord>& points) {
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
  return store.write_all(points);
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

PointMapper::PointMapper(RunState& state, const SweepSpec& spec, std::size_t most_open)
    : state_(state),
      spec_(spec),
      most_open_(most_open),
      evaluator_(spec.evaluator.command.empty() ? nullptr : std::make_unique<PointEvaluator>(spec)) {}

PointMapper::~PointMapper() = default;

void PointMapper::open(PointRecord record, Architecture machine) {
  asking_ = record.id;
  OpenPoint& point = open_[record.id];
  point.record = std::move(record);
  point.machine = std::make_shared<const Architecture>(std::move(machine));
  point.layers.resize(spec_.layers.size());
}

void PointMapper::open_again(PointRecord record, Architecture machine) {
  const u64 id = record.id;
  open(std::move(record), std::move(machine));
  open_.at(id).again = true;
}

Task PointMapper::next() {
  while (!state_.over()) {
    const auto asking = open_.find(asking_);
    if (asking == open_.end() || asking->second.asked == spec_.layers.size()) return {};
    if (Task task = ask(asking->second)) return task;
  }
  return {};
}

// Asks for the point's next layer, or all of them: a search to do, or nothing when the answer is known or on its way.
Task PointMapper::ask(OpenPoint& point) {
  const bool together = maps_together(spec_);
  const Asker asker{point.record.id, point.asked, together ? point.layers.size() : 1};
  point.asked += asker.layers;
  const std::shared_ptr<const Architecture> machine = point.machine;
  std::string question = together ? network_question(spec_, *machine)
                                  : layer_question(spec_.layers[asker.layer].layer.workload, *machine, spec_.options);
  // Another program may look at the parameters themselves.
  const std::string parameters = evaluator_ ? evaluator_->parameters_text(point.record) : "";
  if (evaluator_) question = evaluator_->question(question, parameters);
  if (const auto waiting = asked_.find(question); waiting != asked_.end()) {
    waiting->second.push_back(asker);
    return {};
  }
  const bool is_known = together ? known_together(asker, question) : known(asker, question);
  if (is_known || state_.over()) return {};
  asked_[question] = {asker};
  return [this, asker, machine, question = std::move(question), parameters] {
    search(asker, *machine, question, parameters);
  };
}

// Answers the layer from the store if that has its row (a run was interrupted before the point was done) or one with an
// equal question.
bool PointMapper::known(const Asker& asker, const std::string& question) {
  const auto row = state_.keep(state_.store.layer(asker.point, asker.layer));
  if (row && *row && (*row)->question == question) {
    answered(asker, {{**row}, {}}, true);
    return true;
  }
  const auto equal = state_.keep(state_.store.answer(question));
  if (!equal || !*equal) return false;
  ++state_.result.reused;
  answered(asker, for_asker({{**equal}, {}}, asker), false);
  return true;
}

// What is known of all layers of a point together: their rows are written with their point's, so another that asked
// this has all of them.
bool PointMapper::known_together(const Asker& asker, const std::string& question) {
  const auto equal = state_.keep(state_.store.answer(question));
  if (!equal || !*equal) return false;
  const auto point = state_.keep(state_.store.point((*equal)->point));
  if (!point || !*point) return false;
  PointAnswer answer{{}, (*point)->lower_bound};
  for (std::size_t k = 0; k < asker.layers; ++k) {
    const auto row = state_.keep(state_.store.layer((*equal)->point, k));
    if (!row || !*row || (*row)->question != question) return false;
    answer.layers.push_back(**row);
  }
  state_.result.reused += asker.layers;
  answered(asker, for_asker(std::move(answer), asker), false);
  return true;
}

// On any thread.
void PointMapper::search(const Asker& first, const Architecture& machine, const std::string& question,
                         const std::string& parameters) {
  const std::span asked = std::span(spec_.layers).subspan(first.layer, first.layers);
  const Result<PointMappings> found = map_layers(spec_, first.layer, first.layers, machine, spec_.options);
  const bool stopped = state_.stopped();  // then it was perhaps not done
  PointAnswer answer;
  if (found && !stopped) {
    for (std::size_t k = 0; k < asked.size(); ++k) {
      answer.layers.push_back(layer_record(asked[k], machine, found->layers[k], bound_, question));
      if (k < found->outside.size() && found->outside[k]) answer.layers.back().status = kOutsideLimits;
    }
    answer.lower_bound = found->lower_bound;
  }
  bool is_cut = false;
  for (std::size_t k = 0; k < answer.layers.size() && evaluator_ && !is_cut; ++k)
    is_cut = !evaluator_->evaluate(answer.layers[k], asked[k], machine, parameters);
  if (is_cut) answer.layers.clear();
  const std::lock_guard lock(state_.mutex);
  if (!found) state_.keep(found.errors());
  if (answer.layers.empty() || !state_.errors.empty()) return;
  state_.result.searched += first.layers;
  const std::vector<Asker> askers = std::move(asked_.extract(question).mapped());
  for (const Asker& asker : askers) {
    const bool reuses = asker.point != first.point || asker.layer != first.layer;
    if (reuses) state_.result.reused += asker.layers;
    answered(asker, reuses ? for_asker(answer, asker) : answer, false);
  }
}

// The answer to an equal question as that of this one.
PointMapper::PointAnswer PointMapper::for_asker(PointAnswer answer, const Asker& asker) const {
  for (std::size_t k = 0; k < asker.layers; ++k)
    answer.layers[k] = reused(std::move(answer.layers[k]), spec_.layers[asker.layer + k]);
  return answer;
}

void PointMapper::answered(const Asker& asker, PointAnswer answer, bool written) {
  const auto at = open_.find(asker.point);
  OpenPoint& point = at->second;
  point.answered += asker.layers;
  const bool last = point.answered == point.layers.size();
  for (std::size_t k = 0; k < asker.layers; ++k) {
    LayerRecord& record = point.layers[asker.layer + k] = std::move(answer.layers[k]);
    record.point = asker.point;
    record.layer = asker.layer + k;
    if (!last && !written && !point.again) state_.keep(state_.store.write(record));
  }
  if (!last) return;
  conclude(point, answer.lower_bound);
  if (point.again) state_.rewrite(point.record, point.layers);
  else state_.write(point.record, std::span(point.layers).subspan(asker.layer, asker.layers));
  open_.erase(at);
}

namespace {

// Why a point has no costs, from a layer that has none.
std::string without_costs(const LayerRecord& layer) {
  if (layer.status == kOutsideLimits) return fmt::format("outside the limits: {}", layer.reason);
  if (layer.status == kFailedEvaluation) return fmt::format("no costs of {}: {}", layer.name, layer.reason);
  return fmt::format("no mapping of {}: {}", layer.name, layer.reason);
}

}  // namespace

// All layers are answered.
void PointMapper::conclude(OpenPoint& point, std::optional<double> lower_bound) const {
  const auto has_none = [](const LayerRecord& l) { return l.mapping.empty() || l.status == kFailedEvaluation; };
  const auto without = std::ranges::find_if(point.layers, has_none);
  if (without != point.layers.end()) {
    const std::string mark = point.record.reason.empty() ? "" : fmt::format(" ({})", point.record.reason);
    point.record.state = PointState::Infeasible;
    point.record.reason = without_costs(*without) + mark;
    return;
  }
  point.record.totals() = totals(point.layers, ranking_of(spec_), point.record.cycle_ns, lower_bound);
  if (certifies_front(state_.spec)) point.record.reason = open_reason(point.record, point.layers, spec_.options);
}

}  // namespace heliolite
