#pragma once
// Loads what FILE.. names: files told apart by their content, presets and texts as -a and -w take them.
#include <string>
#include <vector>

#include "cli/convert/written_files.h"
#include "cli/ui/output.h"
#include "engine/inputs/read_options.h"

namespace heliolite::cli {

// At most one machine, whose tables and constraints may be files of their own, one workload or network, and mappings of
// its layers. `layer`: only this one.
Result<Convertible> load_convertible(const std::vector<std::string>& given, const std::string& layer,
                                     const ReadOptions& reading);

// An ONNX model as a network of ours (docs/formats_onnx.md).

// Writes the network to `target`, to stdout if it is empty; what became of the model's nodes goes to --json. Exit
// codes: 1 if nothing in the model multiplies matrices, 2 if it cannot be read.
int convert_onnx(const std::string& model, const ReadOptions& reading, const std::string& target, const Output& output);

}  // namespace heliolite::cli
