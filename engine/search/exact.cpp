#include "engine/search/exact.h"

#include <algorithm>
#include <cmath>

#include "engine/search/exact_search.h"

namespace heliolite {
namespace {

constexpr u64 kMostChoices = 1 << 16;  // of what is kept where the machine leaves that open
constexpr std::size_t kNarrow = 16;    // states of the first pass, which looks for a better incumbent

struct KeepChoice {
  KeepMasks keep;
  ExactKey bound;  // of everything in it
};

// Every way to decide what the machine leaves open, the most promising first. Empty if they are too many.
std::vector<KeepChoice> keep_choices(const LayerProblem& problem) {
  std::vector<KeepChoice> out;
  for (const KeepMasks& keep : problem.keep_choices(kMostChoices)) {
    KeepChoice choice{keep, {}};
    const Cost least = compulsory_cost(problem.model, {choice.keep, choice.keep}).whole;
    choice.bound = exact_key(problem.options.objective, static_cast<double>(least.energy.units),
                             static_cast<double>(least.cycles));
    out.push_back(choice);
  }
  std::stable_sort(out.begin(), out.end(), [](const KeepChoice& a, const KeepChoice& b) { return a.bound < b.bound; });
  return out;
}

// In units of objective_number().
double number(Objective objective, const ExactKey& key) {
  return objective == Objective::Delay ? key.first : Energy{1}.picojoules() * key.first;
}

ExactKey key_of(Objective objective, double number) {
  if (std::isinf(number)) return {};
  return {objective == Objective::Delay ? number : number / Energy{1}.picojoules(), 0};
}

class Exact {
 public:
  Exact(const LayerProblem& problem, const LayerAnswer& start, const SearchBudget& budget, double limit)
      : problem_(problem),
        budget_(budget),
        incumbent_(problem.options.objective, key_of(problem.options.objective, limit)) {
    if (start.found) incumbent_.offer(start.mapping, start.cost, start.machine);
    statistics_ = start.statistics;
  }

  LayerAnswer run() {
    const Compiled& c = problem_.model.compiled();
    const Lattice lattice(c.size, c.dimension_count);
    const std::vector<KeepChoice> choices = keep_choices(problem_);
    if (lattice.points() > Lattice::kMaxPoints || choices.empty()) return answer(false);
    const std::vector<ExactFanout> fanouts = make_exact_fanouts(problem_, lattice);
    for (const KeepChoice& choice : choices) {
      // The most promising come first: no choice that follows is below what this one costs at least.
      const bool first = &choice == &choices.front();
      if (budget_.over() || (!first && !budget_.allows(1))) {
        if (!cut(choice.bound)) leave(choice.bound);
        break;
      }
      search(choice, lattice, fanouts);
    }
    return answer(incumbent_.cuts(least_left_));
  }

 private:
  bool cut(const ExactKey& bound) {
    return problem_.options.rules[Rule::KeepBound] && statistics_.rules.count(Rule::KeepBound, incumbent_.cuts(bound));
  }

  void search(const KeepChoice& choice, const Lattice& lattice, const std::vector<ExactFanout>& fanouts) {
    if (cut(choice.bound)) return;
    ExactSearch search(problem_, choice.keep, lattice, fanouts);
    ExactKey least;  // of all machines
    for (u32 machine = 0; machine < search.machines(); ++machine)
      least = std::min(least, incumbent_.key_of(search.root_bound(machine)));
    ExactKey proven = std::max(choice.bound, least);
    if (cut(proven)) return;
    const std::size_t most = search.most_states();
    for (std::size_t width = std::min(kNarrow, most);; width = most) {
      const ExactPass pass = search.run(width, budget_, incumbent_);
      proven = std::max(proven, pass.least_left);
      if (pass.complete || incumbent_.cuts(proven)) break;
      if (width == most || budget_.over() || budget_.evaluations_left(search.statistics().evaluated) == 0) {
        leave(proven);
        break;
      }
    }
    statistics_ += search.statistics();
    budget_ = budget_.after(search.statistics().evaluated);
    machines_tried_.resize(search.machines());
    for (std::size_t m = 0; m < machines_tried_.size(); ++m)
      if (search.machines_tried()[m]) machines_tried_[m] = true;
  }

  void leave(const ExactKey& bound) { least_left_ = std::min(least_left_, bound); }

  LayerAnswer answer(bool complete) const {
    LayerAnswer out = incumbent_.answer();
    out.statistics = statistics_;
    out.machines_tried = machines_tried_;
    out.complete = complete;
    if (!complete && least_left_.first < ExactKey().first)
      out.lower_bound = number(problem_.options.objective, std::min(least_left_, incumbent_.best()));
    return out;
  }

  const LayerProblem& problem_;
  SearchBudget budget_;  // what is left of it
  ExactIncumbent incumbent_;
  SearchStatistics statistics_;
  std::vector<bool> machines_tried_;
  ExactKey least_left_;  // of what was not searched to the end
};

}  // namespace

LayerAnswer exact_search(const LayerProblem& problem, const LayerAnswer& start, const SearchBudget& budget,
                         double limit) {
  return Exact(problem, start, budget, limit).run();
}

}  // namespace heliolite
