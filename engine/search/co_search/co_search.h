#pragma once
// Memory co-search (Sunstone-arch; Ng, UBC 2022, chapters 5 and 7): which of several machines of one shape serves a set
// of layers best, and how the layers are mapped on it, without a search for every machine. Proofs:
// docs/rules/co_search.md.
//
// `exact` proves the best machine and its mappings together. `thesis` is the search as printed: one traversal of tiles
// tagged with memory sizes (co_search_thesis.cpp). `sunstone` ranks the machines by one walk (memory_bins.h) and
// searches the most promising ones in full.
#include <span>
#include <vector>

#include "engine/search/core/answer.h"
#include "engine/search/core/machine_family.h"
#include "engine/search/core/options.h"
#include "workloads/workload.h"

namespace heliolite {

// A layer of the set that the machine is chosen for.
struct WeightedLayer {
  Workload workload;
  double weight = 1;  // factor of its objective in the sum that is minimised; of a network's own how often it runs
};

// What a co-search found out about one machine.
struct CoSearchMachine {
  enum class State : u8 {
    Searched,    // its layers were mapped: `value` is the least that was found
    Cut,         // it was not: no mapping on it is below `lower_bound`, or `sunstone` found others more promising
    Infeasible,  // some layer has no mapping on any machine
  };
  State state = State::Cut;
  double value = 0;        // what is minimised
  double lower_bound = 0;  // no mappings of the layers on it have less
};

// The best machine and its mappings.
struct CoSearchResult {
  Status status = Status::Infeasible;
  std::size_t best = 0;                   // index of the best machine in the family
  double value = 0;                       // of the best machine: what is minimised
  double lower_bound = 0;                 // no machine and no mappings have less
  double gap = 0;                         // value / lower_bound - 1
  std::vector<MappingResult> layers;      // [layer]: its mapping on the best machine
  std::vector<CoSearchMachine> machines;  // [machine of the family]
  SearchStatistics statistics;
  u64 configurations = 0;  // machines for which exact placed tiles, or whose bins (memory_bins.h) were completed
  double seconds = 0;      // wall time
};

// Finds the best machine of the family for the layers: that with the least sum over the layers of weight times
// objective, or, of a network's own objective, with the least objective of the energies and cycles summed up by the
// weights. The answer does not depend on the number of threads. Errors:
// constraints that name unknown dimensions or tensors, strategies other than exact, sunstone and thesis.
Result<CoSearchResult> co_search(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                 const SearchOptions& options);

// The best machine by one search for every machine and layer: what a co-search is compared with.
Result<CoSearchResult> grid_search(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                   const SearchOptions& options);

}  // namespace heliolite
