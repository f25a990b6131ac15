#pragma once
// What `eval` and `explain` say of a mapping and of a network's schedule: tables, JSON and pictures.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/svg_canvas.h"
#include "engine/base/result.h"
#include "engine/model/cost.h"
#include "engine/model/mapping.h"
#include "engine/network/fused_breakdown.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// A mapping as something to look at: its loop nest, what each level keeps and how full it is, and what runs in
// parallel.

// One loop as a reader sees it: "K in 4", or "K in 4 (last 3)".
struct NestLoop {
  std::string dimension;
  u64 end = 1, residual = 1;

  std::string text(const char* between) const;  // "K" + between + "4"
};

// A tensor with the words of its tile.
struct NestTensor {
  int tensor = 0;
  u64 words = 0;
};

// What a level keeps from the same place of the nest on, and its loops from there; several in uneven mappings only.
struct NestPart {
  std::vector<NestTensor> kept;
  std::vector<NestLoop> loops;  // over time, outermost first
};

struct NestLevel {
  std::string name;
  std::vector<NestPart> parts;  // outermost first
  u64 used_words = 0;
  u64 capacity_words = 0;                    // usable, of one instance; 0 = unbounded
  std::vector<NestLoop> across_x, across_y;  // of the fan-out below, outermost first
  u64 used_x = 1, used_y = 1;                // receivers in use
  u64 fanout_x = 1, fanout_y = 1;
  double energy_pj = 0;  // of all instances: accesses, the network below, leakage
  u64 other_words = 0;   // of `used_words`: taken by other layers' arrays
};

struct LoopNest {
  std::vector<NestLevel> levels;  // outermost first
  double compute_pj = 0;
  double energy_pj = 0;  // of all levels and the compute units
};

LoopNest loop_nest(const Mapping& mapping, const Breakdown& breakdown, const Workload& workload,
                   const Architecture& architecture);

// For terminals.
std::string nest_drawing(const LoopNest& nest, const Workload& workload, const Architecture& architecture);
// As a picture; and as a part of one, with its upper left corner there. Returns the lower end.
std::string nest_svg(const LoopNest& nest, const Workload& workload, const Architecture& architecture);
inline constexpr double kNestBoxes = 812;  // pixels of its width
double draw_nest(SvgCanvas& canvas, double left, double top, const LoopNest& nest, const Workload& workload,
                 const Architecture& architecture);

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
