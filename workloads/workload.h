#pragma once
// A workload is one Einsum: named dimensions with sizes, and tensors whose ranks are dimensions or sums of
// strided dimensions (a*p + b*r). Exactly one tensor is the output; a dimension that does not index it is
// reduced. Types only; readers are in workload_yaml.h, einsum_text.h and engine/formats/timeloop/problem.h.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/named.h"
#include "engine/base/operation.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/base/word_length.h"

namespace heliolite {

struct Dimension {
  std::string name;
  u64 size = 1;

  bool operator==(const Dimension&) const = default;
};

// coefficient * dimension, one summand of a rank.
struct Term {
  int dimension = 0;  // index into Workload::dimensions
  u64 coefficient = 1;

  bool operator==(const Term&) const = default;
};

// A coordinate of a tensor: the sum of its terms.
struct Rank {
  std::vector<Term> terms;

  bool operator==(const Rank&) const = default;
};

// What a tensor is to the machine: machines say "this buffer keeps weights", not "it keeps B".
enum class Role : u8 { Input, Weight, Output };

constexpr ValueNames<3> value_names(Role) { return {"input", "weight", "output"}; }

// One operand or the output of the Einsum.
struct Tensor {
  std::string name;
  std::vector<Rank> ranks;
  Role role = Role::Input;
  // Index of the tensor whose words these are, when the Einsum reads one tensor at two places (A and A#2 of
  // C[i,j] += A[i,k]*A[j,k]). The cost model has a data space for each access, as Timeloop does; bounds on what
  // executions move count the words once.
  std::optional<int> access_of{};
  // Bits of one of its values; absent: each is a word of the level that holds it (docs/cost_model.md, rule 44).
  std::optional<WordLength> word_bits{};

  bool is_output() const { return role == Role::Output; }
  bool operator==(const Tensor&) const = default;
};

// " x 8 bits" behind a number of words of a tensor that states their size.
std::string size_text(const Tensor& tensor);

// One Einsum with sizes.
struct Workload {
  std::string name;
  std::vector<Dimension> dimensions;
  std::vector<Tensor> tensors;
  Operation operation = Operation::Product;  // what is done at each point of the nest
  u64 operations = 1;                        // of a compute unit, at each point: what that takes in energy and cycles
  std::string unit{};                        // the machine's compute unit that runs it; empty: any that can

  std::optional<int> find_dimension(std::string_view name) const;
  std::optional<int> find_tensor(std::string_view name) const;
  int output() const;               // index of the output tensor
  bool is_read_twice(int v) const;  // tensor v has another access, or is one
  u64 macs() const;                 // product of all sizes: multiply-accumulates (points) of one execution

  // Words of tensor v: product over its ranks of 1 + sum coefficient*(size-1) (a bounding box: holes count).
  u64 tensor_words(int v) const;
  DimensionMask indexing(int v) const;  // dimensions that index tensor v
};

// What is wrong with the workload; empty if nothing. The engine relies on at most kMax.. of each kind (types.h), sizes
// and coefficients in range, unique names, one output, every dimension indexing some tensor, macs() and box volumes in
// range.
Diagnostics check(const Workload& workload);

// Operands with the same name are several accesses of one tensor: the second gets the name NAME#2, and so on, and
// Tensor::access_of. So do operands that have such a name already.
void link_accesses(Workload& workload);

// If no tensor has the role Weight yet, gives it to an operand: the first that is named like "weights", "w", "filter"
// or "kernel", otherwise the first input (the convention of the reference data). Only products have weights.
void infer_roles(Workload& workload);

// Machines restrict dataflows by what a dimension does in a convolution or GEMM, whatever its name.
enum class DimensionClass : u8 {
  InputChannel,   // reduced; indexes weight and input, alone in its rank (C; K of a GEMM)
  OutputChannel,  // indexes weight and output only (K; M or N of a GEMM)
  Kernel,         // reduced; slides in the input (R, S)
  Pixel,          // indexes input and output only (P, Q, N)
  Group,          // indexes all three (depthwise C, groups)
};

constexpr ValueNames<5> value_names(DimensionClass) {
  return {"input_channel", "output_channel", "kernel", "pixel", "group"};
}

// The class of every dimension when the workload is a convolution or GEMM: one weight, one input, one output,
// every dimension in one class, at least one input and one output channel. Empty otherwise.
std::optional<std::vector<DimensionClass>> classify(const Workload& workload);

}  // namespace heliolite
