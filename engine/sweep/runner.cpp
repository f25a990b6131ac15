#include "engine/sweep/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/co_search/co_search.h"
#include "engine/search/core/parallel.h"
#include "engine/sweep/explore.h"
#include "engine/sweep/families.h"
#include "engine/sweep/front_certificate.h"
#include "engine/sweep/machine_grid.h"
#include "engine/sweep/machine_value.h"
#include "engine/sweep/point_mapper.h"
#include "engine/sweep/set_rows.h"
#include "engine/sweep/totals.h"

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
    const auto begin = std::chrono::steady_clock::now();
    while (!end.stop_requested() && !stop_) {
      const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (stopped_by_others() || passed >= seconds + (found_ ? 0 : kSecondsForTheFirst)) stop_ = true;
      std::this_thread::sleep_for(kLook);
    }
  }

  const std::atomic<bool>* others_;
  std::atomic<bool> stop_ = false, found_ = false;
  std::jthread watch_;
};

// A point that may have to be mapped.
struct RunCandidate {
  PointRecord record;
  Architecture machine;
  Totals least;
};

std::size_t thread_count(const SearchOptions& options) {
  return options.threads > 0 ? at(options.threads) : std::max(1u, std::thread::hardware_concurrency());
}

// With its lower bounds.
PointRecord cut(const RunCandidate& point, std::string reason) {
  PointRecord record = point.record;
  record.state = PointState::Cut;
  record.energy_pj = point.least.energy_pj;
  record.cycles = point.least.cycles;
  record.value = record.lower_bound = point.least.value;
  record.sum_of_layer_values = point.least.sum_of_layer_values;
  record.reason = std::move(reason);
  return record;
}

