#include "engine/execution/cache_bank.h"

#include <fmt/format.h>

#include <utility>

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

Diagnostics check_caches(std::span<const SimulatedCache> caches, std::size_t operands, double touches,
                         SimulationLimits limits) {
  Diagnostics errors;
  const auto complain = [&](std::string field, std::string message) {
    errors.push_back({"", 0, std::move(field), std::move(message)});
  };
  if (touches > static_cast<double>(limits.touches))
    complain("execution", fmt::format("{:.3g} touches of words are too many to be executed; at most {:.3g}", touches,
                                      static_cast<double>(limits.touches)));
  for (const SimulatedCache& cache : caches) {
    const CacheShape& shape = cache.shape;
    const std::string field = fmt::format("cache of {} words", shape.capacity_words);
    if (cache.policy == CachePolicy::Scratchpad) {
      if (shape.line_words != 1 || shape.ways != 0) complain(field, "a scratchpad has neither lines nor ways");
      continue;
    }
    if (shape.line_words == 0 || shape.lines() < operands)
      complain(field, fmt::format("holds {} lines of {} words; one iteration needs {}",
                                  shape.line_words == 0 ? 0 : shape.lines(), shape.line_words, operands));
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

CacheBank::CacheBank(std::span<const MemoryArray> arrays, std::span<const SimulatedCache> caches, bool values)
    : arrays_(arrays.begin(), arrays.end()), caches_(caches.begin(), caches.end()), values_(values) {
  for (const SimulatedCache& cache : caches_) {
    if (cache.policy == CachePolicy::Scratchpad) continue;
    Lines& lines = of_size(cache.shape.line_words);
    if (cache.policy == CachePolicy::Opt) lines.recorded = true;
    else lines.caches.emplace_back(lines.map, cache.shape, cache.policy, values);
  }
}

void CacheBank::touch(int array, u64 word, TouchKind kind, bool last) {
  for (auto& [size, lines] : lines_) {
    const u32 line = lines->map.line(array, word);
    if (lines->recorded) lines->trace.push_back({line, static_cast<u8>(array), kind, last});
    for (ListCache& cache : lines->caches) cache.touch(line, array, kind);
  }
}

std::vector<CacheTraffic> CacheBank::answers() {
  std::vector<CacheTraffic> answers;
  std::map<u32, std::size_t> next;
  for (const SimulatedCache& cache : caches_) {
    if (cache.policy == CachePolicy::Scratchpad) {
      answers.emplace_back(arrays_.size());
      continue;
    }
    Lines& lines = of_size(cache.shape.line_words);
    if (cache.policy == CachePolicy::Opt) {
      answers.push_back(optimal_traffic(lines.map, cache.shape, lines.trace, values_));
      continue;
    }
    ListCache& listed = lines.caches[next[cache.shape.line_words]++];
    listed.flush();
    answers.push_back(listed.traffic());
  }
  return answers;
}

CacheBank::Lines& CacheBank::of_size(u32 words) {
  std::unique_ptr<Lines>& lines = lines_[words];
  if (!lines) lines = std::make_unique<Lines>(arrays_, words);
  return *lines;
}

}  // namespace heliolite
