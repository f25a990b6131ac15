#pragma once
// Tables of rest bounds that searches of one mapspace leave to each other. They are of words and prices of words, not
// of an objective: the search for the least energy + lambda x cycles has the tables of that for energy x cycles.
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/search/exact/rest_bounds.h"

namespace heliolite {

// For any number of searches at a time.
class KeptTables {
 public:
  // The tables of a range, whose fan-outs the model refers to: those that are kept of an equal one, or new ones, which
  // are kept; null: there is no room to keep them. They refer to nothing of the problem, nor of the model. `stop`: as
  // RestBounds(); tables that were given up are not kept.
  std::shared_ptr<const RestBounds> of(const LayerProblem& problem, const FlowCosts& model,
                                       std::shared_ptr<const std::vector<FanoutChoices>> fanouts,
                                       const std::function<bool()>& stop);

 private:
  struct Entry;

  std::mutex mutex_;
  std::vector<std::shared_ptr<const Entry>> entries_;
  u64 bytes_ = 0;
};

}  // namespace heliolite
