#pragma once
// The network that the found layers are: names, edges between layers, and inputs that several of them read.
#include "workloads/network.h"
#include "workloads/onnx/walk.h"

namespace heliolite::onnx {

// One layer for each Einsum found. Operands that are made of a layer's output in a way that an edge cannot say are
// added to the report.
Network connect(const Walk& walk, const std::string& name, Report& report);

}  // namespace heliolite::onnx
