#pragma once
// Loads a network from what `-w` is given: a preset's name, compact text, or a file of ours, of Timeloop, of ONNX or of
// a language model's config, told apart by content.
#include <string>
#include <string_view>

#include "engine/base/field_reader.h"
#include "engine/inputs/read_options.h"
#include "workloads/network.h"

namespace heliolite {

// What a caller wants of a file that lists equal layers one by one, as ONNX does: each shape once with a count, or all
// layers with the edges between them. What the file's user says goes first (docs/formats_onnx.md).
enum class Wanted : u8 { Shapes, Edges };

// `what` is, in this order: an existing file or anything that looks like a path; compact text
// ("gemm:512x512x512", "conv:..", or an Einsum with sizes, see einsum_text.h); a preset's name.
// A single workload becomes a network of one layer. Errors name all of these forms when nothing matches.
// `wanted` is of ONNX models.
Result<Network> load_network(const std::string& what, const ReadOptions& options = {}, Wanted wanted = Wanted::Shapes);
// The network of a text that such a file could hold; `file` stands for it in messages, and without a key `name` the
// network has its name without the ending.
Result<Network> parse_network(std::string_view text, const std::string& file);

// The options for workloads that are read one after another, each of which takes what it has a use for of those that
// are of ONNX models; and, once they are read, a complaint about each that none of them took.
ReadOptions for_several(ReadOptions options);
Diagnostics unused_model_options(const ReadOptions& options);

// Whether `what` is compact text or begins with a preset's name ("resnet18/conv1", "resnet18@batch=4").
bool names_workload(const std::string& what);

}  // namespace heliolite