class Runner {
 public:
  Runner(const SweepSpec& spec, Store& store, Shard shard, const SweepHook& progress)
      : spec_(spec),
        points_(spec),
        mine_(spec.goal, points_, shard),
        state_(spec, store, progress),
        mapper_(state_, spec_, 2 * thread_count(spec.options)),
        fast_spec_(fast_pass_of(spec)),
        fast_(state_, fast_spec_, 2 * thread_count(spec.options)) {}

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

// Step 1. What is known. Step 2. Open points on the front as it looks now, or else some others, are searched by exact,
// and open ones that proven ones then exclude are closed, until none is open. Step 3. What is certain of each.
void Runner::certify_front() {
  constexpr std::size_t kTogether = 64;
  FrontCertificate front(spec_);
  state_.keep(state_.store.visit_points([&](const PointRecord& point) { return front.add(point), true; }));
  std::set<u64> tried;
  again_ = true;
  while (!state_.over()) {
    exclude_open(front);
    std::vector<u64> urgent = front.most_urgent(kTogether);
    std::erase_if(urgent, [&](u64 id) { return !tried.insert(id).second; });
    // Those on the front were tried, a budget ended their search: the others.
    if (urgent.empty() && front.open() > 0) {
      for (const u64 id : front.open_ids())
        if (urgent.size() < kTogether && tried.insert(id).second) urgent.push_back(id);
    }
    if (urgent.empty() || state_.over()) break;
    map([&] {
      at_end_ = cursor_ == urgent.size();
      if (at_end_) return Task();
      const u64 id = urgent[cursor_++];
      DesignPoint point = points_.make(id);
      const auto row = state_.keep(state_.store.point(id));
      if (point.machine && row && *row)
        to_map_.push_back({point_record(id, points_.values(id), *point.machine), *std::move(point.machine), {}});
      return Task();
    });
    for (const u64 id : urgent)
      if (const auto row = state_.keep(state_.store.point(id)); row && *row) front.add(**row);
  }
  again_ = false;
  state_.keep(state_.store.together([&] {
    for (const PointRecord& point : front.conclusions([this](u64 id) { return least_of(id); }))
      if (Diagnostics problems = state_.store.write(point); !problems.empty()) return problems;
    return Diagnostics{};
  }));
}

// Step 1. What earlier runs have evaluated, up to where they chose several together. Step 2. The next points, those of
// them that have no row yet. Step 3. What they cost.
void Runner::explore() {
  Explored& told = state_.result.explored.emplace();
  told.wanted = std::min(spec_.explore.points, points_.grid());
  told.grid = points_.grid();
  std::map<u64, PointRecord> rows;  // [number]
  state_.keep(state_.store.visit_points([&](const PointRecord& point) {
    if (const auto number = explored_number(point)) rows[*number] = point, state_.found(point);
    return true;
  }));
  Explorer explorer(spec_, points_, [this] { return state_.over(); });
  std::vector<PointRecord> evaluated;
  const auto known = [&](u64 count) {
    u64 number = evaluated.size();
    while (number - evaluated.size() < count && rows.contains(number + 1)) ++number;
    return number - evaluated.size() == count;
  };
  while (evaluated.size() < told.wanted && !state_.over()) {
    const u64 together = explorer.together(evaluated.size());
    const u64 before = evaluated.size();
    if (known(together)) {
      for (u64 k = 0; k < together; ++k) evaluated.push_back(rows.at(before + k + 1));
      continue;
    }
    std::vector<u64> chosen = explorer.choose(evaluated);
    told.all = chosen.size() < together;
    chosen.resize(std::min<std::size_t>(chosen.size(), told.wanted - before));
    map([&] {
      at_end_ = cursor_ == chosen.size();
      if (at_end_) return Task();
      const u64 number = before + cursor_ + 1, id = chosen[cursor_++];
      if (rows.contains(number) && rows.at(number).id == id) return Task();
      DesignPoint point = points_.make(id);
      PointRecord record = point_record(id, points_.values(id), *point.machine);
      record.reason = explored_mark(number);
      to_map_.push_back({std::move(record), *std::move(point.machine), {}});
      return Task();
    });
    for (const u64 id : chosen)
      if (const auto row = state_.keep(state_.store.point(id)); row && *row) evaluated.push_back(**row);
    if (told.all || evaluated.size() < before + together) break;
  }
  told.points = evaluated.size();
  for (const PointRecord& point : evaluated) told.unmapped += point.state == PointState::Done ? 0 : 1;
  told.all = told.all && told.points < told.wanted && !state_.over();
}

// What nothing on the point is below.
Totals Runner::least_of(u64 id) const {
  const Result<Architecture> machine = points_.machine(id);
  const Result<Totals> least = machine ? compulsory_totals(spec_, *machine) : Result<Totals>(machine.errors());
  return least ? *least : Totals{};
}

// Closes open points that proven ones exclude.
void Runner::exclude_open(FrontCertificate& front) {
  std::vector<PointRecord> excluded;
  for (const u64 id : front.open_ids()) {
    if (state_.over()) return;
    const auto known = least_.find(id);
    const Totals least = known != least_.end() ? known->second : least_[id] = least_of(id);
    PointRecord point = front.open_point(id);
    if (std::optional<std::string> reason = front.excluded(point, least)) {
      point.reason = *std::move(reason);
      excluded.push_back(std::move(point));
    }
  }
  state_.keep(state_.store.together([&] {
    for (const PointRecord& point : excluded)
      if (Diagnostics problems = state_.store.write(point); !problems.empty()) return problems;
    return Diagnostics{};
  }));
  for (const PointRecord& point : excluded) front.add(point);
  state_.tell_front(front.open(), front.candidates());
}

// The best machine by branch and bound over sets (best_machine.h). False: the grid is not made from parts.
bool Runner::find_best() {
  const Result<MachineGrid> parts = MachineGrid::create(spec_, points_);
  if (!parts) return false;
  SetRows rows(spec_, points_, *parts);
  std::optional<std::pair<u64, double>> known;
  state_.keep(state_.store.visit_points([&](const PointRecord& point) {
    rows.found(point);
    const bool better = point.state == PointState::Done && (!known || point.value < known->second);
    if (better) known = {point.id, point.value};
    return true;
  }));
  std::vector<u64> machines = machines_left(*parts, rows);
  state_.flush();
  if (state_.over()) return true;
  BestMachineHooks hooks;
  hooks.found = [&](u64 point) {
    map_point(point);
    if (const auto row = state_.keep(state_.store.point(point)); row && *row) rows.found(**row);
  };
  hooks.excluded = [&](const std::vector<u64>& points, Excluded why, const MachineValue& least,
                       std::optional<u64> best) { state_.pass_together(rows.of_excluded(points, why, least, best)); };
  hooks.tell = [&](u64 open, double value, double bound) { state_.tell_best(open, value, bound); };
  const std::vector<u64> all = rows.row_for_each() ? machines : std::vector<u64>{};
  state_.result.best = find_best_machine(spec_, points_, *parts, std::move(machines), known, hooks);
  state_.result.best->machines += decided_before_;
  if (state_.over()) return true;
  map_best(*state_.result.best);
  if (state_.result.best->proven) pass_others(all, rows, *state_.result.best);
  return true;
}

// Machines that were the best known for a while have no row yet.
void Runner::pass_others(const std::vector<u64>& machines, const SetRows& rows, const BestMachine& best) {
  MachineValue least;
  least.lower_bound = best.value;
  for (const u64 id : machines) {
    const auto row = state_.keep(state_.store.point(id));
    if (row && !*row && id != best.point)
      for (PointRecord& point : rows.of_excluded({id}, Excluded::Alone, least, std::nullopt))
        state_.pass(std::move(point));
  }
  state_.flush();
}

// Points that are machines, admitted by the constraints, and not decided by an earlier run.
std::vector<u64> Runner::machines_left(const MachineGrid& parts, const SetRows& rows) {
  const std::vector<std::string> names = constraint_names(spec_);
  std::vector<Expression> conditions;
  for (const SweepConstraint& c : spec_.constraints) conditions.push_back(*Expression::parse(c.text, names));
  std::vector<u64> out;
  for (u64 k = 0; k < points_.planned() && !state_.over(); ++k) {
    const u64 id = points_.id(k);
    if (!mine_.has(id)) continue;
    if (rows.decided(id)) {
      decided_before_ += rows.is_machine(id) ? 1 : 0;
      continue;
    }
    const std::optional<Architecture> machine =
        conditions.empty() && parts.shape(id) != 0 ? std::nullopt : parts.machine(id);
    if (parts.shape(id) == 0) {
      DesignPoint point = points_.make(id);
      if (point.machine) out.push_back(id);
      else if (rows.row_for_each()) pass(std::move(point));
      continue;
    }
    const Expression* broken = nullptr;
    if (machine) {
      std::vector<double> numbers;
      for (std::size_t p = 0; p < spec_.parameters.size(); ++p)
        numbers.push_back(
            spec_.parameters[p].values[parts.choice(id, p)].number.value_or(std::numeric_limits<double>::quiet_NaN()));
      const std::vector<double> derived = derived_values(*machine);
      numbers.insert(numbers.end(), derived.begin(), derived.end());
      for (const Expression& condition : conditions)
        if (broken == nullptr && !condition.holds(numbers)) broken = &condition;
    }
    if (broken == nullptr) out.push_back(id);
    else if (rows.row_for_each()) pass({id, std::nullopt, PointState::Excluded, "constraint: " + broken->text()});
  }
  return out;
}

// A machine that is the best known is mapped as every point is, unless a pilot or an earlier run has done so.
void Runner::map_point(u64 id) {
  const auto row = state_.keep(state_.store.point(id));
  if (state_.over() || !row || (*row && (*row)->state == PointState::Done)) return;
  DesignPoint point = points_.make(id);
  if (!point.machine) return;
  to_map_.push_back({point_record(id, points_.values(id), *point.machine), *std::move(point.machine), {}});
  map([this] { return at_end_ = true, Task(); });
}

void Runner::map_best(const BestMachine& best) {
  if (!best.point) return;
  map_point(*best.point);
  const auto row = state_.keep(state_.store.point(*best.point));
  if (!row || !*row || (*row)->state != PointState::Done || state_.over()) return;
  PointRecord record = **row;
  record.reason = best.proven ? fmt::format("{}: of {} machines none has less", kBestPoint, best.machines)
                              : fmt::format("best found: none of {} machines has less than {:.6g}", best.machines,
                                            best.lower_bound);
  if (best.proven) state_.rewrite(record);
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
  const bool ramps = std::ranges::any_of(machines, &Architecture::ramps);  // no co-search counts them
  const Result<MachineFamily> family = MachineFamily::create(std::move(machines));
  std::optional<Result<CoSearchResult>> result;
  // Families of several layers are co-searched where the layers' own objectives are added up; of one layer a network's
  // objective is the layer's.
  SearchOptions options = spec_.options;
  options.network = false;
  if (family && !ramps) result = co_search(layers, *family, options);
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
  state_.pass_together(std::move(others));
  if (result.status != Status::Infeasible) to_map_.push_back(std::move(members[result.best]));
}

}  // namespace

// Step 1. Somebody watches the clock and what asks the run to stop. Step 2. A run that nothing else has ended is out of
// time.
Result<SweepRun> run_sweep(const SweepSpec& spec, Store& store, Shard shard, const SweepHook& progress) {
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
