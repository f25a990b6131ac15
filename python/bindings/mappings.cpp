// Mappings, read, looked at and written, and what they cost.
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/mapped.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/model/cost_model.h"
#include "engine/model/fingerprint.h"
#include "engine/model/keep.h"
#include "engine/model/mapping_check.h"
#include "engine/model/mapping_yaml.h"
#include "engine/space/mapspace.h"
#include "python/bindings/library_calls.h"

namespace heliolite::python {

// Mappings: read from a text, looked at, written.

namespace {

// Outermost loop first: [{"K": 4}, {"C": [3, 2]}], of the mapping's loops [first, last) of this kind.
py::list loops_of(const PlacedMapping& placed, int first, int last, LoopKind kind) {
  py::list out;
  for (int k = last; k-- > first;) {
    const Loop& loop = placed.mapping.loop[k];
    if (loop.kind != kind) continue;
    py::dict one;
    const py::str name(placed.workload->dimensions[loop.dimension].name);
    if (loop.is_perfect()) one[name] = loop.end;
    else one[name] = std::vector<u32>{loop.end, loop.residual};
    out.append(one);
  }
  return out;
}

// Why `map` would not return the mapping: the machine's constraints that it does not obey.
std::vector<std::string> outside_mapspace(const PlacedMapping& placed) {
  const Result<Mapspace> space = resolve(*placed.workload, *placed.machine);
  return mapped(space ? violations(*space, placed.mapping) : space.errors(), &Diagnostic::to_string);
}

// On the chain of the compute unit that the file names, or of the only one that can run the workload.
PlacedMapping placed_on_unit(const MappingFile& file, std::shared_ptr<Workload> workload,
                             const std::shared_ptr<Architecture>& machine) {
  const UnitMapping read = value_of(file.read_on_unit(*workload, *machine));
  return {read.mapping, std::move(workload), {machine, &machine->chain(read.unit)}};
}

PlacedMapping parse(const std::string& text, const std::string& file, std::shared_ptr<Workload> workload,
                    const std::shared_ptr<Architecture>& machine) {
  return placed_on_unit(value_of(MappingFile::parse(text, file)), std::move(workload), machine);
}

PlacedMapping mapping_of_file(const std::string& path, std::shared_ptr<Workload> workload,
                              const std::shared_ptr<Architecture>& machine) {
  return placed_on_unit(value_of(MappingFile::load(path)), std::move(workload), machine);
}

// The rooms of levels with a limit, outermost first, in words of one instance: "level", "capacity_words", and by tensor
// what its tile takes of them.
py::list rooms_of(const PlacedMapping& placed) {
  const Breakdown breakdown = CostModel(*placed.workload, *placed.machine).explain(placed.mapping);
  py::list out;
  for (auto level = breakdown.level.rbegin(); level != breakdown.level.rend(); ++level) {
    if (level->capacity_words == 0) continue;
    py::dict tensors;
    for (std::size_t v = 0; v < placed.workload->tensors.size(); ++v)
      if (level->tensor[v].kept)
        tensors[py::str(placed.workload->tensors[v].name)] =
            level->level_words(v, static_cast<double>(level->tensor[v].tile_words));
    out.append(py::dict("level"_a = level->name, "capacity_words"_a = level->capacity_words, "tensors"_a = tensors));
  }
  return out;
}

// The levels, outermost first, as an answer of `map --json` has them (docs/json.md).
py::list levels_of(const PlacedMapping& placed) {
  py::list out;
  const Mapping& mapping = placed.mapping;
  for (int i = mapping.level_count - 1; i >= 0; --i) {
    const std::vector<LevelPart> parts = parts_of(mapping, i);
    for (const LevelPart& part : parts) {
      py::list keep;
      for (const int v : bits(part.keep)) keep.append(placed.workload->tensors[v].name);
      py::dict level;
      level["level"] = placed.machine->levels[i].name;
      level["keep"] = keep;
      level["temporal"] = loops_of(placed, part.first, part.last, LoopKind::Temporal);
      if (&part == &parts.back()) {  // the fan-out is below the innermost part
        const int first = first_loop(mapping, i);
        py::dict spatial;
        spatial["x"] = loops_of(placed, first, part.first, LoopKind::SpatialX);
        spatial["y"] = loops_of(placed, first, part.first, LoopKind::SpatialY);
        if (py::len(spatial["x"]) + py::len(spatial["y"]) > 0) level["spatial"] = spatial;
      }
      out.append(level);
    }
  }
  return out;
}

}  // namespace

void add_mappings(py::module_& module) {
  py::class_<PlacedMapping>(module, "Mapping")
      .def_property_readonly("workload", [](const PlacedMapping& p) { return std::make_shared<Workload>(*p.workload); })
      .def_property_readonly("machine",
                             [](const PlacedMapping& p) { return std::make_shared<Architecture>(*p.machine); })
      .def_property_readonly("levels", levels_of)
      .def_property_readonly("room_dicts", rooms_of)
      .def_property_readonly("factors_divide", [](const PlacedMapping& p) { return p.mapping.is_perfect(); })
      .def_property_readonly("outside_mapspace", outside_mapspace)
      .def("to_yaml", [](const PlacedMapping& p) { return write_mapping(p.mapping, *p.workload, *p.machine); })
      .def("to_timeloop",
           [](const PlacedMapping& p) {
             return value_of(write_timeloop_mapping(p.mapping, *p.workload, *p.machine, version_of(*p.machine)));
           })
      .def("__eq__", [](const PlacedMapping& a, const PlacedMapping& b) {
        return a.mapping == b.mapping && a.workload->name == b.workload->name && a.machine->name == b.machine->name &&
               fingerprint(*a.workload) == fingerprint(*b.workload) &&
               fingerprint(*a.machine) == fingerprint(*b.machine);
      });
  module.def("parse_mapping", parse);
  module.def("load_mapping", mapping_of_file);
}

// What mappings cost: totals, and every count by level and tensor with the keys of docs/json.md.

namespace {

py::dict tensor_traffic_as_dict(const TensorTraffic& t, Role role) {
  py::dict all;
  all["reads"] = t.all.reads;
  all["fills"] = t.all.fills;
  all["updates"] = t.all.updates;
  return py::dict("role"_a = std::string(name(role)), "tile_words"_a = t.tile_words, "instances"_a = t.instances,
                  "reads"_a = t.reads, "fills"_a = t.fills, "updates"_a = t.updates, "all_instances"_a = all,
                  "energy_pj"_a = t.energy.picojoules(),
                  "address_generation_pj"_a = t.address_generation_energy.picojoules());
}

py::dict network_traffic_as_dict(const NetworkTraffic& n) {
  py::list multicast;
  for (const MulticastRecord& m : n.multicast) {
    multicast.append(py::dict("receivers"_a = m.multicast,
                              "groups"_a = m.groups == 0 ? py::object(py::none()) : py::cast(m.groups),
                              "words"_a = m.words));
  }
  return py::dict("fanout"_a = n.fanout, "ingresses"_a = n.ingresses, "all_ingresses"_a = n.all_ingresses,
                  "multicast"_a = multicast, "spatial_reductions"_a = n.spatial_reductions, "hops"_a = n.hops,
                  "energy_pj"_a = n.energy.picojoules());
}

py::dict level_breakdown_as_dict(const LevelBreakdown& level, const Workload& workload) {
  py::dict tensors, networks;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    const Tensor& tensor = workload.tensors[v];
    const py::str of(tensor.name);
    if (level.tensor[v].counted()) tensors[of] = tensor_traffic_as_dict(level.tensor[v], tensor.role);
    networks[of] = network_traffic_as_dict(level.network[v]);
  }
  return py::dict(
      "level"_a = level.name,
      "capacity_words"_a = level.capacity_words == 0 ? py::object(py::none()) : py::cast(level.capacity_words),
      "used_words"_a = level.used_words, "cycles"_a = level.cycles, "leakage_pj"_a = level.leakage.picojoules(),
      "tensors"_a = tensors, "network_below"_a = networks);
}

py::dict compute_breakdown_as_dict(const ComputeBreakdown& compute) {
  return py::dict("name"_a = compute.name, "computes"_a = compute.computes, "utilized"_a = compute.utilized,
                  "instances"_a = compute.instances, "cycles"_a = compute.cycles,
                  "energy_pj"_a = compute.energy.picojoules());
}

py::dict breakdown_as_dict(const Breakdown& b, const Workload& workload) {
  py::list levels;
  for (auto level = b.level.rbegin(); level != b.level.rend(); ++level)
    levels.append(level_breakdown_as_dict(*level, workload));
  return py::dict("energy_pj"_a = b.energy.picojoules(), "cycles"_a = b.cycles, "utilization"_a = b.utilization,
                  "counts"_a = std::string(name(b.counts)), "factors_divide"_a = b.divides, "levels"_a = levels,
                  "compute"_a = compute_breakdown_as_dict(b.compute));
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
