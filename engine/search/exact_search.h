#pragma once
// The exact search of one keep choice: a layered graph whose nodes are states (exact_state.h) after each level, from
// the inside out. Specification: sunstone.md section 8; proofs: docs/rules/exact.md.
#include <vector>

#include "engine/search/exact_incumbent.h"
#include "engine/search/exact_layer.h"
#include "engine/search/search_budget.h"

namespace heliolite {

struct ExactPass {
  bool complete = false;  // nothing was left out that could be better
  ExactKey least_left;    // least bound of what was left out, by the width or the budget

  void leave(const ExactKey& bound) {
    complete = false;
    if (bound < least_left) least_left = bound;
  }
};

class ExactSearch {
 public:
  ExactSearch(const LayerProblem& problem, const std::array<TensorMask, kMaxLevels>& keep, const Lattice& lattice,
              std::span<const ExactFanout> fanouts);

  // One sweep over the levels that keeps at most `width` states after each. The same for any number of threads.
  ExactPass run(std::size_t width, const SearchBudget& budget, ExactIncumbent& incumbent);

  // Nothing on this machine is below, with this keep choice.
  CostBound root_bound(u32 machine) const;

  std::size_t machines() const { return model_.machine.size(); }

  // States whose memory stays within bounds.
  std::size_t most_states() const;

  const SearchStatistics& statistics() const { return statistics_; }
  const std::vector<bool>& machines_tried() const { return machines_tried_; }

 private:
  bool extend(int level, std::vector<ExactLayer>& layers, const SearchBudget& budget, ExactIncumbent& incumbent,
              ExactPass& pass);
  void narrow(ExactLayer& layer, std::size_t width, ExactPass& pass) const;

  const LayerProblem& problem_;
  ExactModel model_;
  ExactBounds bounds_;
  SearchStatistics statistics_;
  std::vector<bool> machines_tried_;
};

}  // namespace heliolite
