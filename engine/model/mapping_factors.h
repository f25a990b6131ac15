#pragma once
// The factors of a dimension as a mapping file lists them, and what is said when they do not make its size.
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite {

// A loop of a mapping file, factors of 1 included.
struct ListedFactor {
  int dimension = 0;
  u64 end = 1;
  u64 residual = 1;
  std::string where;  // "GLB x"
};

// "GLB x 4", "GLB x [4, 2]".
std::string text(const ListedFactor& factor);

// Why these factors, outermost first, are not those of the dimension; empty if they are.
std::string product_complaint(const Dimension& dimension, const std::vector<ListedFactor>& factors);

}  // namespace heliolite
