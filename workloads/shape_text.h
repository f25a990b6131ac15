#pragma once
// The shortest text of a layer's shape in a network's file.
#include <string>

#include "workloads/workload.h"

namespace heliolite {

// "conv: {n: 1, k: 64, ..}", "gemm: 512x512x64", or "einsum: .., sizes: {..}, roles: {..}": keys of a layer that read
// back to the same Einsum with the same roles.
std::string shape_text(const Workload& workload);

}  // namespace heliolite
