#pragma once
// A network in the project's own format (docs/formats_workload.md).
#include <map>
#include <string>

#include "workloads/network.h"

namespace heliolite {

// A YAML document that network_from_yaml() reads back to an equal network: a line for each layer, shapes by their names
// where they have one, then inputs and edges. `comments` stand behind layers, by their names.
std::string write_network(const Network& network, const std::map<std::string, std::string>& comments = {});

}  // namespace heliolite
