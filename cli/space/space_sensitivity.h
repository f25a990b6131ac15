#pragma once
// heliolite space --sensitivity: which decisions of a mapping decide its cost.
#include <CLI/CLI.hpp>
#include <string>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "cli/ui/search_arguments.h"
#include "engine/space/mapspace.h"
#include "workloads/workload.h"

namespace heliolite::cli {

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

void add_sensitivity_options(CLI::App& command, SensitivityQuestion& question);

// Prints the indices, and adds them to `answer` (docs/json.md). Returns the exit code.
int show_sensitivity(const Workload& workload, const Architecture& architecture, const MapspaceOptions& lifted,
                     const SensitivityQuestion& question, Json& answer, const Output& output);

}  // namespace heliolite::cli
