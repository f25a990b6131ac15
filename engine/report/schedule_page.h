#pragma once
// The page of a network whose layers may be fused, as `map --fuse --json` writes it.
#include <nlohmann/json.hpp>
#include <string>

namespace heliolite {

// Whether an answer is of that kind.
bool is_schedule_answer(const nlohmann::ordered_json& answer);

// The page as HTML: what it costs and how sure that is, fused and not; the layers as a graph with their groups, and
// what lives at the fusing level over time; groups, layers and edges.
std::string schedule_page(const nlohmann::ordered_json& answer, const std::string& program);

}  // namespace heliolite
