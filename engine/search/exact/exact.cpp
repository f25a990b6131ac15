#include "engine/search/exact/exact.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/search/certify/reduced_problem.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/core/option_kinds.h"
#include "engine/search/core/rules.h"
#include "engine/search/exact/layered_pass.h"
#include "engine/search/exact/parts.h"
#include "engine/search/exact/witness.h"

namespace heliolite {
namespace {

constexpr int kFewOpen = 4;  // open places with which nothing is tried before

class Exact {
 public:
  Exact(const LayerProblem& problem, const LayerAnswer& start, const SearchBudget& budget, const ObjectiveKey& limit,
        const PartsPolicy& parts, const GridLimits& tables, const SearchAim& aim)
      : problem_(problem),
        tables_(problem, tables),
        budget_(budget),
        limit_(limit),
        parts_(parts),
        incumbent_(problem.options.objective, limit, aim) {
    // Each part has tables of its own, which take as long as pricing some mappings for each of their cells.
    parts_.evaluations = std::max(parts_.evaluations, tables_.lattice().grid().cells());
    if (start.found) incumbent_.offer(start.mapping, start.cost, start.machine);
    statistics_ = start.statistics;
    if (problem.options.witness) witness_.emplace(problem, *problem.options.witness);
  }

  LayerAnswer run() {
    if (tables_.fanouts().empty()) return not_searched(SearchEnd::Tables);
    if (fewer_cycles_possible()) {
      restart_for({true, 0});
      search_all();
      const double least_cycles = incumbent_.best().first;
      if (!incumbent_.cuts(least_left_) || std::isinf(least_cycles)) return answer(std::isinf(least_left_.first));
      restart_for({false, least_cycles});
    }
    search_all();
    return answer(incumbent_.cuts(least_left_));
  }

 private:
  // Whether the cycles are searched before the energy: not where every mapping takes as many as the incumbent.
  bool fewer_cycles_possible() {
    if (info(problem_.options.objective).energy_power != 0 || problem_.family || witness_) return false;
    return gate().prunes(Rule::CyclesFirst, [&] {
      const Compiled& c = problem_.model.compiled();
      const double units = tables_.most_instances();
      const auto words = static_cast<double>(compulsory_cost(problem_.model, problem_.keep_range()).whole.cycles);
      return whole_cycles(std::max(words, cycles_of_one_unit(c) / units)) < incumbent_.best().first;
    });
  }

  // The mapspace is searched anew, with the incumbent so far.
  void restart_for(const SearchAim& aim) {
    Incumbent next(problem_.options.objective, limit_, aim);
    next.offer(incumbent_);
    incumbent_ = std::move(next);
    least_left_ = {};
    end_ = SearchEnd::Done;
    open_.clear();
  }

  // All of the mapspace.
  void search_all() {
    if (problem_.model.compiled().peers != 0) {
      open_peer_ranges();
    } else {
      if (open_places(problem_) > kFewOpen) try_one_tensor_each();
      add({problem_.keep_range()}, {0, 0});
    }
    while (!open_.empty()) {
      if (const std::optional<WholeTry> due = open_.due()) try_whole(*due);
      if (open_.empty()) break;
      // The most promising comes first: no range that follows is below what this one costs at least.
      const OpenRange next = open_.take();
      if (const SearchEnd end = exhausted_reason(budget_, 0); searched_ && end != SearchEnd::Done) {
        if (!cut(next.bound)) record_unexplored(next.bound, end);
        break;
      }
      least_to_come_ = open_.least();
      const u64 before = statistics_.evaluated;
      if (!search(next)) break;
      open_.took(next, statistics_.evaluated - before + tables_.lattice().grid().cells());
    }
  }

  // One pass over all of a range whose parts are open. Where unrollings decide little, the parts have nearly as much to
  // look at as the whole, each of them.
  void try_whole(const WholeTry& due) {
    if (exhausted_reason(budget_, 0) != SearchEnd::Done) return;
    const std::optional<PreparedRange> prepared = prepare(open_.whole(due.division), 0);
    if (!prepared || !prepared->passes->ready()) return;
    const SearchBudget budget = budget_.at_most(due.evaluations).part_of_time(0.5);
    const PassEnd end = prepared->passes->run(LayeredPass::kAnyWidth, budget, incumbent_, {});
    take(*prepared->passes);
    open_.raise(due.division, end.complete ? ObjectiveKey() : end.least_left);
  }

