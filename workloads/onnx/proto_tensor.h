#pragma once
// Messages about tensors: constants, and what a file says about shapes.
#include "workloads/onnx/proto.h"

namespace heliolite::onnx {

TensorData read_tensor(Wire& wire, std::string_view bytes);
TensorData read_sparse_tensor(Wire& wire, std::string_view bytes);  // the dense tensor that it stands for
ValueInfo read_value_info(Wire& wire, std::string_view bytes);

// A text that names something; an error of the wire if it is longer than 64 KiB.
std::string_view name_of(Wire& wire, const Field& field);

}  // namespace heliolite::onnx
