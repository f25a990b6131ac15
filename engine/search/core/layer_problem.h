#pragma once
// One layer on one machine as every strategy gets it, and the answer every strategy gives.
#include <memory>
#include <optional>
#include <vector>

#include "engine/model/perfect.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/core/machine_family.h"
#include "engine/search/core/options.h"
#include "engine/space/mapspace.h"

namespace heliolite {

struct LayerProblem {
  Workload workload;
  Architecture architecture;
  SearchOptions options;
  Mapspace space;
  CostModel model;
  // Of a co-search: the machines to choose from, whose envelope is `architecture`, and their models. Else none.
  std::shared_ptr<const MachineFamily> family = nullptr;
  std::vector<CostModel> machines = {};

  const CostModel& machine(std::size_t k) const { return machines.empty() ? model : machines[k]; }

  // Which tensors each level must and may keep.
  KeepRange keep_range() const;
  // Every way to decide what the machine leaves open, all kept first. Empty if there are more than `most`.
  std::vector<KeepMasks> keep_choices(u64 most) const;

  // Tells who watches of the best value so far and of a bound, in units of objective_number(); 0: nothing new. From any
  // thread.
  void tell(double value, double lower_bound) const {
    if (options.progress) options.progress({.value = value, .lower_bound = lower_bound});
  }
};

struct LayerAnswer {
  bool found = false;
  Mapping mapping;
  u32 machine = 0;  // of the problem's family
  Cost cost;
  Value value = Value::worst();
  SearchEnd end = SearchEnd::Done;
  bool complete = false;              // the whole mapspace was covered: what was found is the optimum
  std::optional<double> lower_bound;  // proven, of the whole mapspace, in units of objective_number()
  SearchStatistics statistics;
  std::vector<bool> machines_tried{};  // of the family: some tile was looked at on it

  // Takes a mapping if it beats what there is; of equally good ones that of the first machine, then the canonically
  // first.
  bool offer(Objective objective, const Mapping& candidate, const Cost& its_cost, u32 its_machine = 0);
};

}  // namespace heliolite
