#include "engine/sweep/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/parallel.h"
#include "engine/sweep/runner_parts.h"
#include "engine/sweep/store.h"

namespace heliolite {
namespace {

// Says stop when the sweep's time is used up, or when it is asked to stop. As long as no point is mapped it waits a
// little longer for one.
class SweepClock {
 public:
  SweepClock(double seconds, const std::atomic<bool>* others)
      : others_(others), watch_([this, seconds](const std::stop_token& end) { watch(seconds, end); }) {}

  const std::atomic<bool>* stop() const { return &stop_; }
  void found() { found_ = true; }
  bool stopped_by_others() const { return others_ != nullptr && others_->load(); }

 private:
  static constexpr auto kLook = std::chrono::milliseconds(20);
  static constexpr double kSecondsForTheFirst = 1.5;

  void watch(double seconds, const std::stop_token& end) {
    const Stopwatch clock;
    while (!end.stop_requested() && !stop_) {
      const double passed = clock.seconds();
      if (stopped_by_others() || passed >= seconds + (found_ ? 0 : kSecondsForTheFirst)) stop_ = true;
      std::this_thread::sleep_for(kLook);
    }
  }

  const std::atomic<bool>* others_;
  std::atomic<bool> stop_ = false, found_ = false;
  std::jthread watch_;
};

std::size_t thread_count(const SearchOptions& options) {
  return options.threads > 0 ? at(options.threads) : std::max(1u, std::thread::hardware_concurrency());
}

// With its lower bounds.
PointRecord cut(const RunCandidate& point, std::string reason) {
  PointRecord record = point.record;
  record.state = PointState::Cut;
  record.totals() = point.least;
  record.reason = std::move(reason);
  return record;
}

}  // namespace

Runner::Runner(const SweepSpec& spec, Store& store, const Shard& shard, const SweepHook& progress)
    : spec_(spec),
      points_(spec),
      mine_(spec.goal, points_, shard),
      state_(spec, store, progress),
      mapper_(state_, spec_, 2 * thread_count(spec.options)),
      fast_spec_(fast_pass_of(spec)),
      fast_(state_, fast_spec_, 2 * thread_count(spec.options)) {}

Result<SweepRun> Runner::run() {
  // Step 1. The pilots: all that is cut later is cut by them.
  pilots_ = choose_pilots(spec_, points_);
  map([this] { return begin_pilot(), Task(); });
  std::vector<PointRecord> mapped;
  for (const u64 id : pilots_)
    if (const auto row = state_.keep(state_.store.point(id)); row && *row) mapped.push_back(**row);
  rule_.emplace(spec_, mapped);
  // Step 2. Everything else.
  if (spec_.goal == SweepGoal::Explore) {
    explore();
  } else if (searches_sets(spec_) && find_best()) {
  } else if (co_searches(spec_, points_)) {
    families_.emplace(spec_, points_, mine_);
    map([this] { return begin_family(); });
  } else if (certifies_front(spec_)) {
    mapping_ = &fast_;
    map([this] { return begin_point(), Task(); });
    state_.flush();
    mapping_ = &mapper_;
    // While some points are not known yet nothing is certain of the front.
    if (!state_.over()) certify_front();
  } else {
    map([this] { return begin_point(), Task(); });
  }
  state_.flush();
  if (!state_.errors.empty()) return state_.errors;
  state_.result.interrupted = state_.stopped();
  return state_.result;
}

// Maps what `begin_more` begins: each call a further point or family, until it sets at_end_.
void Runner::map(const std::function<Task()>& begin_more) {
  cursor_ = 0;
  at_end_ = false;
  parallel_tasks(thread_count(spec_.options), spec_.options.threads, [&] { return next(begin_more); });
}

// The next search that somebody has to do. Nothing when all is begun, or when as many points are open as may be.
Task Runner::next(const std::function<Task()>& begin_more) {
  const std::lock_guard lock(state_.mutex);
  while (!state_.over()) {
    if (Task task = mapping_->next()) return task;
    if (mapping_->full()) return {};
    if (!to_map_.empty()) {
      RunCandidate& next = to_map_.back();
      if (again_) mapping_->open_again(std::move(next.record), std::move(next.machine));
      else mapping_->open(std::move(next.record), std::move(next.machine));
      to_map_.pop_back();
      continue;
    }
    if (at_end_) return {};
    if (Task task = begin_more()) return task;
  }
  return {};
}

void Runner::begin_pilot() {
  at_end_ = cursor_ == pilots_.size();
  if (at_end_) return;
  if (auto candidate = consider(pilots_[cursor_++])) to_map_.push_back(*std::move(candidate));
}

void Runner::begin_point() {
  at_end_ = cursor_ == points_.planned();
  if (at_end_) return;
  const u64 id = points_.id(cursor_++);
  if (!mine_.has(id)) return;
  if (auto candidate = consider(id)) to_map_.push_back(*std::move(candidate));
}

// A co-search, unless there is nothing to choose from.
Task Runner::begin_family() {
  const std::optional<std::vector<u64>> ids = families_->next();
  at_end_ = !ids;
  if (at_end_) return {};
  auto members = std::make_shared<std::vector<RunCandidate>>();
  for (const u64 id : *ids) {
    if (state_.over()) return {};
    if (auto candidate = consider(id)) members->push_back(*std::move(candidate));
  }
  if (members->size() > 1) return [this, members] { choose(std::move(*members)); };
  for (RunCandidate& only : *members) to_map_.push_back(std::move(only));
  return {};
}

// Step 1. What an earlier run has done. Step 2. Points that are excluded or no machine. Step 3. Points that cannot be
// among the best. The others have to be mapped.
std::optional<RunCandidate> Runner::consider(u64 id) {
  const auto row = state_.keep(state_.store.point(id));
  if (!row) return std::nullopt;
  if (*row) {
    const bool told = rule_ && std::ranges::binary_search(pilots_, id);
    if (!told) state_.found(**row);
    return std::nullopt;
  }
  DesignPoint point = points_.make(id);
  if (point.machine) {
    const Result<Totals> least = compulsory_totals(spec_, *point.machine);
    if (least) {
      RunCandidate candidate{point_record(id, points_.values(id), *point.machine), *std::move(point.machine), *least};
      const PointRecord* pilot = rule_ ? rule_->beaten_by(*least, candidate.record) : nullptr;
      if (pilot == nullptr) return candidate;
      state_.pass(cut(candidate, fmt::format("pilot-bound: beaten by point {}", pilot->id)));
      return std::nullopt;
    }
    point.state = PointState::Invalid;
    point.reason = "constraints: " + least.errors().front().message;
  }
  pass(std::move(point));
  return std::nullopt;
}

// A point without a machine to map.
void Runner::pass(DesignPoint point) {
  PointRecord record;
  record.id = point.id;
  record.state = point.state;
  record.values = points_.values(point.id);
  record.reason = std::move(point.reason);
  if (record.state == PointState::Excluded && points_.planned() > kMaxPlannedWithExclusions) state_.leave_out(record);
  else state_.pass(std::move(record));
}

// On any thread.
void Runner::choose(std::vector<RunCandidate> members) {
  std::vector<WeightedLayer> layers;
  for (const SweepLayer& layer : spec_.layers) {
    const Workload& workload = layer.layer.workload;
    // What is per operation of the totals is a sum of the layers' own, weighted by their operations.
    const double operations = info(spec_.options.objective).per_operation ? static_cast<double>(workload.macs()) : 1;
    layers.push_back({workload, static_cast<double>(layer.layer.count) * layer.weight * operations});
  }
  std::vector<Architecture> machines;
  for (const RunCandidate& member : members) machines.push_back(member.machine);
  const Result<MachineFamily> family = MachineFamily::create(std::move(machines));
  std::optional<Result<CoSearchResult>> result;
  // Families of several layers are co-searched where the layers' own objectives are added up; of one layer a network's
  // objective is the layer's.
  SearchOptions options = spec_.options;
  options.network = false;
  // Machines that a co-search would look at one by one are mapped as points are, each of which is written.
  if (family && family->has_envelope()) result = co_search(layers, *family, options);
  const bool stopped = state_.stopped();  // then it was perhaps not done
  const std::lock_guard lock(state_.mutex);
  if (stopped) return;
  if (!result) std::ranges::move(members, std::back_inserter(to_map_));  // not alike enough
  else if (!*result) state_.keep(result->errors());
  else keep_best(std::move(members), **result);
}

// The best one is mapped as every point is; the others are written first, all at once, so that a run that ends in
// between finds one left.
void Runner::keep_best(std::vector<RunCandidate> members, const CoSearchResult& result) {
  const bool proven = result.status == Status::Optimal;
  std::vector<PointRecord> others;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (result.status == Status::Infeasible) {
      others.push_back(std::move(members[k].record));
      others.back().state = PointState::Infeasible;
      others.back().reason = "no mapping: some layer fits no machine that differs in memories only";
    } else if (k != result.best) {
      others.push_back(cut(members[k], fmt::format("co-search: point {} is {}", members[result.best].record.id,
                                                   proven ? "no worse" : "more promising")));
    }
  }
  state_.pass_together(others);
  if (result.status != Status::Infeasible) to_map_.push_back(std::move(members[result.best]));
}

// Step 1. Somebody watches the clock and what asks the run to stop. Step 2. A run that nothing else has ended is out of
// time.
Result<SweepRun> run_sweep(const SweepSpec& spec, Store& store, const Shard& shard, const SweepHook& progress) {
  if (spec.goal == SweepGoal::Explore && (shard.count > 1 || shard.only))
    return Diagnostic{"", 0, "shard", "goal explore chooses each point by those before it: it has no shards"};
  if (!spec.budget_seconds) return Runner(spec, store, shard, progress).run();
  SweepClock clock(*spec.budget_seconds, spec.options.stop);
  SweepSpec limited = spec;
  limited.options.stop = clock.stop();
  Result<SweepRun> run = Runner(limited, store, shard, [&](const SweepNews& news) {
                           if (news.best) clock.found();
                           if (progress) progress(news);
                         }).run();
  if (run) run->out_of_time = run->interrupted && !clock.stopped_by_others();
  return run;
}

}  // namespace heliolite
