#include "engine/model/cost_model.h"

#include "engine/model/collapse.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/imperfect_cost.h"
#include "engine/model/links.h"
#include "engine/model/nest.h"
#include "engine/model/perfect.h"
#include "engine/model/ramps.h"
#include "engine/model/true_counts/cost.h"

namespace heliolite {
namespace {

Evaluation evaluate_with(const Compiled& c, const Mapping& mapping, Counts counts) {
  MappingLoops loops(mapping);
  Nest nest;
  nest.read(c.level_count, loops);
  if (loops.perfect()) return evaluate_perfect(c, nest, mapping.keep, mapping.outside);
  if (counts == Counts::True) return true_cost_of(c, mapping);
  thread_local ImperfectWorkspace workspace;
  return imperfect_cost_of(c, mapping, workspace);
}

}  // namespace

CostModel::CostModel(const Workload& workload, const Architecture& architecture)
    : workload_(workload),
      architecture_(architecture),
      compiled_(std::make_shared<const Compiled>(workload, architecture)) {}

CostModel::CostModel(const Workload& workload, const Architecture& architecture, const NestPass& pass)
    : workload_(workload),
      architecture_(architecture),
      compiled_(std::make_shared<const Compiled>(workload, architecture, pass)) {}

bool CostModel::allows_all_peers(const Mapping& mapping) const {
  return compiled_->peers == 0 || mapping.allows_all_peers();
}

Compiled CostModel::tables_of(const Mapping& mapping) const {
  Compiled out = *compiled_;
  out.peers = 0;
  for (int i = 0; i < out.level_count; ++i) {
    out.level[i].peers = static_cast<TensorMask>(out.level[i].peers & ~mapping.no_peers[i]);
    out.peers = static_cast<TensorMask>(out.peers | out.level[i].peers);
  }
  return out;
}

Evaluation CostModel::evaluate(const Mapping& mapping, Counts counts) const {
  if (!allows_all_peers(mapping)) return evaluate_with(tables_of(mapping), mapping, counts);
  return evaluate_with(*compiled_, mapping, counts);
}

// explain(): the totals of evaluate() with everything they are made of.

namespace {

Breakdown timeloop_breakdown(const Architecture& architecture, const Compiled& c, const Mapping& m) {
  if (m.is_perfect()) {
    const Nest nest(c, m);
    return breakdown_of(architecture, c, collapse(c, nest, m.keep, m.outside, tensors_from_peers(c, nest)),
                        {c.macs, nest.macs_used, nest.steps}, ramps_of(c, nest, m.keep, m.outside));
  }
  thread_local ImperfectWorkspace workspace;
  thread_local NestTraffic traffic;
  imperfect_traffic(c, m, workspace, traffic);
  Breakdown out = breakdown_of(architecture, c, collapse(c, m.keep, traffic),
                               {traffic.computes, traffic.utilized_macs, traffic.compute_cycles}, ramps_of(c, m));
  out.divides = false;
  return out;
}

}  // namespace

Breakdown CostModel::explain(const Mapping& mapping, Counts counts) const {
  if (counts == Counts::True && !mapping.is_perfect()) {
    const TrueNest nest(*compiled_, mapping);
    Breakdown out = nest.divides ? explain(without_idle_loops(nest, mapping), counts)
                                 : true_breakdown(architecture_, *compiled_, nest, mapping.keep,
                                                  ramps_of(*compiled_, without_idle_loops(nest, mapping)));
    out.divides = nest.divides;
    return out;
  }
  Breakdown out = allows_all_peers(mapping) ? timeloop_breakdown(architecture_, *compiled_, mapping)
                                            : timeloop_breakdown(architecture_, tables_of(mapping), mapping);
  out.counts = counts;
  return out;
}

}  // namespace heliolite
