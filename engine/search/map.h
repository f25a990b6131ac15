#pragma once
// The mapper's main functions: the best mapping of every layer of a network on a machine, and which questions no search
// answers.
#include <span>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/options.h"
#include "workloads/network.h"

namespace heliolite {

struct LayerProblem;

// Maps every layer: layers of equal shape are searched once, different ones in parallel. The number of threads changes
// no answer. A layer that cannot obey the machine's constraints is Infeasible in the result; it is an error if no layer
// can, or if the options have a witness and there is more than one layer, or the search could not meet it.
// `weights`: of each layer, the factor of its count in the sums of the network's own objective; empty: 1.
Result<NetworkResult> map_network(const Network& network, const Architecture& architecture,
                                  const SearchOptions& options, std::span<const double> weights = {});

// Maps one layer on the calling thread. Errors: constraints that name what the workload does not have.
Result<MappingResult> map_workload(const Workload& workload, const Architecture& architecture,
                                   const SearchOptions& options);

// For each layer the index of the first one of its shape: searches treat both alike, whatever their names.
std::vector<std::size_t> first_of_shape(const std::vector<Layer>& layers);

// Which questions no search answers: options that exclude each other, or that the layer does not allow.

// Why no search answers a question with these options; empty if one does.
Diagnostics validate_question(const SearchOptions& options);

// Why the search could not meet the witness of its options; empty if there is none or it could.
Diagnostics witness_complaints(const LayerProblem& problem);

// What stands against a search over all tile sizes; empty if nothing does or if it was not asked for.
Diagnostics factors_complaints(const LayerProblem& problem);

// What stands against these options on a machine that counts ramps (docs/cost_model.md, rule 46).
Diagnostics ramps_complaints(const Architecture& architecture, const SearchOptions& options);

}  // namespace heliolite
