#pragma once
// The co-search of memories compared with a search of every machine (Ng, UBC 2022, chapter 7): same answer, how much
// less is looked at.
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "engine/search/co_search/co_search.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// One layer by one strategy.
struct CoSearchStudyRow {
  std::string layer;  // its name, or a text for all layers together
  std::string strategy;
  CoSearchResult together, grid;  // of co_search() and of grid_search()
};

// The study of one sweep.
struct CoSearchStudy {
  std::vector<std::string> levels;        // names of the levels where tiles are chosen, innermost first, no outermost
  std::vector<std::size_t> level_places;  // indices of these levels in the machine
  std::vector<std::vector<std::string>> machines;  // [machine][parameter]: value
  std::vector<CoSearchStudyRow> rows;
  bool interrupted = false;
};

// Called when a row is done, with how many rows are done, out of how many.
using CoSearchStudyProgress = std::function<void(u64 done, u64 of, const std::string& layer)>;

// Compares, by each strategy, for every layer of the sweep by itself, then for all of them with their counts and
// weights. `stop`: when it is set, the study ends with the rows done. Errors: a sweep whose machines are of more than
// one shape, or more than kMaxStudyMachines; those of co_search().
Result<CoSearchStudy> run_co_search_study(const SweepSpec& spec, const std::vector<Strategy>& strategies,
                                          const std::atomic<bool>* stop = nullptr,
                                          const CoSearchStudyProgress& progress = {});

inline constexpr u64 kMaxStudyMachines = 4096;

}  // namespace heliolite
