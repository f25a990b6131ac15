#include "engine/model/cost_model.h"

#include "engine/base/integers.h"
#include "engine/model/imperfect_cost.h"
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
    : workload_(workload), architecture_(architecture), compiled_(workload, architecture) {}

Compiled CostModel::with_links_of(const Mapping& mapping) const {
  Compiled out = compiled_;
  out.linked = 0;
  for (int i = 0; i < out.level_count; ++i) {
    out.level[at(i)].linked = static_cast<TensorMask>(out.level[at(i)].linked & ~mapping.unlinked[at(i)]);
    out.linked = static_cast<TensorMask>(out.linked | out.level[at(i)].linked);
  }
  return out;
}

Evaluation CostModel::evaluate(const Mapping& mapping, Counts counts) const {
  if (!allows_all_links(mapping)) return evaluate_with(with_links_of(mapping), mapping, counts);
  return evaluate_with(compiled_, mapping, counts);
}

}  // namespace heliolite
