#pragma once
// The mapping of a layer as the page draws it.
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "engine/report/level_rooms.h"

namespace heliolite {

// `mapping`: the text that a sweep wrote down (LayerRecord::mapping). Outermost level first: [{"level": ..., "keep":
// [tensors], "loops": ["K in 4", ..], "x": ["C 3", ..], "y": [..]}]; null if there is none. The first entry of a level
// whose room is known also has "room": {"used": words, "capacity": words or null, "words": [[tensor, words, role],
// ..]}.
nlohmann::ordered_json mapping_json(const std::string& mapping, std::span<const LevelRoom> rooms);

}  // namespace heliolite
