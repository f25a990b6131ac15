#pragma once
// What became of each node of a graph: nothing is left out without a word.
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite::onnx {

enum class Fate : u8 {
  Layer,     // multiplies matrices: one layer, or several
  Passed,    // only moves or reshapes: edges lead through it
  Ignored,   // computes something else, which costs nothing here
  Constant,  // its result is the same in every execution
  Inlined,   // a function or a known branch, whose nodes are listed themselves
  Refused,   // multiplies matrices, or may, and is not read
};

std::string_view name(Fate fate);  // "layer", "passed", "ignored", "constant", "inlined", "refused"

struct NodeReport {
  std::string node, op;
  Fate fate = Fate::Ignored;
  std::string why{};  // of Refused
};

// An operand whose latest source is a layer's output, but not so that an edge could say it.
struct LostEdge {
  std::string from, to, tensor;
  std::string why;
};

// An operand that a layer's output reaches through a normalisation, which its edge says as `elementwise`.
struct NormalisedOperand {
  std::string layer, tensor;
};

struct Report {
  std::vector<NodeReport> nodes;
  std::vector<LostEdge> lost;
  std::vector<NormalisedOperand> normalised;
  std::size_t cut = 0;             // operands that are made of layers' outputs and that no edge leads to
  std::vector<std::string> notes;  // of the whole file: unknown opsets, wrong shapes it declares, ..
  std::size_t layers = 0;          // before equal ones were merged
  std::size_t sized = 0;           // layers whose tensors' elements are not all of one type, which was not asked for

  std::vector<const NodeReport*> refused() const;
  // "171 Add, 25 Sqrt, .. (37 Constant)": operators with this fate and how often, the most frequent first.
  std::string counts(Fate fate) const;
};

}  // namespace heliolite::onnx
