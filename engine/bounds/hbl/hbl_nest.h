#pragma once
// A workload as the bounds see it: loops with sizes and, for each array, the linear map from iterations to elements.
#include <span>
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite {

// A loop of the nest.
struct AccessLoop {
  std::string name;
  double size = 1;
};

// How one tensor of the Einsum is read or written: element = rows * iteration.
struct Access {
  std::string array;
  bool is_output = false;
  double word_size = 1;                // words that one element takes
  std::vector<std::vector<i64>> rows;  // [rank][loop]: coefficients
  // Accesses with the same number, not negative, are of one array: its elements take room and move once for all.
  int same_array = -1;
};

struct AccessNest {
  std::vector<AccessLoop> loops;
  std::vector<Access> accesses;
  double iterations = 1;  // at most the product of the sizes; whole, below 2^53
};

using LoopBits = u32;  // bit l: loop l of a nest
inline constexpr int kMaxAccessLoops = 2 * kMaxDimensions;

// The nest of a workload without loops of size 1. `word_sizes[tensor]`: Access::word_size; 1 for tensors beyond its
// end.
AccessNest access_nest(const Workload& workload, std::span<const double> word_sizes = {});

// The nest with strided windows taken apart (r = stride * r' + r'' in convolutions): where a rank is
// a p + b r with a, b coprime, p = b p' + p'' and r = a r' + r'', the rank becomes the three ranks p' + r', p'', r''.
// No two elements are confused, so bounds of the lifted nest hold for the original; they are larger since only r' is
// reused. Dimensions that other ranks combine differently stay as they are.
AccessNest lifted(const AccessNest& nest);

// [loop]: the f of d = f d' + d'' in the lifted nest; 1 leaves the loop whole.
std::vector<i64> lifting_factors(const AccessNest& nest);

// The loops that move the array along at least one rank.
LoopBits moving(const Access& access);

// Every row is a single loop: no sliding windows.
bool is_projective(const AccessNest& nest);

}  // namespace heliolite