  // What may have words that cross by links; without rule peers-only everything.
  void open_peer_ranges() {
    const bool units = tensors_with_peers(problem_.space, problem_.model.compiled(), 0) != 0;
    if (!units && gate().on(Rule::PeersOnly))
      for (SearchRange& range : peer_ranges(tables_.fanouts(), problem_.keep_range())) add(std::move(range), {0, 0});
    else add({problem_.keep_range()}, {0, 0});
  }

  // `proven`: nothing in the range is below it.
  void add(SearchRange range, const ObjectiveKey& proven, int division = -1) {
    const ObjectiveKey bound = std::max(proven, bound_of(range.keep));
    open_.add({bound, std::move(range), division});
  }
  ObjectiveKey bound_of(const KeepRange& keep) const {
    const Cost least = compulsory_cost(problem_.model, keep).whole;
    return incumbent_.key_of({static_cast<double>(least.energy.units), static_cast<double>(least.cycles)});
  }

  Gate gate() { return {problem_.options.rules, statistics_.rules}; }
  bool cut(const ObjectiveKey& bound) {
    return gate().prunes(Rule::KeepBound, [&] { return incumbent_.cuts(bound); });
  }

  // A better incumbent before everything is searched: narrow passes over the choices with one tensor a level.
  void try_one_tensor_each() {
    for (const KeepMasks& keep : one_tensor_each(problem_)) {
      if (budget_.over() || !budget_.allows(1) || cut(bound_of({keep, keep}))) continue;
      const std::optional<PreparedRange> range = prepare({{keep, keep}}, 0);
      if (!range || !range->passes->ready()) continue;
      range->passes->run(RangePasses::kNarrow, budget_, incumbent_, {});
      take(*range->passes);
    }
  }

