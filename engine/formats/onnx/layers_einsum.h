#pragma once
// The equation of an Einsum node: "bhqd,bhkd->bhqk", with spaces, "..." and without an output.
#include <string>
#include <vector>

#include "engine/formats/onnx/call.h"

namespace heliolite::onnx {

// Indices are numbers; those that "..." stands for, too.
struct Equation {
  std::vector<std::vector<int>> operands;
  std::vector<int> output;
  std::vector<i64> sizes;          // [index]
  std::vector<std::string> names;  // [index]: a letter, or e0, e1, .. for "..."
};

// A call's equation over the shapes of its inputs; complains if it is none or does not fit.
Equation equation_of(Call& call);

}  // namespace heliolite::onnx
