#pragma once
// The tiles of one level, for `heliolite space --tiles`.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/base/result.h"
#include "engine/space/mapspace.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// What the rules of Sunstone's thesis leave out, for `heliolite space --pruned`: tiles that can grow and unrollings
// that leave units idle or mix groups of dimensions, counted layer by layer beside the shares that the thesis states.

// Counts every layer, prints a table and writes JSON with the head `answer`. Returns the exit code.
int show_pruned(const std::vector<Workload>& workloads, const Architecture& architecture, MapspaceOptions lifted,
                Json answer, const Output& output);

// The options of --tiles.
struct TileQuestion {
  std::string level;  // its name
  std::string dot;    // file for Graphviz, "-" = stdout, "" = none
  bool all = false;   // also tiles that can grow
};

// The index of the level called `name`. Errors list the levels, with a suggestion.
Result<int> pick_level(const Architecture& architecture, const std::string& name);

// Prints the tiles, draws them if asked to, and writes them as JSON with the head `answer`. Returns the exit code.
int show_tiles(const Workload& workload, const Architecture& architecture, const Mapspace& space,
               const TileQuestion& question, nlohmann::ordered_json answer, const Output& output);

}  // namespace heliolite::cli
