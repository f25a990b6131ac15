#pragma once
// A network as tables and as JSON: its layers, what they compute, and the edges between them.
#include <string>

#include "cli/ui/json.h"
#include "workloads/network.h"

namespace heliolite::cli {

std::string network_text(const Network& network);

// The names of its layers, one a line.
std::string layer_names(const Network& network);
void add_network(Json& answer, const Network& network);  // "macs", "layers", "inputs" and "edges" of docs/json.md

}  // namespace heliolite::cli
