#pragma once
// The exact search of one keep choice: a layered graph whose nodes are states (exact_state.h) after each level, from
// the inside out. Specification: sunstone.md section 8; proofs: docs/rules/exact.md.
#include <limits>
#include <vector>

#include "engine/search/exact_bounds.h"
#include "engine/search/exact_layer.h"

namespace heliolite {

// The best complete mapping so far, and what a bound is compared with. For delay ties are decided by energy.
struct ExactIncumbent {
  LayerAnswer answer;
  Objective objective = Objective::Edp;

  struct Key {
    double first = std::numeric_limits<double>::infinity(), second = std::numeric_limits<double>::infinity();
  };
  Key key_of(const CostBound& bound) const;
  // Whether nothing as cheap as `bound` can beat the incumbent.
  bool cuts(const Key& bound) const;
  void offer(const Mapping& mapping, const Cost& cost);

  Key best;
};

struct ExactPass {
  bool complete = false;              // nothing was dropped that could be better
  ExactIncumbent::Key least_dropped;  // least bound of what was dropped
};

class ExactSearch {
 public:
  ExactSearch(const LayerProblem& problem, const std::array<TensorMask, kMaxLevels>& keep, const Lattice& lattice);

  // One sweep over the levels that keeps at most `width` states after each.
  ExactPass run(std::size_t width, ExactIncumbent& incumbent);

  // Nothing in this keep choice is below.
  CostBound root_bound() const;

  const SearchStatistics& statistics() const { return statistics_; }

 private:
  struct Worker;

  const LayerProblem& problem_;
  ExactModel model_;
  ExactBounds bounds_;
  SearchStatistics statistics_;
};

}  // namespace heliolite
