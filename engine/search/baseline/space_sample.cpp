#include "engine/search/baseline/space_sample.h"

#include <optional>

#include "engine/search/baseline/sampler.h"
#include "engine/search/core/option_kinds.h"
#include "engine/search/core/parallel.h"

namespace heliolite {

SpaceSample sample_space(const Mapspace& space, const CostModel& model, const SampleOptions& options) {
  constexpr u64 kChunk = 512, kChunks = 8;
  SpaceSample sample;
  const Sampler sampler(space, model, false, options.seed);
  if (!sampler.possible()) return sample;
  std::vector<std::optional<Cost>> batch(kChunk * kChunks);  // empty: does not fit
  u64 misses = 0;                                            // in a row
  while (sample.costs.size() < options.mappings) {
    if (options.stop != nullptr && *options.stop) return sample;
    parallel_for(kChunks, options.threads, [&](std::size_t chunk) {
      Mapping mapping;
      for (std::size_t k = chunk * kChunk; k < (chunk + 1) * kChunk; ++k) {
        const Evaluation e = sampler.evaluate(sample.drawn + k, mapping);
        batch[k] = e.verdict == Verdict::Fits ? std::optional(e.cost) : std::nullopt;
      }
    });
    for (const std::optional<Cost>& cost : batch) {
      const u64 number = sample.drawn++;
      misses = cost ? 0 : misses + 1;
      if (misses == kRandomTimeout) return sample;
      if (!cost) continue;
      sample.numbers.push_back(number);
      sample.costs.push_back(*cost);
      if (sample.costs.size() == options.mappings) break;
    }
  }
  sample.complete = true;
  return sample;
}

}  // namespace heliolite
