#pragma once
// What mappings drawn at random cost: a picture of a mapspace, not a search. The draws are those of sampler.h.
#include <atomic>
#include <vector>

#include "engine/model/cost_model.h"
#include "engine/space/mapspace.h"

namespace heliolite {

struct SampleOptions {
  u64 mappings = 1000;  // legal ones to draw
  u64 seed = 1;
  int threads = 0;                          // 0 = every core
  const std::atomic<bool>* stop = nullptr;  // when somebody sets it, what was drawn so far is returned
};

// Legal mappings in the order in which they were drawn; the same for any number of threads.
struct SpaceSample {
  std::vector<u64> numbers;  // of their draws: Sampler(space, model, false, seed).evaluate(number, mapping)
  std::vector<Cost> costs;   // one for each
  u64 drawn = 0;             // with those that do not fit
  bool complete = false;     // false: stopped, or kRandomTimeout draws in a row did not fit
};

// Perfect factors. The mapspace and the model must be of the same pair.
SpaceSample sample_space(const Mapspace& space, const CostModel& model, const SampleOptions& options);

}  // namespace heliolite
