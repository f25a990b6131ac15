#pragma once
// An ONNX model as a network of ours (docs/formats_onnx.md).
#include <string>

#include "cli/ui/output.h"
#include "engine/inputs/read_options.h"

namespace heliolite::cli {

// Writes the network to `target`, to stdout if it is empty; what became of the model's nodes goes to --json. Exit
// codes: 1 if nothing in the model multiplies matrices, 2 if it cannot be read.
int convert_onnx(const std::string& model, const ReadOptions& reading, const std::string& target, const Output& output);

}  // namespace heliolite::cli
