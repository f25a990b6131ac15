#pragma once
// heliolite sweep --proofs: a proof for each layer of the best points, which a small program of its own can check.
// Files that an earlier run has written stay.
#include <string>

#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/sweep/front.h"
#include "engine/sweep/store.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite::cli {

struct SweepProofs {
  Json points = Json::array();  // of each best point its layers, with the file or why there is none
  u64 files = 0, without = 0;   // layers with a proof; without one
  bool is_right = true;         // false: a proof shows an error of the program
};

// Why there are no proofs of a sweep's answers; empty if there are.
std::string proofs_refused(const SweepSpec& spec);

// Writes FOLDER/POINT/WORKLOAD-LAYER.proof.gz for the layers of the summary's best points, until somebody asks to stop.
// Errors: those of the store.
Result<SweepProofs> write_sweep_proofs(const SweepSpec& spec, const Store& store, const SweepSummary& summary,
                                       const std::string& folder, const Output& output);

}  // namespace heliolite::cli
