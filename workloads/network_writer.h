#pragma once
// Workloads and networks in the project's own format (docs/formats_workload.md).
#include <map>
#include <string>

#include "engine/base/result.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace heliolite {

// A workload in the project's own format (docs/formats_workload.md), for programs that do not know its preset or text.

// A YAML document that read_workload() reads back to an equal workload.
std::string write_workload(const Workload& workload);

// "p+2*r": the sum that indexes a rank.
std::string rank_text(const Rank& rank, const Workload& workload);

// The shortest text of a layer's shape in a network's file.

// "conv: {n: 1, k: 64, ..}", "gemm: 512x512x64", or "einsum: .., sizes: {..}, roles: {..}": keys of a layer that read
// back to the same Einsum with the same roles.
std::string shape_text(const Workload& workload);

// A network in the project's own format (docs/formats_workload.md).

// A YAML document that network_from_yaml() reads back to an equal network: a line for each layer, shapes by their names
// where they have one, then inputs and edges. `comments` stand behind layers, by their names.
std::string write_network(const Network& network, const std::map<std::string, std::string>& comments = {});

// In what two workloads or networks differ. Dimensions and tensors are matched by name; their order counts, names of
// workloads do not.
FieldDifferences differences(const Workload& a, const Workload& b);

// Layers are matched by name. Two networks of one layer each are compared as workloads.
FieldDifferences differences(const Network& a, const Network& b);

}  // namespace heliolite
