#pragma once
// The table of operators: for each, how the shapes of its outputs follow, what it does to a constant's contents, which
// Einsums it is, and what it means to an edge that leads through it.
#include <string_view>

#include "engine/formats/onnx/layers.h"
#include "engine/formats/onnx/shapes.h"

namespace heliolite::onnx {

// What an operator does to a tensor on its way from one layer to the next.
enum class Passage : u8 {
  Layout,       // its elements in another order or shape
  Elementwise,  // position by position; inputs that are stretched arrive in parts
  Norm,         // whole rows, once
  Softmax,      // whole rows
  Part,         // a part, or several tensors as one: as Layout if nothing is lost or added
  Pad,          // a border of a constant
  Lost,         // elements are selected, summed or made anew
};

// How the report calls a node.
enum class Kind : u8 {
  Layer,    // multiplies matrices
  Other,    // does not
  Refused,  // multiplies matrices in a way that is not read
};

struct OperatorRow {
  std::string_view name{};
  Passage flow = Passage::Lost;
  Shapes (*shapes)(Call&) = nullptr;                    // null: those that the file declares
  ContentsPtr (*fold)(Call&, const Folded&) = nullptr;  // null: contents are unknown
  Drafts (*layers)(Call&) = nullptr;                    // of Kind::Layer
  Kind kind = Kind::Other;
  const char* lost_by = "";  // what the report calls it, if its kind is Part or Lost
};

// The operator of that name; null if it is unknown. Domains do not matter, but those whose images have their channels
// last, or in blocks: there windows and products over channels are refused.
const OperatorRow* find_operator(std::string_view name, std::string_view domain);

// What a user declares to be computed word by word (Options::elementwise).
const OperatorRow& declared_elementwise();

}  // namespace heliolite::onnx
