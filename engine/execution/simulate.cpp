#include "engine/execution/simulate.h"

#include <fmt/format.h>

#include "engine/execution/cache_bank.h"
#include "engine/execution/scratchpad.h"
#include "engine/execution/walk.h"

namespace heliolite {

namespace {

double touches_of(const LoopNest& nest) {
  return static_cast<double>(nest.workload.macs()) * static_cast<double>(nest.accesses.size());
}

}  // namespace

Diagnostics check_simulation(const LoopNest& nest, std::span<const SimulatedCache> caches, SimulationLimits limits) {
  Diagnostics errors = check_caches(caches, nest.accesses.size(), touches_of(nest), limits);
  if (nest.words > limits.words)
    errors.push_back(
        {"", 0, nest.workload.name,
         fmt::format("arrays of {} words are too large to be executed; at most {}", nest.words, limits.words)});
  return errors;
}

namespace {

// All that look at the nest while it is executed once.
class Audience {
 public:
  Audience(const LoopNest& nest, std::span<const SimulatedCache> caches, bool outputs_read)
      : nest_(nest), bank_(nest.arrays, caches, outputs_read) {
    for (const SimulatedCache& cache : caches)
      if (cache.policy == CachePolicy::Scratchpad) scratchpads_.emplace_back(nest, cache.level, outputs_read);
  }

  void begin(const LoopNestPart& part) {
    for (Scratchpad& s : scratchpads_) s.begin(part);
  }
  void advance(std::size_t loop, u32 index) {
    for (Scratchpad& s : scratchpads_) s.advance(loop, index);
  }
  void visit(const TouchedWords& words) {
    for (std::size_t a = 0; a < nest_.accesses.size(); ++a) {
      const NestAccess& access = nest_.accesses[a];
      bank_.touch(access.array, words[a], access.is_output ? TouchKind::Update : TouchKind::Read,
                  a + 1 == nest_.accesses.size());
    }
    for (Scratchpad& s : scratchpads_) s.visit(words);
  }

  std::vector<CacheTraffic> answers() {
    std::vector<CacheTraffic> answers = bank_.answers();
    auto scratchpad = scratchpads_.begin();
    for (std::size_t c = 0; c < answers.size(); ++c)
      if (bank_.caches()[c].policy == CachePolicy::Scratchpad) answers[c] = (scratchpad++)->traffic();
    return answers;
  }

 private:
  const LoopNest& nest_;
  CacheBank bank_;
  std::vector<Scratchpad> scratchpads_;
};

}  // namespace

std::vector<CacheTraffic> simulate(const LoopNest& nest, std::span<const SimulatedCache> caches, bool outputs_read) {
  Audience audience(nest, caches, outputs_read);
  walk(nest, audience);
  return audience.answers();
}

}  // namespace heliolite
