#include "engine/search/exact/exact.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "engine/search/core/gate.h"
#include "engine/search/core/limits.h"
#include "engine/search/exact/layered_pass.h"
#include "engine/search/exact/reduced_problem.h"
#include "engine/search/exact/rest_bounds.h"
#include "engine/search/exact/witness_watch.h"

namespace heliolite {
namespace {

constexpr std::size_t kNarrow = 16;           // states of the first pass, which looks for a better incumbent
constexpr int kFewOpen = 4;                   // open places with which nothing is tried before
constexpr u64 kFirstEvaluations = 4'000'000;  // of a pass that leaves nothing out, before limits are tried
constexpr double kWideShare = 0.85;           // of the time that is left, for such a pass
constexpr int kMostLimits = 24;               // passes below a limit, one after the other
constexpr u64 kLeastStates = u64{1} << 20;    // bytes that the tables must leave for states

class Exact {
 public:
  Exact(const LayerProblem& problem, const LayerAnswer& start, const SearchBudget& budget, const ObjectiveKey& limit)
      : problem_(problem), budget_(budget), incumbent_(problem.options.objective, limit) {
    if (start.found) incumbent_.offer(start.mapping, start.cost, start.machine);
    statistics_ = start.statistics;
    if (problem.options.witness) witness_.emplace(problem, *problem.options.witness);
  }

  LayerAnswer run() {
    const Compiled& c = problem_.model.compiled();
    const Lattice lattice(c.size, c.dimension_count);
    if (lattice.points() > Lattice::kMaxPoints) return not_searched(SearchEnd::Tiles);
    const std::vector<FanoutChoices> fanouts = make_fanout_choices(problem_, lattice, problem_.options.memory_bytes);
    if (fanouts.empty()) return not_searched(SearchEnd::Tables);
    if (open_places() > kFewOpen) try_one_tensor_each(lattice, fanouts);
    open(problem_.keep_range());
    while (!open_.empty()) {
      // The most promising comes first: no range that follows is below what this one costs at least.
      const auto [bound, keep] = *open_.begin();
      open_.erase(open_.begin());
      if (searched_ && (budget_.over() || !budget_.allows(1))) {
        if (!cut(bound)) leave(bound, budget_.end(0));
        break;
      }
      least_to_come_ = open_.empty() ? ObjectiveKey() : open_.begin()->first;
      if (!search(keep, bound, lattice, fanouts)) break;
    }
    return answer(incumbent_.cuts(least_left_));
  }

 private:
  // In how many places of the machine a tensor may be kept or not.
  int open_places() const {
    int places = 0;
    for (const LevelSpace& level : problem_.space.levels) places += std::popcount(level.open);
    return places;
  }

  void open(const KeepRange& keep) { open_.emplace(bound_of(keep), keep); }
  ObjectiveKey bound_of(const KeepRange& keep) const {
    return objective_key(problem_.options.objective, compulsory_cost(problem_.model, keep).whole);
  }

  bool cut(const ObjectiveKey& bound) {
    const Gate gate(problem_.options.rules, statistics_.rules);
    return gate.prunes(Rule::KeepBound, [&] { return incumbent_.cuts(bound); });
  }

  // Every way to give each open level one of its open tensors, the outermost of them all: machines with a buffer for
  // each tensor are like that. Empty if they are many.
  std::vector<KeepMasks> one_tensor_each() const {
    constexpr std::size_t kMost = 256;
    const KeepRange range = problem_.keep_range();
    std::vector<int> levels;
    for (int i = 0; i < problem_.space.level_count(); ++i)
      if (problem_.space.levels[at(i)].open != 0) levels.push_back(i);
    std::vector<KeepMasks> out{range.must};
    out.front()[at(levels.back())] = range.may[at(levels.back())];
    levels.pop_back();
    for (const int i : levels) {
      std::vector<KeepMasks> longer;
      for (const KeepMasks& keep : out)
        for (const int v : bits(problem_.space.levels[at(i)].open)) {
          longer.push_back(keep);
          longer.back()[at(i)] |= static_cast<TensorMask>(1u << v);
        }
      out = std::move(longer);
      if (out.size() > kMost) return {};
    }
    return out;
  }

  // A better incumbent before everything is searched: narrow passes over the choices with one tensor a level.
  void try_one_tensor_each(const Lattice& lattice, const std::vector<FanoutChoices>& fanouts) {
    for (const KeepMasks& keep : one_tensor_each()) {
      if (budget_.over() || !budget_.allows(1) || cut(bound_of({keep, keep}))) continue;
      const std::unique_ptr<LayeredPass> search = make_pass({keep, keep}, lattice, fanouts);
      if (!search) continue;
      search->run(kNarrow, budget_, incumbent_, {});
      take(*search);
    }
  }

