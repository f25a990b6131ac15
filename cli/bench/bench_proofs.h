#pragma once
// Proofs of a suite's rows: a file for each whose value is proven, which a small program of its own can check. Files
// that an earlier run has written stay.
#include <map>
#include <vector>

#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/search/study/bench_suite.h"

namespace heliolite::cli {

// [row]: what the answer says of its proof; rows without a proven value have none.
using BenchProofs = std::map<std::size_t, Json>;

// Writes SUITE.proofs/MACHINE/LAYER-STRATEGY.proof.gz for each row that is optimal, until somebody asks to stop. A file
// that is there already is kept where it is a proof of the same instance and objective; otherwise the row has none.
// `is_right` becomes false where a proof shows an error of the program.
BenchProofs write_bench_proofs(const BenchSuite& suite, std::vector<BenchRow>& rows, const std::atomic<bool>* stop,
                               const Output& output, bool& is_right);

}  // namespace heliolite::cli
