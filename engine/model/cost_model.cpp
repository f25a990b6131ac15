#include "engine/model/cost_model.h"

#include "engine/model/true_counts/cost.h"

namespace heliolite {

CostModel::CostModel(const Workload& workload, const Architecture& architecture)
    : workload_(workload), architecture_(architecture), compiled_(workload, architecture) {}

Evaluation CostModel::evaluate(const Mapping& mapping, Counts counts) const {
  if (!mapping.is_perfect())
    return counts == Counts::True ? true_cost_of(compiled_, mapping) : evaluate_imperfect(mapping);
  if (!mapping.is_even()) return evaluate_uneven(compiled_, mapping);
  return evaluate_perfect(compiled_, MappingLoops(mapping), mapping.keep);
}

}  // namespace heliolite
