// What mappings cost: totals, and every count by level and tensor with the keys of docs/json.md.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/cost_model.h"
#include "engine/model/mapping_check.h"
#include "python/bindings/errors.h"
#include "python/bindings/placed_mapping.h"

namespace heliolite::python {
namespace {

py::dict tensor_traffic_as_dict(const TensorTraffic& t, Role role) {
  py::dict all;
  all["reads"] = t.all.reads;
  all["fills"] = t.all.fills;
  all["updates"] = t.all.updates;
  py::dict out;
  out["role"] = std::string(name(role));
  out["tile_words"] = t.tile_words;
  out["instances"] = t.instances;
  out["reads"] = t.reads;
  out["fills"] = t.fills;
  out["updates"] = t.updates;
  out["all_instances"] = all;
  out["energy_pj"] = t.energy.picojoules();
  out["address_generation_pj"] = t.address_generation_energy.picojoules();
  return out;
}

py::dict network_traffic_as_dict(const NetworkTraffic& n) {
  py::list multicast;
  for (const MulticastRecord& m : n.multicast) {
    py::dict record;
    record["receivers"] = m.multicast;
    record["groups"] = m.groups == 0 ? py::object(py::none()) : py::cast(m.groups);
    record["words"] = m.words;
    multicast.append(record);
  }
  py::dict out;
  out["fanout"] = n.fanout;
  out["ingresses"] = n.ingresses;
  out["all_ingresses"] = n.all_ingresses;
  out["multicast"] = multicast;
  out["spatial_reductions"] = n.spatial_reductions;
  out["hops"] = n.hops;
  out["energy_pj"] = n.energy.picojoules();
  return out;
}

py::dict level_breakdown_as_dict(const LevelBreakdown& level, const Workload& workload) {
  py::dict tensors, networks;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    const Tensor& tensor = workload.tensors[v];
    const py::str of(tensor.name);
    if (level.tensor[v].counted()) tensors[of] = tensor_traffic_as_dict(level.tensor[v], tensor.role);
    networks[of] = network_traffic_as_dict(level.network[v]);
  }
  py::dict out;
  out["level"] = level.name;
  out["capacity_words"] = level.capacity_words == 0 ? py::object(py::none()) : py::cast(level.capacity_words);
  out["used_words"] = level.used_words;
  out["cycles"] = level.cycles;
  out["leakage_pj"] = level.leakage.picojoules();
  out["tensors"] = tensors;
  out["network_below"] = networks;
  return out;
}

py::dict compute_breakdown_as_dict(const ComputeBreakdown& compute) {
  py::dict out;
  out["name"] = compute.name;
  out["computes"] = compute.computes;
  out["utilized"] = compute.utilized;
  out["instances"] = compute.instances;
  out["cycles"] = compute.cycles;
  out["energy_pj"] = compute.energy.picojoules();
  return out;
}

py::dict breakdown_as_dict(const Breakdown& b, const Workload& workload) {
  py::list levels;
  for (auto level = b.level.rbegin(); level != b.level.rend(); ++level)
    levels.append(level_breakdown_as_dict(*level, workload));
  py::dict out;
  out["energy_pj"] = b.energy.picojoules();
  out["cycles"] = b.cycles;
  out["utilization"] = b.utilization;
  out["counts"] = std::string(name(b.counts));
  out["factors_divide"] = b.divides;
  out["levels"] = levels;
  out["compute"] = compute_breakdown_as_dict(b.compute);
  return out;
}

// (energy in pJ, cycles) of a mapping that fits.
std::pair<double, u64> evaluate(const CostModel& model, const PlacedMapping& placed, const std::string& counts) {
  const Counts how = value_of(counts_named(counts, model, placed.mapping));
  const Cost cost = value_of(cost_or_reasons(model, placed.mapping, how));
  return {cost.energy.picojoules(), cost.cycles};
}

}  // namespace

void add_costs(py::module_& module) {
  py::class_<CostModel, std::shared_ptr<CostModel>>(module, "CostModel")
      .def(py::init([](const Workload& workload, const Architecture& machine) {
        return std::make_shared<CostModel>(workload, machine);
      }))
      .def("evaluate", evaluate)
      .def("explain", [](const CostModel& model, const PlacedMapping& placed, const std::string& counts) {
        return breakdown_as_dict(model.explain(placed.mapping, value_of(counts_named(counts, model, placed.mapping))),
                                 model.workload());
      });
}

}  // namespace heliolite::python
