#pragma once
// What heliolite space shows besides the size of a mapspace: a sample, what decides the cost, trees of tiles.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/base/types.h"
#include "engine/search/core/options.h"
#include "engine/space/mapspace.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// The options of --sample.
struct SampleQuestion {
  u64 mappings = 0;      // legal ones to draw; 0: not asked for
  std::string csv, svg;  // files, "-" = stdout, "" = none
};

// Draws the mappings, prints how they compare with the best mapping that the exact search finds in a limited time, and
// writes the histogram as CSV, SVG and JSON with the head `answer`. `options`: objective, seed, threads, what is
// lifted. Returns the exit code.
int show_sample(const Workload& workload, const Architecture& architecture, const Mapspace& space,
                SearchOptions options, const SampleQuestion& question, Json answer, const Output& output);

struct SensitivityQuestion {
  bool asked = false, pairs = false;
  u64 samples = 8192;
  std::string from;        // file of learned mappings; empty: the cost model
  SearchArguments search;  // objective, encoding, seed, threads; those of --sample, too, but for the encoding

  // Whether something is said about the question, and whether --sensitivity alone understands it.
  bool refined() const { return refined_alone() || !search.given().empty(); }
  bool refined_alone() const {
    return pairs || !from.empty() || samples != SensitivityQuestion().samples || search.given("encoding");
  }
};

void add_sensitivity_options(const Command& command, SensitivityQuestion& question);

// Prints the indices, and adds them to `answer` (docs/json.md). Returns the exit code.
int show_sensitivity(const Workload& workload, const Architecture& architecture, const MapspaceOptions& lifted,
                     const SensitivityQuestion& question, Json& answer, const Output& output);

// What the rules of Sunstone's thesis leave out, for `heliolite space --pruned`: tiles that can grow and unrollings
// that leave units idle or mix groups of dimensions, counted layer by layer, with the shares that the thesis states.

// Counts every layer on its chain of levels, prints a table and writes JSON with the head `answer`. Returns the exit
// code.
int show_pruned(const std::vector<Workload>& workloads, const std::vector<const Architecture*>& chains,
                MapspaceOptions lifted, Json answer, const Output& output);

// The options of --tiles.
struct TileQuestion {
  std::string level;  // its name
  std::string dot;    // file for Graphviz, "-" = stdout, "" = none
  bool all = false;   // also tiles that can grow
};

// Prints the tiles, draws them if asked to, and writes them as JSON with the head `answer`. Returns the exit code.
int show_tiles(const Workload& workload, const Architecture& architecture, const Mapspace& space,
               const TileQuestion& question, nlohmann::ordered_json answer, const Output& output);

}  // namespace heliolite::cli
