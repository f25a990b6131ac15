#pragma once
// Compares every number of a recorded Timeloop run with ours.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/model/cost.h"
#include "engine/verify/golden_record.h"
#include "workloads/workload.h"

namespace heliolite {

// A number that differs.
struct Difference {
  std::string where;  // "GLB Weights reads", "cycles"
  double expected = 0;
  double ours = 0;
};

// The numbers that differ by more than these tolerances: counts and cycles exact; fills of a read-only tensor +-1, and
// then its energy is free (the reference truncates a sum of doubles; docs/cost_model.md, rule 30); energies 1e-6
// relative; words and hops on networks 1e-9.
std::vector<Difference> compare(const GoldenRecord& record, const Breakdown& ours, const Workload& workload);

}  // namespace heliolite
