#pragma once
// The cost of a mapping of one workload on one architecture: Timeloop's dense-model conventions
// (specification: docs/cost_model.md; NVlabs/timeloop 4cf6d4c), without link transfers.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/energy.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/model/breakdown.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

struct Cost {
  Energy energy;
  u64 cycles = 0;
  auto operator<=>(const Cost&) const = default;
};

// Why a mapping cannot run. Rejection is a value: searches count it, explain prints it.
enum class Verdict : u8 { Fits, OverCapacity, OverFanoutX, OverFanoutY };

struct Evaluation {
  Verdict verdict = Verdict::Fits;
  u8 level = 0;  // where it does not fit
  Cost cost;     // meaningful when it fits
};

class CostModel {
 public:
  // Compiles the pair into flat tables. The workload must satisfy check(Workload), the architecture check(Architecture).
  CostModel(const Workload& workload, const Architecture& architecture);

  // Hot path: legality, then cost. No allocation. The mapping must be well formed (mapping_check.h).
  // Mappings with residual factors take the slower path of imperfect.h.
  Evaluation evaluate(const Mapping& mapping) const;

  // Legality alone.
  Evaluation fit(const Mapping& mapping) const;

  // Cold path: the same totals with the breakdown by level and tensor.
  Breakdown explain(const Mapping& mapping) const;

  const Workload& workload() const { return workload_; }
  const Architecture& architecture() const { return architecture_; }

 private:
  Workload workload_;
  Architecture architecture_;
};

}  // namespace heliolite
