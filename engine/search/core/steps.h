#pragma once
// The steps of a search of one layer. A search is a sequence of steps, each on a share of the budget that the steps
// before it have left; the answer says which were run, on how many mappings and for how long.
#include <chrono>
#include <string_view>
#include <utility>

#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Which part of what is left, or how many evaluations, a step may use at most. One row a step, all in one place: who
// changes a share sees what the others get.
namespace share {

// Shares of the time that is left.
inline constexpr double kBoundBeforeSearch = 0.25;  // what no mapping can be below, before anything is priced
inline constexpr double kFastBeforeExact = 0.5;     // sunstone, whose answer exact begins with; under a limit of
                                                    // evaluations it may use all of those
inline constexpr double kFastWithLinks = 0.25;      // sunstone with and without links, before the stages of exact
inline constexpr double kClimbsWithLinks = 0.5;     // of that: climbs by what mappings cost with links
inline constexpr double kExactWithoutLinks = 0.5;   // exact without links, before exact with them
inline constexpr double kExactWithLinks = 0.8;      // exact with links, before annealing
inline constexpr double kRegistersTogether = 0.4;   // all kinds of links among units at once, before each by itself
inline constexpr double kPerfectBeforeAny = 0.1;    // of half of it: factors that divide, before all tile sizes
inline constexpr double kPaddedBeforeAny =
    0.08;  // sizes that divide better, before all tile sizes; of evaluations, too
inline constexpr double kProbeOfOtherTiles = 0.25;  // a short search of all tile sizes after an answer that divides

// Evaluations.
inline constexpr u64 kFromNothing = 200'000;     // exact, where sunstone found nothing that fits
inline constexpr u64 kLeastProbe = 500;          // a short search of all tile sizes: as many as the answer took,
inline constexpr u64 kMostProbe = 2'000;         // between these
inline constexpr u64 kMostOneByOne = 400'000;    // mapspaces that are looked at mapping by mapping, without a budget
inline constexpr u64 kLeastWithLinks = 400'000;  // links without a budget: at least these, and
inline constexpr u64 kTimesWithLinks = 4;        // this many times what the search without links took

// Stages under a limit of evaluations. What a stage does is settled by its own number, not by that of the budget: a
// smaller budget does the beginning of what a larger one does, and more evaluations never give a dearer answer.
struct Stages {
  u64 first;   // evaluations of the first stage
  u64 growth;  // how many times more each next one has
};
inline constexpr Stages kFactorStages{64, 4};   // factors that need not divide
inline constexpr Stages kLinkStages{1'000, 4};  // exact with link transfers
inline constexpr u64 kFactorStageStart = 8;     // this part of a stage of factors finds the mapping it starts from

}  // namespace share

// Runs a step and notes it in the answer's statistics. `before`: what of the statistics that the step returns was done
// by the steps before it.
template <class Run>
LayerAnswer run_step(std::string_view name, const SearchStatistics& before, Run run) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  LayerAnswer out = run();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  out.statistics.add_step({name, out.statistics.evaluated - before.evaluated, seconds});
  return out;
}
template <class Run>
LayerAnswer run_step(std::string_view name, Run run) {
  return run_step(name, {}, std::move(run));
}

}  // namespace heliolite