  // The passes over a range; null: there is no memory for its tables.
  std::unique_ptr<LayeredPass> make_pass(const KeepRange& keep, const Lattice& lattice,
                                         const std::vector<FanoutChoices>& fanouts) const {
    const Compiled& c = problem_.model.compiled();
    if (!ServerSets::few(keep, c.level_count, c.tensor_count)) return nullptr;
    FlowCosts model = make_flow_costs(problem_, keep, lattice, fanouts);
    const u64 tables = bytes(fanouts) + RestBounds::bytes(model);
    if (tables + kLeastStates > problem_.options.memory_bytes) return nullptr;
    return std::make_unique<LayeredPass>(problem_, std::move(model), problem_.options.memory_bytes - tables);
  }

  // Searches the two halves of a range instead. False if it is one keep choice.
  bool split(const KeepRange& keep) {
    for (int i = problem_.space.level_count(); i-- > 0;) {
      const TensorMask free = keep.may[at(i)] & static_cast<TensorMask>(~keep.must[at(i)]);
      if (free == 0) continue;
      const auto first = static_cast<TensorMask>(free & -free);
      KeepRange keeps = keep, bypasses = keep;
      keeps.must[at(i)] |= first;
      bypasses.may[at(i)] &= static_cast<TensorMask>(~first);
      open(keeps), open(bypasses);
      return true;
    }
    return false;
  }

  // What passes have done and used.
  void take(const LayeredPass& search) {
    statistics_ += search.statistics();
    budget_ = budget_.after(search.statistics().evaluated);
    machines_tried_.resize(search.machines());
    for (std::size_t m = 0; m < machines_tried_.size(); ++m)
      if (search.machines_tried()[m]) machines_tried_[m] = true;
  }

  // False: there is no memory for the tables of any range.
  bool search(const KeepRange& keep, const ObjectiveKey& bound, const Lattice& lattice,
              const std::vector<FanoutChoices>& fanouts) {
    const bool watched = witness_ && witness_->in(keep);
    if (cut(bound)) {
      if (watched) witness_->keep_choice_cut(bound, incumbent_.best());
      return true;
    }
    const std::unique_ptr<LayeredPass> made = make_pass(keep, lattice, fanouts);
    if (!made) {
      if (split(keep)) return true;
      leave(bound, searched_ ? SearchEnd::Memory : SearchEnd::Tables);
      return false;
    }
    search(*made, bound, watched);
    take(*made);
    return true;
  }

  // All of a range, in passes.
  void search(LayeredPass& search, const ObjectiveKey& bound, bool watched) {
    searched_ = true;
    ObjectiveKey least;  // of all machines
    for (u32 machine = 0; machine < search.machines(); ++machine)
      least = std::min(least, incumbent_.key_of(search.root_bound(machine)));
    ObjectiveKey proven = std::max(bound, least);
    if (cut(proven)) {
      if (watched) witness_->keep_choice_cut(proven, incumbent_.best());
      return;
    }
    LayeredPass::Look look;
    if (watched) look = [&](const PassStage& stage) { witness_->look(stage); };
    LayeredPass::Proven watch;
    if (problem_.options.progress) watch = [&](const ObjectiveKey& key) { tell(std::max(proven, key)); };
    proven = std::max(proven, search.run(kNarrow, budget_, incumbent_, watch, look).least_left);
    if (const SearchEnd end = search_wide(search, proven, watch, look); end != SearchEnd::Done) leave(proven, end);
  }

  // Passes that leave nothing out, until one is complete. One that becomes long is given up for passes below a limit
  // (rise), and tried again with more evaluations: mostly it is then a better incumbent's. `proven`: nothing is below
  // it. Returns why it could not be done; Done: it could.
  SearchEnd search_wide(LayeredPass& search, ObjectiveKey& proven, const LayeredPass::Proven& watch,
                        const LayeredPass::Look& look) {
    for (u64 most = kFirstEvaluations;; most *= 4) {
      const u64 before = search.statistics().evaluated;
      if (incumbent_.cuts(proven)) return SearchEnd::Done;
      if (const SearchEnd end = budget_.end(before); end != SearchEnd::Done) return end;
      // Who follows a witness wants to see what happens to it in a pass to the end.
      const bool to_the_end = static_cast<bool>(look) || std::isinf(incumbent_.best().first);
      const u64 share = std::min(most, budget_.evaluations_left(before) / 4 * 3);
      const SearchBudget part = to_the_end ? budget_ : budget_.at_most(before + share).part_of_time(kWideShare);
      const PassEnd pass = search.run(LayeredPass::kAnyWidth, part, incumbent_, watch, look);
      proven = std::max(proven, pass.least_left);
      if (pass.complete || incumbent_.cuts(proven)) return SearchEnd::Done;
      if (!pass.by_budget && !pass.by_memory) return SearchEnd::Flows;
      if (!to_the_end) rise(search, proven, search.statistics().evaluated + most, watch);
      if (!pass.by_budget && !incumbent_.cuts(proven)) return SearchEnd::Memory;
      if (to_the_end || search.statistics().evaluated == before) return ended(search);
    }
  }

