#include "engine/execution/simulate.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>

#include "engine/execution/list_cache.h"
#include "engine/execution/opt_cache.h"
#include "engine/execution/scratchpad.h"
#include "engine/execution/walk.h"

namespace heliolite {

std::string_view name(CachePolicy policy) {
  switch (policy) {
    case CachePolicy::Lru: return "lru";
    case CachePolicy::Fifo: return "fifo";
    case CachePolicy::Opt: return "opt";
    case CachePolicy::Scratchpad: return "scratchpad";
  }
  return "";
}

Diagnostics check_simulation(const LoopNest& nest, std::span<const SimulatedCache> caches, SimulationLimits limits) {
  Diagnostics errors;
  const auto complain = [&](std::string field, std::string message) {
    errors.push_back({"", 0, std::move(field), std::move(message)});
  };
  const double touches = static_cast<double>(nest.workload.macs()) * static_cast<double>(nest.accesses.size());
  if (touches > static_cast<double>(limits.touches))
    complain(nest.workload.name, fmt::format("{:.3g} touches of words are too many to be executed; at most {:.3g}",
                                             touches, static_cast<double>(limits.touches)));
  if (nest.words > limits.words)
    complain(nest.workload.name,
             fmt::format("arrays of {} words are too large to be executed; at most {}", nest.words, limits.words));
  for (const SimulatedCache& cache : caches) {
    const CacheShape& shape = cache.shape;
    const std::string field = fmt::format("cache of {} words", shape.capacity_words);
    if (cache.policy == CachePolicy::Scratchpad) {
      if (shape.line_words != 1 || shape.ways != 0) complain(field, "a scratchpad has neither lines nor ways");
      continue;
    }
    if (shape.line_words == 0 || shape.lines() < nest.accesses.size())
      complain(field, fmt::format("holds {} lines of {} words; one iteration needs {}",
                                  shape.line_words == 0 ? 0 : shape.lines(), shape.line_words, nest.accesses.size()));
    if (shape.ways != 0 && (cache.policy == CachePolicy::Opt || shape.lines() % shape.ways != 0))
      complain(field, cache.policy == CachePolicy::Opt
                          ? std::string("opt is fully associative: it has no ways")
                          : fmt::format("{} lines do not make sets of {} ways", shape.lines(), shape.ways));
    if (cache.policy == CachePolicy::Opt && touches > static_cast<double>(limits.opt_touches))
      complain(field, fmt::format("opt remembers every touch: {:.3g} are too many, at most {:.3g}; lru and fifo have "
                                  "room for more",
                                  touches, static_cast<double>(limits.opt_touches)));
  }
  return errors;
}

namespace {

// All that look at the nest while it is executed once.
class Audience {
 public:
  Audience(const LoopNest& nest, std::span<const SimulatedCache> caches, bool outputs_read) : nest_(nest) {
    for (const SimulatedCache& cache : caches) {
      if (cache.policy == CachePolicy::Scratchpad) {
        scratchpads_.emplace_back(nest, cache.level, outputs_read);
        continue;
      }
      Lines& lines = of_size(cache.shape.line_words);
      if (cache.policy == CachePolicy::Opt) lines.recorded = true;
      else lines.caches.emplace_back(nest, lines.map, cache.shape, cache.policy, outputs_read);
    }
  }

  void begin(const LoopNestPart& part) {
    for (Scratchpad& s : scratchpads_) s.begin(part);
  }
  void advance(std::size_t loop, u32 index) {
    for (Scratchpad& s : scratchpads_) s.advance(loop, index);
  }
  void visit(const TouchedWords& words) {
    for (auto& [size, lines] : lines_) {
      for (std::size_t a = 0; a < nest_.accesses.size(); ++a) {
        const NestAccess& access = nest_.accesses[a];
        const u32 line = lines->map.line(access.array, words[a]);
        if (lines->recorded) lines->trace.line.push_back(line);
        for (ListCache& cache : lines->caches) cache.touch(line, access.array, access.is_output);
      }
    }
    for (Scratchpad& s : scratchpads_) s.visit(words);
  }

  std::vector<CacheTraffic> answers(std::span<const SimulatedCache> caches, bool outputs_read) {
    std::vector<CacheTraffic> answers;
    std::size_t scratchpad = 0;
    std::map<u32, std::size_t> next;
    for (const SimulatedCache& cache : caches) {
      if (cache.policy == CachePolicy::Scratchpad) {
        answers.push_back(scratchpads_[scratchpad++].traffic());
        continue;
      }
      Lines& lines = of_size(cache.shape.line_words);
      if (cache.policy == CachePolicy::Opt) {
        answers.push_back(optimal_traffic(nest_, lines.map, cache.shape, lines.trace, outputs_read));
        continue;
      }
      ListCache& listed = lines.caches[next[cache.shape.line_words]++];
      listed.flush();
      answers.push_back(listed.traffic());
    }
    return answers;
  }

 private:
  // Caches with lines of one size.
  struct Lines {
    Lines(const LoopNest& nest, u32 words) : map(nest, words), trace{nest.accesses.size(), {}} {}

    LineMap map;
    std::vector<ListCache> caches;
    bool recorded = false;
    TouchTrace trace;
  };
  Lines& of_size(u32 words) {
    std::unique_ptr<Lines>& lines = lines_[words];
    if (!lines) lines = std::make_unique<Lines>(nest_, words);
    return *lines;
  }

  const LoopNest& nest_;
  std::map<u32, std::unique_ptr<Lines>> lines_;
  std::vector<Scratchpad> scratchpads_;
};

}  // namespace

std::vector<CacheTraffic> simulate(const LoopNest& nest, std::span<const SimulatedCache> caches, bool outputs_read) {
  Audience audience(nest, caches, outputs_read);
  walk(nest, audience);
  return audience.answers(caches, outputs_read);
}

}  // namespace heliolite
