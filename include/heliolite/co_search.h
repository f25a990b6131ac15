#pragma once
// Which of several machines that differ in their memories serves a set of layers best, and how, without a search for
// every machine.
//
//   heliolite::Architecture small = *heliolite::load_architecture("eyeriss");
//   heliolite::Architecture large = *small.with("GLB.capacity", "216 KB");
//   heliolite::Layer layer = heliolite::load_network("gemm:64x64x64")->layers().front();
//   auto answer = heliolite::co_search({{layer.workload, 1.0}}, {small, large});
//   if (answer) std::printf("machine %zu, gap %g\n", answer->best, answer->gap);
#include <heliolite/map.h>  // IWYU pragma: export
#include <cstdint>
#include <string>
#include <vector>

namespace heliolite::api {

// A layer of the set, and the factor of its objective in the sum that is minimised; for an objective of a network
// ("network_edp") how often it runs: energies and cycles are summed up by it before they are multiplied.
struct WeightedLayer {
  Workload workload;
  double weight = 1;
};

// What became of one machine.
struct MachineAnswer {
  // "searched": its layers were mapped, `value` is the least that was found. "cut": they were not, for a bound, or the
  // strategy, says that others are better. "infeasible": some layer has no mapping.
  std::string state;
  double value = 0;        // sum over the layers of weight times objective, or the network's objective
  double lower_bound = 0;  // no mappings of the layers on it have less
};

struct CoSearchAnswer {
  std::string status;                   // as LayerAnswer::status, of machine and mappings together
  std::size_t best = 0;                 // index of the best machine
  double value = 0;                     // of it: as MachineAnswer::value
  double lower_bound = 0;               // no machine and no mappings have less
  double gap = 0;                       // value / lower_bound - 1
  std::vector<LayerAnswer> layers;      // on the best machine
  std::vector<MachineAnswer> machines;  // in the order given
  std::uint64_t evaluated = 0;          // mappings priced, partial ones included
  double seconds = 0;                   // wall time
};

// `machines`, at least one, may differ in capacities, prices, areas, bandwidths and names. Errors: the first machine
// that differs in something else, and in what; strategies that compare no machines; options that are not allowed.
Result<CoSearchAnswer> co_search(const std::vector<WeightedLayer>& layers, const std::vector<Architecture>& machines,
                                 const MapOptions& options = {});

}  // namespace heliolite::api
