#pragma once
// The door: writes the proof that a mapping of a layer is the best one, or says why there is none.
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/model/cost.h"
#include "engine/proof/instance.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/options.h"
#include "workloads/workload.h"

namespace heliolite::proof {

struct ProofOptions {
  bool packed = true;
  u64 file_bytes = u64{1} << 30;           // that a file may have
  std::optional<double> budget_seconds{};  // of one layer's proof; none: no limit
};

struct ProofReport {
  std::string refused;   // why no proof was begun; empty: one was
  std::string ended;     // why it is not complete; empty: it is
  std::string instance;  // its hash; of several compute units all of them, with a space between
  std::string claim;     // "edp 3192"
  u64 states = 0, bytes = 0, questions = 0;
  double seconds = 0;
  Cost cost;  // exact, of the mapping
  // The corners of a curve, from the fewest cycles to the least energy, and the cost of the mapping under lines; in
  // units of 2^-unit_bits pJ.
  std::vector<ExactCost> corners;
  std::optional<ExactCost> chosen;
  int unit_bits = 0;
  // A better one that the pass has found: then there is no proof.
  std::optional<UnitMapping> better;
  bool is_rounding = false;  // of a curve: the doubles of searches may have taken it for one that is not below

  bool complete() const { return refused.empty() && ended.empty() && !better; }
};

// Writes the proof that no mapping of a layer on a machine, on whatever compute unit can run it, is better than
// `mapping`, which a search found optimal by the same options, to `out`; what is there is worth nothing unless the
// report is complete.
ProofReport prove(const Workload& workload, const Architecture& machine, const SearchOptions& search,
                  const UnitMapping& mapping, const ProofOptions& options, std::ostream& out);

// Writes the proof that no mapping is below the lower left hull of what these cost, each corner of which one of them
// has.
ProofReport prove_curve(const Workload& workload, const Architecture& machine, const SearchOptions& search,
                        const std::vector<UnitMapping>& mappings, const ProofOptions& options, std::ostream& out);

// Writes the proof that no mapping is below a curve under these lines, with the first mapping in it: the one that a
// network chooses. The curve is nowhere above what the mappings cost.
ProofReport prove_lines(const Workload& workload, const Architecture& machine, const SearchOptions& search,
                        const CostLines& lines, const std::vector<UnitMapping>& mappings, const ProofOptions& options,
                        std::ostream& out);

// The lines in front of the proofs, one for each compute unit; empty for a single one.
std::string layer_head(std::size_t units);

// Why there are no proofs of answers to such questions, whatever the layer; empty if there are.
std::string refusal(const SearchOptions& search);

}  // namespace heliolite::proof
