#pragma once
// The exact search of one keep choice: a layered graph whose nodes are states (exact_state.h) after each level, from
// the inside out. Proofs: docs/rules/exact.md.
#include <functional>
#include <vector>

#include "engine/search/exact_incumbent.h"
#include "engine/search/exact_layer.h"
#include "engine/search/search_budget.h"

namespace heliolite {

struct ExactPass {
  bool complete = false;   // nothing was left out that could be better
  bool by_memory = false;  // something was left out because there was no room for it
  ExactKey least_left;     // least bound of what was left out, by the width, the memory or the budget

  void leave(const ExactKey& bound) {
    complete = false;
    if (bound < least_left) least_left = bound;
  }
  // What a layer had no room for; infinity: nothing.
  void leave_by_memory(const ExactKey& bound) {
    if (!(bound < ExactKey())) return;
    by_memory = true;
    leave(bound);
  }
};

class ExactSearch {
 public:
  static constexpr std::size_t kAnyWidth = ~std::size_t{0};

  // The states that are held at a time take at most `bytes`.
  ExactSearch(const LayerProblem& problem, ExactModel model, u64 bytes);
  ExactSearch(const ExactSearch&) = delete;
  ExactSearch& operator=(const ExactSearch&) = delete;

  // What can be told after each level: nothing that has not been found yet is below.
  using Proven = std::function<void(const ExactKey&)>;

  // One sweep over the levels that keeps at most `width` states after each, and no more than the memory holds. The same
  // for any number of threads.
  ExactPass run(std::size_t width, const SearchBudget& budget, ExactIncumbent& incumbent, const Proven& proven);

  // Nothing on this machine is below, with this keep choice.
  CostBound root_bound(u32 machine) const;

  std::size_t machines() const { return model_.machine.size(); }

  const SearchStatistics& statistics() const { return statistics_; }
  const std::vector<bool>& machines_tried() const { return machines_tried_; }

 private:
  struct Range;
  struct Part;

  bool extend(int level, std::vector<ExactLayer>& layers, const SearchBudget& budget, ExactIncumbent& incumbent,
              ExactPass& pass);
  void extend(Part& part, int level, const std::vector<ExactLayer>& layers, const SearchBudget& budget) const;
  void merge(std::vector<Part>& parts, int level, const SearchBudget& budget, ExactLayer& out, ExactPass& pass) const;
  std::size_t room_after(const std::vector<ExactLayer>& layers, int level) const;

  const LayerProblem& problem_;
  const ExactModel model_;
  const ExactBounds bounds_;
  const u64 bytes_;
  SearchStatistics statistics_;
  std::vector<bool> machines_tried_;
};

}  // namespace heliolite
