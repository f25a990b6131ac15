#pragma once
// Reads an ONNX file as a network (docs/formats_onnx.md): a layer for each operator that multiplies matrices, edges
// between them, and a report of all that was left out. Weights are not read, files beside it are not opened.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"
#include "engine/formats/onnx/inputs.h"
#include "workloads/network.h"

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

struct Imported {
  Network network;  // may have no layers: then nothing in the file multiplies matrices
  Report report;
  std::map<std::string, std::string> sources;  // [layer]: the node's name, operands that are normalised
  // "21 layers (12 shapes), 1.814 GMACs, 18 edges; not mapped: 17 Relu, 8 Add": one line.
  std::string summary;
  bool edges_matter = true;  // to who asks for it

  std::vector<std::string> notes() const;  // the summary, and what else a user should know: a line each
};

// Whether the first bytes of a file, or its name, are those of an ONNX model.
bool looks_like_onnx(const std::string& path);

// The network of a file. Without Options::merge, equal layers are merged as `merge` says; who asks for shapes looks at
// layers one by one and is told nothing of edges. Errors: the bytes are no
// model (with the offset), sizes are missing, nodes are refused and not to be left out.
Result<Imported> import_file(const std::string& path, const Options& options, Merge merge);

// Imports bytes that are in memory; `file` is what complaints and the network call them.
Result<Imported> import_bytes(std::string_view bytes, const std::string& file, const Options& options, Merge merge);

}  // namespace heliolite::onnx
