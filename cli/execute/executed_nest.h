#pragma once
// What `simulate` and `emit` execute: the options that say it, and the nests that they mean.
#include <optional>
#include <string>
#include <vector>

#include "cli/ui/command.h"
#include "cli/ui/output.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/execution/caches.h"
#include "engine/execution/loop_nest.h"
#include "engine/inputs/read_options.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// The options as they were given.
struct NestArguments {
  std::string workload, layer;
  ReadOptions reading;                   // how the workload and the machine are read
  std::string tiling = "best";           // best, lru, together, none or a file
  std::string tile, loops, points;       // instead: the tile of one cache
  std::string architecture, mapping;     // instead: a mapping on a machine
  std::vector<std::string> cache_texts;  // --cache
  std::vector<std::string> word_sizes;   // --word-size
  bool loads = false, outputs_read = false;
};

// Adds them to the command.
void add_nest_options(const Command& command, NestArguments& arguments);

// A nest and the caches that it was made for.
struct ExecutedNest {
  LoopNest nest;
  std::string text;  // its tiles and loops, for people
  struct Cache {
    u64 words = 0;                    // capacity
    u8 level = 1;                     // of the loops over the tiles that it holds (BoxLoop::level)
    std::optional<double> model;      // words that the tiling says it moves; none: no such tiles, or too large
    std::optional<double> footprint;  // words that the tiles hold
    double boxes = 0;                 // words of the boxes that a scratchpad would hold: whole tensors without tiles

    bool fits() const { return boxes <= static_cast<double>(words); }
  };
  std::vector<Cache> caches;
};

// The capacities of --cache in words, ascending, each once; at least one if `needed`. `word_bytes`: of a word; by
// default --word-size.
Result<std::vector<u64>> read_caches(const NestArguments& arguments, bool needed,
                                     std::optional<double> word_bytes = {});

// The question: one workload, capacities in words (ascending, at least one if `caches_needed`), what is counted.
struct NestQuestion {
  Workload workload;
  std::vector<u64> caches;
  TrafficRule rule;
};
Result<NestQuestion> read_question(const NestArguments& arguments, bool caches_needed, const Output& output);

// The nests: for `best` and `lru` one for each cache, else one for all of them.
Result<std::vector<ExecutedNest>> executed_nests(const NestArguments& arguments, const NestQuestion& question);

// simulate -a A -m FILE: what every level moves when a mapping is executed.

// Answers and returns the exit code. `arguments` has a machine and a mapping.
int run_mapping(const NestArguments& arguments, const Output& output);

// simulate -w KERNEL.c: what caches move when an affine program runs in the order of its text.
struct SimulatedProgram {
  std::string file;
  std::vector<std::string> parameters;  // "N=30"
  std::vector<SimulatedCache> caches;   // those of one capacity one after the other, the same policies for each
  std::size_t policies = 1;
  std::optional<double> budget;  // seconds
};

// Answers and returns the exit code.
int run_simulated_program(const SimulatedProgram& question, const Output& output);

}  // namespace heliolite::cli