  // Why a pass with all that is left of the budget was ended by it. Its tasks share the evaluations: some may be left.
  SearchEnd ended(const LayeredPass& search) const {
    if (const SearchEnd end = budget_.end(search.statistics().evaluated); end != SearchEnd::Done) return end;
    return budget_.limits_evaluations() ? SearchEnd::Evaluations : SearchEnd::Time;
  }

  // Raises `proven` by passes that look only below a limit between it and the incumbent: the lower the limit, the less
  // they have to look at. One that finds nothing proves its limit, one that finds something has the optimum of the
  // range. Prices mappings until the search has priced `most`.
  void rise(LayeredPass& search, ObjectiveKey& proven, u64 most, const LayeredPass::Proven& watch) {
    double share = 0.5;  // of the way to the incumbent
    for (int k = 0; k < kMostLimits && !incumbent_.cuts(proven); ++k) {
      const u64 evaluated = search.statistics().evaluated;
      if (evaluated >= most || budget_.end(evaluated) != SearchEnd::Done) return;
      Incumbent below(problem_.options.objective, between(proven, incumbent_.best(), share));
      const SearchBudget part = budget_.at_most(evaluated + (most - evaluated + 1) / 2).part_of_time(0.5);
      const PassEnd pass = search.run(LayeredPass::kAnyWidth, part, below, watch);
      incumbent_.offer(below);
      proven = std::max(proven, std::min(below.best(), pass.least_left));
      if (!pass.complete) share /= 4;
    }
  }

  // A key that is `share` of the way from a to b; a < b.
  static ObjectiveKey between(const ObjectiveKey& a, const ObjectiveKey& b, double share) {
    if (a.first == b.first) return {a.first, a.second + (b.second - a.second) * share};
    const double first = a.first + (b.first - a.first) * share;
    // Whole cycles: nothing is between two of them.
    return {std::min(std::ceil(first), b.first), 0};
  }

  void leave(const ObjectiveKey& bound, SearchEnd why) {
    least_left_ = std::min(least_left_, bound);
    end_ = std::max(end_, why);
  }

  // Nothing is below `searching` in the range that is being searched.
  void tell(const ObjectiveKey& searching) const {
    const Objective objective = problem_.options.objective;
    const ObjectiveKey least = std::min({least_left_, least_to_come_, searching, incumbent_.best()});
    // Of perfect factors: with others there may be less.
    problem_.tell(incumbent_.found() ? objective_number(objective, incumbent_.answer().cost) : 0,
                  problem_.imperfect() ? 0 : key_number(objective, least));
  }

  LayerAnswer not_searched(SearchEnd why) {
    end_ = why;
    return answer(false);
  }

  LayerAnswer answer(bool complete) const {
    LayerAnswer out = incumbent_.answer();
    out.statistics = statistics_;
    out.machines_tried = machines_tried_;
    out.complete = complete;
    if (!complete) out.end = end_;
    if (!complete && least_left_.first < ObjectiveKey().first)
      out.lower_bound = key_number(problem_.options.objective, std::min(least_left_, incumbent_.best()));
    if (witness_) out.witness = witness_->report(out);
    return out;
  }

  const LayerProblem& problem_;
  SearchBudget budget_;  // what is left of it
  Incumbent incumbent_;
  SearchStatistics statistics_;
  std::vector<bool> machines_tried_;
  ObjectiveKey least_left_;                      // of what was not searched to the end
  ObjectiveKey least_to_come_;                   // of the ranges after the one that is being searched
  std::multimap<ObjectiveKey, KeepRange> open_;  // ranges not searched yet, by the bound of everything in them
  SearchEnd end_ = SearchEnd::Done;
  bool searched_ = false;
  std::optional<WitnessWatch> witness_;
};

}  // namespace

LayerAnswer exact_search(const LayerProblem& problem, const LayerAnswer& start, const SearchBudget& budget,
                         const ObjectiveKey& limit) {
  const ReducedProblem reduced(problem);
  LayerAnswer out = Exact(reduced.problem(), start, budget, limit).run();
  reduced.restore(out);
  return out;
}

}  // namespace heliolite
