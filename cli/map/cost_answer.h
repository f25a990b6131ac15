#pragma once
// What `eval` and `explain` say of a mapping and of a network's schedule: tables, JSON and pictures.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/map/nest_picture.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/svg_canvas.h"
#include "engine/base/result.h"
#include "engine/model/cost.h"
#include "engine/model/mapping.h"
#include "engine/network/fused_breakdown.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// Energy, cycles, EDP, utilization and MACs, a line each.
std::string summary_text(const Breakdown& breakdown, const Workload& workload, const Architecture& architecture);

// The loop nest, one line for each level, outermost first.
std::string nest_text(const Mapping& mapping, const Workload& workload, const Architecture& architecture);

// The tables from storage on, each with its title.
std::string traffic_tables(const Breakdown& breakdown, const Workload& workload, const Architecture& architecture);

// "g 2, m 4": sizes of one pass above 1.
std::string pass_sizes_text(const Workload& one_pass);

// Totals, and how much of the edges stays inside; then groups, links with sums, and edges, a table each.
std::string schedule_text(const ScheduledNetwork& network, const ScheduleBreakdown& cost);

// What `explain` adds: by group what stays where, by link its mapping, storage, time and networks. With `nest` the
// mappings are drawn as a loop nest within the tree.
std::string explained_schedule_text(const ScheduledNetwork& network, const ScheduleBreakdown& cost, bool nest);

// The trees as loops around the nests of their links, in text and as a picture.
std::string schedule_drawing(const ScheduledNetwork& network, const ScheduleBreakdown& cost);
std::string schedule_svg(const ScheduledNetwork& network, const ScheduleBreakdown& cost);
// The graph of the layers and what lives at fusing levels over time, without the nests, as SVG.
std::string schedule_overview_svg(const ScheduledNetwork& network, const ScheduleBreakdown& cost);

// The answer of `eval` and `explain`, which `eval -m` reads (docs/json.md).
Json schedule_json(const char* command, const ScheduledNetwork& network, const ScheduleBreakdown& cost,
                   const Diagnostics& outside);

}  // namespace heliolite::cli
