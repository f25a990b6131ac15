#include "engine/search/exact/layered_pass.h"

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/core/parallel.h"
#include "engine/search/exact/expand.h"

namespace heliolite {
namespace {

// Parents are extended in parts that do not depend on the threads: so the answer does not either.
constexpr std::size_t kParts = 16;
constexpr std::size_t kLeastPart = 4;  // parents

}  // namespace

// Parents from `begin` on.
struct LayeredPass::Range {
  std::size_t begin, end;
};

// The share of the parents that one task extends. It pauses when its states take half of the memory that it has.
struct LayeredPass::Part {
  Range parents;  // still to be extended
  Incumbent incumbent;
  Frontier out;
  u64 evaluations;
  std::size_t bytes;
  PassEnd pass{true, false, false, {}};
  SearchStatistics statistics{};
  std::vector<bool> machines_tried{};
  bool stopped = false;  // by the budget
};

LayeredPass::LayeredPass(const LayerProblem& problem, FlowCosts model, u64 bytes, const std::function<bool()>& stop,
                         std::shared_ptr<const RestBounds> tables)
    : problem_(problem),
      model_(std::move(model)),
      bounds_(model_, stop, std::move(tables)),
      bytes_(bytes),
      machines_tried_(model_.machine.size()) {}

CostBound LayeredPass::root_bound(u32 machine) const {
  CostBound least{kImpossible, kImpossible};
  for (u32 servers = 0; servers < model_.servers.count(-1); ++servers) {
    const CostBound bound = bounds_.at_root(NestSteps(model_).root(machine, servers));
    least = {std::min(least.energy, bound.energy), std::min(least.cycles, bound.cycles)};
  }
  return least;
}

CostBound LayeredPass::root_bound() const {
  CostBound least{kImpossible, kImpossible};
  for (u32 machine = 0; machine < machines(); ++machine) {
    const CostBound bound = root_bound(machine);
    least = {std::min(least.energy, bound.energy), std::min(least.cycles, bound.cycles)};
  }
  return least;
}

PassEnd LayeredPass::run(std::size_t width, const SearchBudget& budget, Incumbent& incumbent,
                         const BoundObserver& proven, const StageObserver& observe) {
  PassEnd pass;
  pass.complete = true;
  std::vector<Frontier> layers;
  for (int level = -1; level < model_.levels(); ++level) layers.emplace_back(model_, level);
  for (u32 machine = 0; machine < model_.machine.size(); ++machine) {
    if (problem_.family &&
        gate().prunes(Rule::MemoryBound, [&] { return incumbent.cuts(incumbent.key_of(root_bound(machine))); }))
      continue;
    for (u32 servers = 0; servers < model_.servers.count(-1); ++servers) {
      const PartialMapping s = NestSteps(model_).root(machine, servers);
      FrontierNode root;
      root.key = incumbent.key_of(bounds_.at_root(s));
      if (!gate().prunes(Rule::KeepBound, [&] { return incumbent.cuts(root.key); })) layers[0].add(s, root, false);
    }
  }
  if (observe) observe({model_, bounds_, layers, -1, incumbent, pass});
  for (int level = 0; level < model_.levels(); ++level) {
    const bool whole = extend(level, layers, budget, incumbent, pass);
    if (observe) observe({model_, bounds_, layers, level, incumbent, pass});
    if (!whole) break;
    layers[level].forget_values();
    Frontier& out = layers[level + 1];
    if (const ObjectiveKey left = out.narrow(width); left < ObjectiveKey()) pass.record_unexplored(left);
    if (!proven || level + 1 == model_.levels()) continue;
    ObjectiveKey least = pass.least_left;
    for (std::size_t k = 0; k < out.size(); ++k) least = std::min(least, out.node(k).key);
    proven(least);
  }
  pass.complete |= incumbent.cuts(pass.least_left);
  return pass;
}

// Memory for the states after `level`, without what those of the levels inside take.
std::size_t LayeredPass::room_after(const std::vector<Frontier>& layers, int level) const {
  u64 used = 0;
  for (int i = 0; i <= level; ++i) used += layers[i].bytes();
  return at(bytes_ - std::min(bytes_, used));
}

// All states of one stage by one level. False if the budget ended it. One half of the memory is for the parts, one for
// what they are merged into. Parts that pause because theirs is full go on when all are merged.
bool LayeredPass::extend(int level, std::vector<Frontier>& layers, const SearchBudget& budget, Incumbent& incumbent,
                         PassEnd& pass) {
  const std::size_t parents = layers[level].size();
  Frontier& out = layers[level + 1];
  const std::size_t size = std::max(kLeastPart, (parents + kParts - 1) / kParts);
  std::vector<Range> open;
  for (std::size_t begin = 0; begin < parents; begin += size) open.push_back({begin, std::min(begin + size, parents)});
  bool stopped = false;
  while (!open.empty() && !stopped) {
    const std::size_t room = room_after(layers, level) / 2;
    const u64 evaluations = budget.evaluations_left(statistics_.evaluated) / open.size();
    std::vector<Part> parts;
    for (const Range& range : open)
      parts.push_back({range, incumbent, Frontier(model_, level), evaluations, room / open.size()});
    parallel_for(parts.size(), problem_.options.threads,
                 [&](std::size_t p) { extend(parts[p], level, layers, budget); });
    open.clear();
    for (const Part& part : parts) {
      incumbent.offer(part.incumbent);
      statistics_ += part.statistics;
      for (std::size_t m = 0; m < machines_tried_.size(); ++m)
        if (part.machines_tried[m]) machines_tried_[m] = true;
      stopped |= part.stopped;
      if (part.parents.begin < part.parents.end) open.push_back(part.parents);
    }
    merge(parts, level, budget, out, pass);
    pass.leave_by_memory(out.bytes() > room ? out.shrink(room / 2) : ObjectiveKey());
  }
  out.compact();
  if (!stopped) return true;
  pass.by_budget = true;
  for (std::size_t k = 0; k < out.size(); ++k) pass.record_unexplored(out.node(k).key);
  for (const Range& range : open)
    for (std::size_t k = range.begin; k < range.end; ++k) pass.record_unexplored(layers[level].node(k).key);
  return false;
}

// On any thread.
void LayeredPass::extend(Part& part, int level, const std::vector<Frontier>& layers, const SearchBudget& budget) const {
  const Frontier& parents = layers[level];
  Expander expansion(problem_, model_, bounds_, layers, level, part.incumbent, part.out, part.bytes);
  const Gate gate(problem_.options.rules, part.statistics.rules);
  std::size_t& k = part.parents.begin;
  for (; k < part.parents.end && (expansion.stopped() || part.out.bytes() <= part.bytes / 2); ++k) {
    if (gate.prunes(Rule::LatticeBound, [&] { return part.incumbent.cuts(parents.node(k).key); })) continue;
    if (!expansion.extend(k, budget, part.evaluations)) part.pass.record_unexplored(parents.node(k).key);
  }
  part.pass.leave_by_memory(expansion.left_out());
  part.stopped = expansion.stopped();
  part.statistics += expansion.statistics();
  part.machines_tried = expansion.machines_tried();
}

// In the order of the parents. What is merged is freed at once.
void LayeredPass::merge(std::vector<Part>& parts, int level, const SearchBudget& budget, Frontier& out, PassEnd& pass) {
  const bool alone = parts.size() == 1 && out.size() == 0;
  if (alone) out = std::move(parts.front().out);
  for (Part& part : parts) {
    if (!part.pass.complete) pass.record_unexplored(part.pass.least_left);
    pass.by_memory |= part.pass.by_memory;
    if (alone) break;
    const bool dominance = gate().on(Rule::StateDominance) && !budget.over();
    for (std::size_t k = 0; k < part.out.size(); ++k) {
      if (part.out.node(k).dropped) continue;
      const Frontier::Added added = out.add(part.out, k, dominance);
      if (dominance) gate().prunes(Rule::StateDominance, [&] { return !added; });
      gate().pruned(Rule::StateDominance, added.dropped);
    }
    part.out = Frontier(model_, level);
  }
}

}  // namespace heliolite
