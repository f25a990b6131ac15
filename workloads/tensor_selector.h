#pragma once
// How files name tensors: "all", a role (singular or plural, case ignored), or a tensor's name.
#include <string>

#include "workloads/workload.h"

namespace heliolite {

// How specifically a selector names the tensor: 0 not at all, 1 "all", 2 its role, 3 its name.
int specificity(const std::string& selector, const Tensor& tensor);

}  // namespace heliolite
