#include "engine/search/exact/exact.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
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
constexpr std::size_t kManyChoices = 16;      // more are not searched before a climb over them
constexpr u64 kFirstEvaluations = 4'000'000;  // of a pass that leaves nothing out, before limits are tried
constexpr double kWideShare = 0.85;           // of the time that is left, for such a pass
constexpr int kMostLimits = 24;               // passes below a limit, one after the other
constexpr u64 kLeastStates = u64{1} << 20;    // bytes that the tables must leave for states

struct KeepChoice {
  KeepMasks keep;
  ObjectiveKey bound;  // of everything in it
};

// Every way to decide what the machine leaves open, the most promising first. Empty if they are too many.
std::vector<KeepChoice> keep_choices(const LayerProblem& problem) {
  std::vector<KeepChoice> out;
  for (const KeepMasks& keep : problem.keep_choices(kMostKeepChoices)) {
    KeepChoice choice{keep, {}};
    const Cost least = compulsory_cost(problem.model, {choice.keep, choice.keep}).whole;
    choice.bound = objective_key(problem.options.objective, least);
    out.push_back(choice);
  }
  std::stable_sort(out.begin(), out.end(), [](const KeepChoice& a, const KeepChoice& b) { return a.bound < b.bound; });
  return out;
}

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
    const std::vector<KeepChoice> choices = keep_choices(problem_);
    if (lattice.points() > Lattice::kMaxPoints) return not_searched(SearchEnd::Tiles);
    if (choices.empty()) return not_searched(SearchEnd::Keeps);
    const std::vector<FanoutChoices> fanouts = make_fanout_choices(problem_, lattice, problem_.options.memory_bytes);
    if (fanouts.empty()) return not_searched(SearchEnd::Tables);
    if (choices.size() > kManyChoices) climb_keeps(lattice, fanouts);
    for (std::size_t k = 0; k < choices.size(); ++k) {
      // The most promising come first: no choice that follows is below what this one costs at least.
      if (budget_.over() || (k > 0 && !budget_.allows(1))) {
        if (!cut(choices[k].bound)) leave(choices[k].bound, budget_.end(0));
        break;
      }
      least_to_come_ = k + 1 < choices.size() ? choices[k + 1].bound : ObjectiveKey();
      search(choices[k], lattice, fanouts);
    }
    return answer(incumbent_.cuts(least_left_));
  }

 private:
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

  // A better incumbent before the choices are searched one by one: narrow passes over those with one tensor a level;
  // then over those that differ from the best in one tensor of one level, or else in two, as long as one of them finds
  // something better.
  void climb_keeps(const Lattice& lattice, const std::vector<FanoutChoices>& fanouts) {
    std::vector<KeepMasks> flips{KeepMasks{}};  // the first flips nothing
    for (int i = 0; i < problem_.space.level_count(); ++i)
      for (const int v : bits(problem_.space.levels[at(i)].open)) {
        flips.emplace_back();
        flips.back()[at(i)] = static_cast<TensorMask>(1u << v);
      }
    std::set<KeepMasks> seen;
    for (const KeepMasks& keep : one_tensor_each())
      if (!budget_.over() && budget_.allows(1) && seen.insert(keep).second) narrow_pass(keep, lattice, fanouts);
    const auto improves = [&](const KeepMasks& from, std::size_t a, std::size_t b) {
      KeepMasks next = from;
      for (std::size_t i = 0; i < next.size(); ++i) next[i] ^= flips[a][i] ^ flips[b][i];
      if (!seen.insert(next).second || budget_.over() || !budget_.allows(1)) return false;
      const ObjectiveKey before = incumbent_.best();
      narrow_pass(next, lattice, fanouts);
      return incumbent_.best() < before;
    };
    for (bool better = incumbent_.found(); better;) {
      better = false;
      const KeepMasks from = incumbent_.answer().mapping.keep;
      for (std::size_t a = 0; a < flips.size() && !better; ++a)
        for (std::size_t b = a + 1; b < flips.size() && !better; ++b) better = improves(from, a, b);
    }
  }

  void narrow_pass(const KeepMasks& keep, const Lattice& lattice, const std::vector<FanoutChoices>& fanouts) {
    const std::unique_ptr<LayeredPass> search = make_pass(keep, lattice, fanouts);
    if (!search) return;
    search->run(kNarrow, budget_, incumbent_, {});
    take(*search);
  }

  // The passes over one choice; null: there is no memory for its tables.
  std::unique_ptr<LayeredPass> make_pass(const KeepMasks& keep, const Lattice& lattice,
                                         const std::vector<FanoutChoices>& fanouts) const {
    FlowCosts model = make_flow_costs(problem_, keep, lattice, fanouts);
    const u64 tables = bytes(fanouts) + RestBounds::bytes(model);
    if (tables + kLeastStates > problem_.options.memory_bytes) return nullptr;
    return std::make_unique<LayeredPass>(problem_, std::move(model), problem_.options.memory_bytes - tables);
  }

  // What passes have done and used.
  void take(const LayeredPass& search) {
    statistics_ += search.statistics();
    budget_ = budget_.after(search.statistics().evaluated);
    machines_tried_.resize(search.machines());
    for (std::size_t m = 0; m < machines_tried_.size(); ++m)
      if (search.machines_tried()[m]) machines_tried_[m] = true;
  }

  void search(const KeepChoice& choice, const Lattice& lattice, const std::vector<FanoutChoices>& fanouts) {
    const bool watched = witness_ && witness_->in(choice.keep);
    if (cut(choice.bound)) {
      if (watched) witness_->keep_choice_cut(choice.bound, incumbent_.best());
      return;
    }
    const std::unique_ptr<LayeredPass> made = make_pass(choice.keep, lattice, fanouts);
    if (!made) return leave(choice.bound, searched_ ? SearchEnd::Memory : SearchEnd::Tables);
    searched_ = true;
    LayeredPass& search = *made;
    ObjectiveKey least;  // of all machines
    for (u32 machine = 0; machine < search.machines(); ++machine)
      least = std::min(least, incumbent_.key_of(search.root_bound(machine)));
    ObjectiveKey proven = std::max(choice.bound, least);
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
    take(search);
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
  // choice. Prices mappings until the search has priced `most`.
  void rise(LayeredPass& search, ObjectiveKey& proven, u64 most, const LayeredPass::Proven& watch) {
    double share = 0.5;  // of the way to the incumbent
    for (int k = 0; k < kMostLimits && !incumbent_.cuts(proven); ++k) {
      const u64 evaluated = search.statistics().evaluated;
      if (evaluated >= most || budget_.end(evaluated) != SearchEnd::Done) return;
      Incumbent below(problem_.options.objective, between(proven, incumbent_.best(), share));
      const ObjectiveKey limit = below.best();
      const SearchBudget part = budget_.at_most(evaluated + (most - evaluated + 1) / 2).part_of_time(0.5);
      const PassEnd pass = search.run(LayeredPass::kAnyWidth, part, below, watch);
      incumbent_.offer(below);
      proven = std::max(proven, std::min({limit, below.best(), pass.least_left}));
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

  // Nothing is below `searching` in the choice that is being searched.
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
  ObjectiveKey least_left_;     // of what was not searched to the end
  ObjectiveKey least_to_come_;  // of the choices after the one that is being searched
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
