#include "engine/search/exact/kept_tables.h"

#include <algorithm>
#include <utility>

namespace heliolite {
namespace {

constexpr u64 kMostKeptBytes = u64{32} << 20;  // of all tables of one layer
constexpr u64 kKeptShareOfMemory = 16;         // and at most so small a part of what a search may hold

// A family's prices and the room of stacked levels are told by more than what is compared here.
bool are_told_apart(const LayerProblem& problem) {
  return !problem.family && !problem.stack && !problem.unrollings && problem.model.compiled().peers == 0;
}

bool same_unrollings(const FanoutChoices& a, const FanoutChoices& b) {
  return a.exists == b.exists && std::ranges::equal(a.choices, b.choices, [](const auto& one, const auto& other) {
           return one.factor.index == other.factor.index && one.x == other.x && one.y == other.y;
         });
}

// What the tables read of the mapspace besides the keep choices and the unrollings.
bool same_loop_places(const Mapspace& a, const Mapspace& b) {
  return std::ranges::equal(a.levels, b.levels, [](const LevelSpace& one, const LevelSpace& other) {
    return one.temporal.allowed == other.temporal.allowed && one.spatial.allowed_x == other.spatial.allowed_x &&
           one.spatial.allowed_y == other.spatial.allowed_y;
  });
}

}  // namespace

// The tables, and copies of all that they refer to.
struct KeptTables::Entry {
  Entry(const LayerProblem& of, FlowCosts flows, std::shared_ptr<const std::vector<FanoutChoices>> its_fanouts,
        const std::function<bool()>& stop)
      : problem(of), fanouts(std::move(its_fanouts)), model(std::move(flows)) {
    problem.kept_tables.reset();
    model.problem = &problem;
    model.compiled = &problem.model.compiled();
    model.fanout = *fanouts;
    tables.emplace(model, stop);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  bool answers(const LayerProblem& other, const FlowCosts& flows) const {
    return model.compiled == &other.model.compiled() && model.keep == flows.keep &&
           model.peer_fanout == flows.peer_fanout && model.cycles_only == flows.cycles_only &&
           model.timed == flows.timed && model.ramps == flows.ramps &&
           model.lattice.grid().cells() == flows.lattice.grid().cells() &&
           same_loop_places(problem.space, other.space) &&
           std::ranges::equal(model.fanout, flows.fanout, same_unrollings);
  }

  LayerProblem problem;
  std::shared_ptr<const std::vector<FanoutChoices>> fanouts;
  FlowCosts model;
  std::optional<RestBounds> tables;
};

std::shared_ptr<const RestBounds> KeptTables::of(const LayerProblem& problem, const FlowCosts& model,
                                                 std::shared_ptr<const std::vector<FanoutChoices>> fanouts,
                                                 const std::function<bool()>& stop) {
  if (!are_told_apart(problem)) return nullptr;
  // Step 1. What is kept.
  const u64 size = RestBounds::bytes(model) + bytes(*fanouts);
  const u64 most = std::min(kMostKeptBytes, problem.options.memory_bytes / kKeptShareOfMemory);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& entry : entries_)
      if (entry->answers(problem, model)) return {entry, &*entry->tables};
    if (bytes_ + size > most) return nullptr;
  }
  // Step 2. New tables. Another search may make the same at the same time: both are right.
  auto entry = std::make_shared<const Entry>(problem, model, std::move(fanouts), stop);
  const std::lock_guard lock(mutex_);
  if (entry->tables->complete() && bytes_ + size <= most) {
    entries_.push_back(entry);
    bytes_ += size;
  }
  return {entry, &*entry->tables};
}

}  // namespace heliolite
