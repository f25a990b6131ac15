#pragma once
// A mapping and its cost as text: what `eval` and `explain` print.
#include <string>

#include "arch/architecture.h"
#include "engine/model/cost.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// Energy, cycles, EDP, utilization and MACs, a line each.
std::string summary_text(const Breakdown& breakdown, const Workload& workload, const Architecture& architecture);

// The loop nest, one line for each level, outermost first.
std::string nest_text(const Mapping& mapping, const Workload& workload, const Architecture& architecture);

// Whether instances differ: tables then have the words of all, not of one.
bool counts_all_instances(const Breakdown& breakdown);

std::string storage_table(const Breakdown& breakdown, const Workload& workload);  // by level and tensor, with totals
// The words of levels with several instances, those of the instance that has most.
std::string busiest_table(const Breakdown& breakdown, const Workload& workload);
// Cycles, room and mean bandwidth by level.
std::string time_table(const Breakdown& breakdown, const Architecture& architecture);
std::string network_table(const Breakdown& breakdown, const Workload& workload);
// The tables from storage on, each with its title.
std::string traffic_tables(const Breakdown& breakdown, const Workload& workload, const Architecture& architecture);

}  // namespace heliolite::cli
