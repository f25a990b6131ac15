#pragma once
// The cost of a mapping of one workload on one architecture: Timeloop's dense-model conventions
// (docs/cost_model.md; NVlabs/timeloop 4cf6d4c).
#include <memory>

#include "arch/architecture.h"
#include "engine/model/cost.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

struct Compiled;
struct NestPass;

// Prices the mappings of one pair.
class CostModel {
 public:
  // Compiles the pair into flat tables. Workload and architecture must have passed their check().
  CostModel(const Workload& workload, const Architecture& architecture);
  // The model of one pass of a link: mappings say how a pass runs, costs are those of all passes. Only perfect
  // mappings, without words from peers.
  CostModel(const Workload& workload, const Architecture& architecture, const NestPass& pass);

  // Whether the mapping fits, and its cost if it does. The hot path: no allocation for perfect mappings. The mapping
  // must be well formed (mapping_check.h); one with imperfect factors is priced by imperfect_cost.h or, with true
  // counts, by true_counts/cost.h, which the workload must have (has_true_counts).
  Evaluation evaluate(const Mapping& mapping, Counts counts = Counts::Timeloop) const;

  // The totals of evaluate() with every count by level and tensor; slower. Whether the mapping fits is not tested.
  Breakdown explain(const Mapping& mapping, Counts counts = Counts::Timeloop) const;

  const Workload& workload() const { return workload_; }
  const Architecture& architecture() const { return architecture_; }
  const Compiled& compiled() const { return *compiled_; }

 private:
  bool allows_all_peers(const Mapping& mapping) const;
  // The tables for a mapping whose words come from the level outside alone for some tensors, fan-out by fan-out.
  Compiled tables_of(const Mapping& mapping) const;

  Workload workload_;
  Architecture architecture_;
  std::shared_ptr<const Compiled> compiled_;  // copies of a model share their tables
};

}  // namespace heliolite
