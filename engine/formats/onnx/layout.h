#pragma once
// In which order the words of a layer stand in a tensor, followed through reshapes and transposes: from the order in
// which they are made and the order in which they are read edges learn which ranks correspond.
#include <vector>

#include "engine/formats/onnx/operators.h"
#include "workloads/edge_ranks.h"

namespace heliolite::onnx {

// Parts that follow from the order of their dimensions, each as large as it says: of a dimension that stands there
// several times the first part is the outermost.
Layout layout_of(Layout parts);

// The layout of the output, of shape `out`, in which all words of `input` stand, each once; null: it is no order of
// whole parts, or is not known.
LayoutPtr passed_on(const OperatorRow& op, Call& call, const TensorFacts& input, const LayoutPtr& layout,
                    const std::optional<Shape>& out);

// Which ranks correspond if the maker's words are read in this order, stated as far as both layouts are known: none
// where a part of one rank meets a part of another.
StatedRanks ranks_between(const EdgeEnds& ends, const Layout& made, const Layout& read);

}  // namespace heliolite::onnx
