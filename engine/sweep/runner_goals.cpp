// The goals of a sweep that choose points by what is known of others: a front that is certain, the best machine, and
// exploring.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "engine/sweep/explore.h"
#include "engine/sweep/machine_value.h"
#include "engine/sweep/runner_parts.h"

namespace heliolite {

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
    if (urgent.empty() && front.open() > 0)
      for (const u64 id : front.open_ids())
        if (urgent.size() < kTogether && tried.insert(id).second) urgent.push_back(id);
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
  state_.keep(state_.store.write_all(front.conclusions([this](u64 id) { return least_of(id); })));
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
  state_.keep(state_.store.write_all(excluded));
  for (const PointRecord& point : excluded) front.add(point);
  state_.tell_front(front.open(), front.candidates());
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

}  // namespace heliolite
