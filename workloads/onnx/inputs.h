#pragma once
// The inputs of a model: their shapes, with the sizes that the user gives.

#include <optional>
#include <string>
#include <vector>

#include "workloads/onnx/options.h"
#include "workloads/onnx/proto.h"
#include "workloads/onnx/value.h"

namespace heliolite::onnx {

// The inputs of the graph that are no constants. Complains about sizes that are missing (all of them, with an option to
// copy), that contradict the file, and about names in `options` that the file does not have.
Result<std::vector<TensorFacts>> model_inputs(const Graph& graph, const Options& options, const std::string& file);

// The size of the dimension that the file leaves open and calls N, or something with "batch"; 1 if there is none, or if
// several of different sizes are called so.
u64 batch_of(const Graph& graph, const Options& options);

// The shape that the file states for a tensor, where the options know its names; none if a size stays unknown.
std::optional<Shape> declared_shape(const ValueInfo& info, const Options& options);

}  // namespace heliolite::onnx
