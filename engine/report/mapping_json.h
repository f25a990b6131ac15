#pragma once
// The mapping of a layer as the page draws it.
#include <nlohmann/json.hpp>
#include <string>

namespace heliolite {

// `mapping`: the text that a sweep wrote down (LayerRecord::mapping). Outermost level first: [{"level": ..., "keep":
// [tensors], "loops": ["K in 4", ..], "x": ["C 3", ..], "y": [..]}]; null if there is none.
nlohmann::ordered_json mapping_json(const std::string& mapping);

}  // namespace heliolite
