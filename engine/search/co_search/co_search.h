#pragma once
// Memory co-search (Sunstone-arch; Ng, UBC 2022, chapters 5 and 7): which of several machines of one shape serves a set
// of layers best, and how the layers are mapped on it, without a search for every machine. Proofs:
// docs/rules/co_search.md.
//
// `exact` proves the best machine and its mappings together. `sunstone` ranks the machines by one walk (memory_bins.h)
// and searches the most promising ones in full.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/search/core/machine_family.h"
#include "engine/search/map.h"

namespace heliolite {

struct WeightedLayer {
  Workload workload;
  double weight = 1;  // of its objective in the sum that is minimised
};

// What became of a machine.
struct CoSearchMachine {
  enum class State : u8 {
    Searched,    // its layers were mapped: `value` is the least that was found
    Cut,         // it was not: no mapping on it is below `lower_bound`, or `sunstone` found others more promising
    Infeasible,  // some layer has no mapping on any machine
  };
  State state = State::Cut;
  double value = 0;        // sum over the layers of weight times objective
  double lower_bound = 0;  // of that sum
};

struct CoSearchResult {
  Status status = Status::Infeasible;
  std::size_t best = 0;                   // machine
  double value = 0;                       // of it
  double lower_bound = 0;                 // no machine and no mapping is below
  double gap = 0;                         // value / lower_bound - 1
  std::vector<MappingResult> layers;      // on the best machine
  std::vector<CoSearchMachine> machines;  // as in the family
  SearchStatistics statistics;
  u64 configurations = 0;  // machines for which tiles were placed, or their bins completed
  double seconds = 0;
};

// Strategies: exact, sunstone. The answer does not depend on the number of threads. Errors: constraints that name
// unknown dimensions or tensors, other strategies.
Result<CoSearchResult> co_search(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                 const SearchOptions& options);

// The same by a search of every machine: what a co-search is compared with.
Result<CoSearchResult> grid_search(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                   const SearchOptions& options);

}  // namespace heliolite
