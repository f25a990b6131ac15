#pragma once
// A network's schedule as two small pictures: the layers as a graph, with its groups and the bytes of each edge that
// cross to the outermost level; and by group what lives at the fusing level, layer by layer.
#include <vector>

#include "cli/map/nest_picture.h"
#include "cli/ui/inputs.h"
#include "cli/ui/svg_canvas.h"
#include "engine/network/fused_breakdown.h"

namespace heliolite::cli {

// Draws the graph with its upper left corner there, at most kNestBoxes wide. Returns the lower end.
double draw_schedule_graph(SvgCanvas& canvas, double left, double top, const ScheduledNetwork& network,
                           const ScheduleBreakdown& cost);

// Draws group `group`, which has several layers: a row for each array that stays at the fusing level, over the layers
// while which it does, then the room that is taken. `nests`: of the group's layers. Returns the lower end.
double draw_room_timeline(SvgCanvas& canvas, double left, double top, const ScheduledNetwork& network,
                          const ScheduleBreakdown& cost, std::size_t group, const std::vector<LoopNest>& nests);

}  // namespace heliolite::cli
