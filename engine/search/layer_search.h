#pragma once
// One layer on one machine, prepared once and searched: the unit of parallel work.
#include <memory>
#include <optional>
#include <vector>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/sunstone/refine.h"
#include "engine/space/mapspace.h"
#include "engine/space/order_trie.h"

namespace heliolite {

class LayerSearch {
 public:
  // Errors: constraints that name what the workload does not have.
  static Result<LayerSearch> create(const Workload& workload, const Architecture& architecture,
                                    const SearchOptions& options);

  // By the strategy asked for, within `budget`: of its evaluations at most kEvaluationSlack more are taken.
  LayerAnswer search(const SearchBudget& budget) const;

  const LayerProblem& problem() const { return *problem_; }
  // What Sunstone prices plans with, at first with the first keep choice.
  std::unique_ptr<Ladder> make_ladder(const SearchBudget& budget) const;
  const std::vector<KeepMasks>& keep_choices() const { return keep_; }

  // Sunstone goes level by level from every way to decide what the machine leaves open, up to kMaxKeepChoices; beyond
  // that from a few starts. The climbs flip single choices.
  static constexpr std::size_t kMaxKeepChoices = 8;

  // With imperfect factors, sunstone and exact answer in two steps: this one searches them from the answer with
  // perfect factors and is never worse. That answer's certificate is not one of the larger mapspace.
  bool has_second_step() const;
  LayerAnswer second_step(const LayerAnswer& perfect, const SearchBudget& budget) const;

  // What no mapping is below, whatever is searched: in units of objective_number().
  double first_bound() const;

  // What is worth saying of other factors beside an answer with perfect ones, if that was asked for.
  std::optional<ImperfectLook> look(const LayerAnswer& perfect) const;

  // The best answer with its certificate, or the reasons why there is none. `bound`: first_bound().
  MappingResult conclude(const LayerAnswer& best, double bound) const;

 private:
  explicit LayerSearch(std::unique_ptr<LayerProblem> problem);

  void list_orders();
  void list_keep_choices();
  KeepMasks with_room(KeepMasks keep, int first) const;
  LayerAnswer search_sunstone(const SearchBudget& budget) const;
  Diagnostics why_infeasible() const;

  std::unique_ptr<LayerProblem> problem_;       // on the heap: ladders refer to it
  std::vector<std::vector<LoopOrder>> orders_;  // by level
  RuleCounts order_counts_;
  std::vector<KeepMasks> keep_;
};

}  // namespace heliolite
