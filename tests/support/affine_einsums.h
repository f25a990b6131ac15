#pragma once
// Einsums and networks as affine programs.
#include "engine/program/affine_program.h"
#include "engine/program/count.h"
#include "workloads/network.h"

namespace heliolite {

struct SizedProgram {
  AffineProgram program;
  ParameterValues sizes;  // of every parameter
};

// o[i,j] += a[i,k] * b[k,j] as loops over the output's elements that set them to zero, and loops over all dimensions
// that add the products; one loop nest with "=" where nothing is reduced. The parameters are the dimensions. Several
// accesses of one tensor read one array.
Result<SizedProgram> einsum_program(const Workload& workload);

// The layers one after the other, an operand that an edge brings being the array that the producer writes. Sizes that
// are equal are one parameter: n64. Refuses layers that are repeated, and edges that change what they bring or bring a
// part.
Result<SizedProgram> network_program(const Network& network);

}  // namespace heliolite
