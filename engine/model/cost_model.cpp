#include "engine/model/cost_model.h"

namespace heliolite {

CostModel::CostModel(const Workload& workload, const Architecture& architecture)
    : workload_(workload), architecture_(architecture), compiled_(workload, architecture) {}

Evaluation CostModel::evaluate(const Mapping& mapping) const {
  if (!mapping.is_perfect()) return evaluate_imperfect(mapping);
  return evaluate_perfect(compiled_, MappingLoops(mapping), mapping.keep);
}

}  // namespace heliolite
