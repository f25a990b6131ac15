// bound --simulate: the best tilings executed, and what they measure compared with what was claimed.
#include "cli/bound/bound_symbolic_layer.h"

#include <cmath>
#include <vector>

#include "cli/ui/table.h"
#include "engine/execution/simulate.h"
#include "engine/execution/tiled_nest.h"

namespace heliolite::cli {
namespace {

// A few seconds of execution for each place, and as much memory as a layer's search.
constexpr SimulationLimits kBriefly{100'000'000, 50'000'000, 100'000'000};

std::string cell(const std::optional<double>& words) { return words ? count(*words) : "-"; }

Json number(const std::optional<double>& words) { return words ? Json(*words) : Json(); }

}  // namespace

ExecutedTiling execute_tiling(const Workload& workload, const PartTiling& tiling, double capacity, TrafficRule rule) {
  ExecutedTiling answer;
  const auto words = static_cast<u64>(capacity);
  const LoopNest nest = tiled_nest(workload, tiling);
  std::vector<SimulatedCache> caches{{{words, 1, 0}, CachePolicy::Scratchpad, 1}, {{words, 1, 0}, CachePolicy::Lru, 1}};
  if (const Diagnostics errors = check_simulation(nest, caches, kBriefly); !errors.empty()) {
    answer.why_not = errors.front().message;
    return answer;
  }
  caches.push_back({{words, 1, 0}, CachePolicy::Opt, 1});
  const bool remembers = check_simulation(nest, caches, kBriefly).empty();
  if (!remembers) caches.pop_back();
  const std::vector<CacheTraffic> traffic = simulate(nest, caches, rule.outputs_are_read);
  answer.scratchpad = static_cast<double>(traffic[0].words(rule));
  answer.lru = static_cast<double>(traffic[1].words(rule));
  if (remembers) answer.opt = static_cast<double>(traffic[2].words(rule));
  if (const auto tile = best_lru_tile(workload, words, rule)) {
    const LoopNest kept = tiled_nest(workload, tiling_problem(workload, rule), std::span(&*tile, 1));
    const std::vector<CacheTraffic> lru = simulate(kept, std::span(&caches[1], 1), rule.outputs_are_read);
    answer.lru_tiling = tile->words;
    answer.lru_tiling_measured = static_cast<double>(lru.front().words(rule));
  }
  return answer;
}

std::string executed_table(const SymbolicAnswer& answer) {
  Table table({"<outside", "capacity", "bound", "best tiling", "scratchpad", "opt", "lru", "tiling for lru",
               "lru with that", "<not executed"});
  bool any = false;
  for (const PlaceAnswer& p : answer.places) {
    if (!p.executed) continue;
    any = true;
    const ExecutedTiling& e = *p.executed;
    std::vector<std::string> row{p.place.level, count(*p.place.capacity), grouped(best(p.bounds).words),
                                 count(std::round(p.tiling->words()))};
    if (e.why_not.empty()) {
      for (std::string& text : std::vector<std::string>{count(e.scratchpad), cell(e.opt), count(e.lru),
                                                        cell(e.lru_tiling), cell(e.lru_tiling_measured)})
        row.push_back(std::move(text));
    } else {
      row.insert(row.end(), 5, "");
      row.push_back(e.why_not);
    }
    table.row(row);
  }
  if (!any) return "";
  return "the best tilings executed: what their boxes move, what a cache moves that knows the future (opt) or the "
         "past\n(lru), and tiles for such a cache:\n\n" +
         table.to_string();
}

Json executed_json(const ExecutedTiling& executed) {
  if (!executed.why_not.empty()) return {{"why_not", executed.why_not}};
  return {{"scratchpad", executed.scratchpad},
          {"opt", number(executed.opt)},
          {"lru", executed.lru},
          {"lru_tiling", number(executed.lru_tiling)},
          {"lru_tiling_measured", number(executed.lru_tiling_measured)}};
}

}  // namespace heliolite::cli
