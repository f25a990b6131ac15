#pragma once
// What the rules of Sunstone's thesis leave out, for `heliolite space --pruned`: tiles that can grow and unrollings
// that leave units idle or mix groups of dimensions, counted layer by layer beside the shares that the thesis states.
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/space/mapspace.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// Counts every layer, prints a table and writes JSON with the head `answer`. Returns the exit code.
int show_pruned(const std::vector<Workload>& workloads, const Architecture& architecture, MapspaceOptions lifted,
                Json answer, const Output& output);

}  // namespace heliolite::cli
