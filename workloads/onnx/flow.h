#pragma once
// Which layers the tensors of a graph are made of, and what lies between: one forward pass over the nodes. Sets of
// layers are merged, never paths, and only the latest layers are kept, so the work is linear in the graph.
#include "workloads/onnx/operators.h"

namespace heliolite::onnx {

// The sources of an output of shape `out` that the operator makes of the call's inputs; null: none.
std::shared_ptr<const Sources> sources_of(const OperatorRow& op, Call& call, const std::optional<Shape>& out);

// The output of layer `layer`; `lost_by` as LayerDraft::lost_by.
std::shared_ptr<const Sources> sources_of_layer(int layer, const char* lost_by);

}  // namespace heliolite::onnx