  // None: there is no memory for the tables of the range while others hold `held` bytes.
  std::optional<PreparedRange> prepare(const SearchRange& range, u64 held) const {
    return tables_.prepare(range, held, incumbent_.aim().cycles_only, [this] { return budget_.over(); });
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
  bool search(const OpenRange& open) {
    const SearchRange& range = open.range;
    const ObjectiveKey& bound = open.bound;
    const bool watched = witness_ && witness_->in(range.keep);
    if (cut(bound)) {
      if (watched) witness_->keep_choice_cut(bound, incumbent_.best());
      return true;
    }
    if (budget_.over()) {
      record_unexplored(bound, budget_.end(0));
      return true;
    }
    const std::optional<PreparedRange> prepared = prepare(range, 0);
    if (!prepared) {
      const std::vector<SearchRange> halves = split_keeps(range);
      for (const SearchRange& half : halves) add(half, bound, open.division);
      if (!halves.empty()) return true;
      if (tables_.coarsen() && !tables_.fanouts().empty()) {
        add(range, bound, open.division);
        return true;
      }
      record_unexplored(bound, searched_ ? SearchEnd::Memory : SearchEnd::Tables);
      return false;
    }
    if (prepared->passes->ready()) search(*prepared, open, watched);
    else record_unexplored(bound, budget_.end(0));
    take(*prepared->passes);
    return true;
  }

  // All of a range, in passes, or its parts later.
  void search(const PreparedRange& prepared, const OpenRange& open, bool watched) {
    const SearchRange& range = open.range;
    searched_ = true;
    const CostBound root = prepared.passes->root_bound();
    ObjectiveKey proven = std::max(open.bound, incumbent_.key_of(root));
    if (cut(proven)) {
      if (watched) witness_->keep_choice_cut(proven, incumbent_.best());
      return;
    }
    StageObserver observe;
    if (watched) observe = [&](const PassStage& stage) { witness_->observe(stage); };
    BoundObserver watch;
    if (problem_.options.progress)
      watch = [&](const ObjectiveKey& key) {
        report_progress(std::max(proven, key), statistics_.evaluated + prepared.passes->statistics().evaluated);
      };
    std::optional<bool> gains;
    const auto in_parts = [&] {
      const std::optional<std::vector<SearchRange>> parts = split(range, root);
      if (parts && !gains) gains = range.unrollings.empty() ? gain(*parts, prepared, root) >= parts_.least_gain : true;
      if (!parts || !*gains) return false;
      open_.divide(open, *parts, proven, parts_.before_whole * parts_.evaluations);
      return true;
    };
    RangePasses passes(*prepared.passes, budget_, parts_.evaluations, incumbent_, proven, watch, observe);
    if (const SearchEnd end = passes.run(in_parts); end != SearchEnd::Done) record_unexplored(proven, end);
  }

  // The parts of a range whose unrollings differ, without those that are too slow. `root`: bound of the whole range.
  std::optional<std::vector<SearchRange>> split(const SearchRange& range, const CostBound& root) {
    const Compiled& c = problem_.model.compiled();
    const double cycles = cycles_of_one_unit(c);
    const auto useless = [&](double instances) {
      const CostBound bound{root.energy, std::max(root.cycles, cycles / instances)};
      return gate().prunes(Rule::UsefulInstances, [&] { return incumbent_.cuts(bound); });
    };
    return split_unrollings(c, tables_.fanouts(), without_idle_unrollings(tables_.fanouts(), range, useless));
  }

  // The share of the way from the bound of a range to the incumbent that the bound of some part has gone.
  double gain(const std::vector<SearchRange>& parts, const PreparedRange& whole, const CostBound& root) const {
    const ObjectiveKey from = incumbent_.key_of(root), to = incumbent_.best();
    double most = 0;
    for (const SearchRange& part : parts) {
      const std::optional<PreparedRange> prepared = prepare(part, whole.bytes);
      if (!prepared || !prepared->passes->ready()) return 0;
      const ObjectiveKey key = incumbent_.key_of(prepared->passes->root_bound());
      const bool same = from.first == to.first;
      most = std::max(most, same ? (key.second - from.second) / (to.second - from.second)
                                 : (key.first - from.first) / (to.first - from.first));
      if (most >= parts_.least_gain) break;
    }
    return most;
  }

  void record_unexplored(const ObjectiveKey& bound, SearchEnd why) {
    least_left_ = std::min(least_left_, bound);
    end_ = std::max(end_, why);
  }

  // Nothing is below `searching` in the range that is being searched, after `evaluated` mappings priced.
  void report_progress(const ObjectiveKey& searching, u64 evaluated) const {
    const Objective objective = problem_.options.objective;
    const ObjectiveKey least = std::min({least_left_, least_to_come_, searching, incumbent_.best()});
    // Proven is what perfect factors allow: with others there may be less.
    problem_.report_progress(incumbent_.found() ? objective_number(objective, incumbent_.answer().cost) : 0,
                             problem_.has_all_tiles() ? 0 : key_number(objective, least), evaluated);
  }

  LayerAnswer not_searched(SearchEnd why) {
    end_ = why;
    return answer(false);
  }

  LayerAnswer answer(bool complete) const {
    Certificate proven{complete, complete ? SearchEnd::Done : end_};
    if (!complete && least_left_.first < ObjectiveKey().first)
      proven.lower_bound = key_number(problem_.options.objective, std::min(least_left_, incumbent_.best()));
    LayerAnswer out = proven.answer(incumbent_, statistics_);
    out.machines_tried = machines_tried_;
    if (witness_) out.witness = witness_->report(out);
    return out;
  }

  const LayerProblem& problem_;
  RangeTables tables_;
  SearchBudget budget_;  // what is left of it
  const ObjectiveKey limit_;
  PartsPolicy parts_;
  Incumbent incumbent_;
  SearchStatistics statistics_;
  std::vector<bool> machines_tried_;
  ObjectiveKey least_left_;     // of what was not searched to the end
  ObjectiveKey least_to_come_;  // of the ranges after the one that is being searched
  OpenRanges open_;
  SearchEnd end_ = SearchEnd::Done;
  bool searched_ = false;
  std::optional<WitnessWatch> witness_;
};

}  // namespace

LayerAnswer exact_search(const LayerProblem& problem, const LayerAnswer& start, const SearchBudget& budget,
                         const ObjectiveKey& limit, const PartsPolicy& parts, const GridLimits& tables) {
  const ReducedProblem reduced(problem, Factors::Perfect);
  LayerAnswer out = Exact(reduced.problem(), start, budget, limit, parts, tables, {}).run();
  reduced.restore(out);
  return out;
}

LayerAnswer exact_list(const LayerProblem& problem, const CostBound& most, const ObjectiveKey& limit,
                       const SearchBudget& budget) {
  const ReducedProblem reduced(problem, Factors::Perfect);
  LayerAnswer out = Exact(reduced.problem(), {}, budget, limit, {}, {}, {.list_within = most}).run();
  reduced.restore(out);
  return out;
}

}  // namespace heliolite
