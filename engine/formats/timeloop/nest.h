#pragma once
// The loop nest that Timeloop prints (timeloop-mapper.map.txt): for each level a heading with the tensors it keeps,
// then its loops, outermost first.
//
//   DRAM [ Weights:36864 (36864) Inputs:52488 (52488) Outputs:12544 (12544) ]
//   -------------------------------------------------------------------------
//   | for C in [0:16)
//   |   for M in [0:4) (Spatial-X)
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "arch/architecture.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// Whether a text is such a nest: a heading before anything else, and loops.
bool is_timeloop_nest(std::string_view text);

// Iterations over each dimension: the products of its loops. Nothing where a line is no heading or loop, or where loops
// end earlier in the last tile.
std::optional<std::map<std::string, u64>> timeloop_nest_sizes(std::string_view text);

// The mapping of a nest; `file` stands for it in messages. Spatial loops are those of the fan-out below their level;
// [0:4,3) has 3 iterations in the last tile. What a heading does not list passes the level by. Every level must have
// its heading, but for those that only carry a fan-out. The numbers behind tensors, words of tiles, are not looked at.
// Complains, with file and line, about unknown levels, tensors and dimensions, and about what is no mapping
// (well_formed() of mapping_check.h). Capacities are not checked.
Result<Mapping> read_timeloop_nest(std::string_view text, const std::string& file, const Workload& workload,
                                   const Architecture& architecture);

}  // namespace heliolite
