#pragma once
// One layer on every machine of a family: its cost models, and what costs there are worth. Searches of mappings compare
// energy and cycles; between machines the area and the operations count, too (core/objective.h).
#include <vector>

#include "engine/search/core/compulsory.h"
#include "engine/search/core/machine_family.h"
#include "engine/search/core/objective.h"

namespace heliolite {

class LayerOnFamily {
 public:
  LayerOnFamily(const Workload& workload, const MachineFamily& family, Objective objective) : objective_(objective) {
    for (const Architecture& machine : family.machines()) {
      models_.emplace_back(workload, machine);
      factor_.push_back(machine_factor(objective, machine, workload));
    }
  }

  std::size_t size() const { return models_.size(); }
  const CostModel& model(std::size_t machine) const { return models_[machine]; }
  double factor(std::size_t machine) const { return factor_[machine]; }

  // The value of a cost on the machine, in units that compare between machines.
  double number(std::size_t machine, const Cost& cost) const {
    return objective_number(objective_, cost) * factor_[machine];
  }
  // A lower bound of all mappings on the machine whose keep choices lie in `keep`, in the same units.
  double compulsory(std::size_t machine, const KeepRange& keep) const {
    return number(machine, compulsory_cost(models_[machine], keep).whole);
  }

 private:
  Objective objective_;
  std::vector<CostModel> models_;  // by machine
  std::vector<double> factor_;     // by machine: machine_factor()
};

}  // namespace heliolite
