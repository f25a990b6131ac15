#pragma once
// One layer on one machine: the mapspace, the loop orders and the keep choices are prepared once, then searched by any
// strategy. A network's layers are searched in parallel, one task each.
#include <functional>
#include <memory>
#include <optional>

#include "engine/search/certify/incumbent.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/sunstone/strategies.h"

namespace heliolite {

// Sums energy + lambda x cycles are numbers in doubles, and searches for them leave out less than one part in 10^12:
// what is this part of another counts as equal to it.
inline constexpr double kSumRounding = 1 - 1e-11;

// One prepared layer.
class LayerSearch {
 public:
  // Errors: constraints of the machine that name dimensions or tensors which the workload does not have, and a witness
  // that the search could not meet.
  static Result<LayerSearch> create(const Workload& workload, const Architecture& architecture,
                                    const SearchOptions& options);

  // One pass of a link of a network (docs/fusion_trees.md): `pass_workload` has the sizes of a pass, mappings are of
  // it, costs are those of all passes. Tensors with a home have none of the levels from there on to choose from. For
  // strategies sunstone and exact, perfect factors and one tile for each level. No search: the machine's constraints
  // leave the pass no mapping, or would take words from peers.
  // With `whole_link` the workload is the link's, and the mapspace has, for every pass of it, its nests with loops
  // around them: what is least there none of its passes is below.
  static Result<LayerSearch> create(const Workload& pass_workload, const Architecture& architecture,
                                    const NestPass& pass, const SearchOptions& options, bool whole_link = false);

  // A problem that was made from one of create()'s.
  explicit LayerSearch(std::unique_ptr<LayerProblem> problem);

  // Searches by the options' strategy within `budget`; it may price kEvaluationSlack more mappings than that allows.
  LayerAnswer search(const SearchBudget& budget) const;

  const LayerProblem& problem() const { return *problem_; }
  // Runs `search` on the smaller problem that stands for this one (certify/reduced_problem.h), where there is one, and
  // makes its answer one of this problem.
  LayerAnswer on_reduced(const std::function<LayerAnswer(const LayerSearch&)>& search) const;
  // The question for the least energy + lambda x cycles of the same mapspace.
  LayerProblem problem_for_sum(double lambda) const;
  // The least energy + lambda x cycles of the same mapspace, with the tables that searches of it for sums leave to each
  // other.
  LayerSearch for_sum(double lambda) const;
  // The program that strategy cosa solves first, as CPLEX LP text. Needs no solver.
  Result<std::string> cosa_program() const;
  // The problem prepared for searches level by level.
  const LevelProblem& levels() const { return levels_; }

  // Whether the strategy answers in two steps: with all tile sizes sunstone and exact search perfect factors first.
  bool has_second_step() const;
  // What the first step gets of the budget of both.
  SearchBudget first_step(const SearchBudget& budget) const;
  // The second step: searches all tile sizes from the answer with perfect factors, and is never worse than it. The
  // certificate of `perfect` does not hold for the larger mapspace.
  LayerAnswer second_step(const LayerAnswer& perfect, const SearchBudget& budget) const;

  // A lower bound of all mappings that is known before any search, in units of objective_number(); 0 of the values of
  // an evaluator.
  double first_bound() const;
  // The energy and the cycles that no mapping is below, known likewise.
  Cost least_cost() const;
  double least_sum(double lambda) const;  // in pJ: of energy + lambda x cycles, as below

  // Searches for the least energy + lambda x cycles, lambda in units of energy (2^-32 pJ) a cycle, in the same
  // mapspace. `known`: a mapping of it, which the result is not worse than.
  MappingResult search_for_sum(double lambda, const Mapping& known, const SearchBudget& budget) const;

  // Lists the mappings whose energy + lambda x cycles is below `below_pj` and that have at most this energy (2^-32 pJ)
  // and these cycles, but for those that another one of the mapspace is nowhere above. Must not be asked where words
  // from peers change costs.
  LayerAnswer list_for_sum(double lambda, double below_pj, const CostBound& most, const SearchBudget& budget) const;

  // What a short search of all tile sizes finds after `perfect`, an answer with perfect factors, if the options ask
  // for it and `budget` leaves anything. It prices about as many mappings as `perfect` took, whatever the budget's
  // time.
  std::optional<OtherTilesProbe> probe_other_tiles(const LayerAnswer& perfect, const SearchBudget& budget) const;

  // `best` with what is proven of it, or the reasons why there is no mapping. `bound`: first_bound().
  MappingResult conclude(const LayerAnswer& best, double bound) const;

 private:
  Diagnostics why_infeasible(const LayerAnswer& none) const;
  Diagnostics idle_units() const;

  std::unique_ptr<LayerProblem> problem_;  // on the heap: ladders refer to it
  LevelProblem levels_;
  struct Reduced;
  std::shared_ptr<Reduced> reduced_;  // the smaller problem, if there is one, and its search
  std::shared_ptr<KeptTables> kept_;  // for searches of the same mapspace for sums
};

}  // namespace heliolite
