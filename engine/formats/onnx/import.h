#pragma once
// Reads an ONNX file as a network (docs/formats_onnx.md): a layer for each operator that multiplies matrices, edges
// between them, and a report of all that was left out. Weights are not read, files beside it are not opened.
#include <map>
#include <string>
#include <string_view>

#include "engine/formats/onnx/inputs.h"
#include "engine/formats/onnx/report.h"
#include "workloads/network.h"

namespace heliolite::onnx {

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
