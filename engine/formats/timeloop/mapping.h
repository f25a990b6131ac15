#pragma once
// Timeloop's mapping files: a list of directives {target, type, factors, permutation, split, keep, bypass}, order
// innermost first (docs/formats_timeloop.md).
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "arch/architecture.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/timeloop/form.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// `node`: the list of directives, or a map with the key `mapping`. A level without a directive has no loops and keeps
// what the machine does not make it bypass. Where the machine says unit_loops_first, dimensions of one iteration that a
// permutation does not name count in its split. Factor 0 is what the other factors leave of the dimension. Complains
// about unknown targets, dimensions and tensors (with suggestions), directives given twice, fan-outs used beyond
// their width, and factors that do not multiply to the dimension's size. Capacities are not checked here
// (mapping_check.h).
Result<Mapping> read_timeloop_mapping(const YamlNode& node, const Workload& workload, const Architecture& architecture);

// The mapping as a file of Timeloop says it: at each fan-out the tensors are named that take no words from peers there,
// be it by the mapping, by the machine's constraints or because the machine has no such channel (arch/architecture.h).
// It costs the same.
Mapping peers_said(const Mapping& mapping, const Workload& workload, const Architecture& architecture);

// A whole document that read_timeloop_mapping(), and Timeloop where dimensions have one letter, reads back to an equal
// mapping. `architecture`: a machine in the form of the version (engine/formats/timeloop/form.h), or one that was read
// from such a file. Loops of one iteration come first in permutations, where the front end of v0.4 would put them
// anyway. Errors: a dimension on both axes of one fan-out, or in two loops of one level, or tensors of a level with
// tiles at different places, which the format cannot say.
Result<std::string> write_timeloop_mapping(const Mapping& mapping, const Workload& workload,
                                           const Architecture& architecture,
                                           TimeloopVersion version = TimeloopVersion::V03);

// The loop nest that Timeloop prints (timeloop-mapper.map.txt): for each level a heading with the tensors it keeps,
// then its loops, outermost first.
//
//   DRAM [ Weights:36864 (36864) Inputs:52488 (52488) Outputs:12544 (12544) ]
//   -------------------------------------------------------------------------
//   | for C in [0:16)
//   |   for M in [0:4) (Spatial-X)

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
