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
#include "engine/model/mapping_check.h"
#include "engine/model/mapping_yaml.h"
#include "engine/report/model_json.h"
#include "engine/space/mapspace.h"
#include "python/bindings/library_calls.h"

namespace heliolite::python {

// Mappings: read from a text, looked at, written.

namespace {

// A value of JSON as Python's own parser has it.
py::object as_object(const nlohmann::ordered_json& json) {
  return py::module_::import("json").attr("loads")(json.dump());
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

}  // namespace

void add_mappings(py::module_& module) {
  py::class_<PlacedMapping>(module, "Mapping")
      .def_property_readonly("workload", [](const PlacedMapping& p) { return std::make_shared<Workload>(*p.workload); })
      .def_property_readonly("machine",
                             [](const PlacedMapping& p) { return std::make_shared<Architecture>(*p.machine); })
      .def_property_readonly(
          "levels", [](const PlacedMapping& p) { return as_object(to_json(p.mapping, *p.workload, *p.machine)); })
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

py::dict breakdown_as_dict(const Breakdown& b, const Workload& workload) {
  const nlohmann::ordered_json parts = to_json(b, workload);
  return py::dict("energy_pj"_a = b.energy.picojoules(), "cycles"_a = b.cycles, "utilization"_a = b.utilization,
                  "counts"_a = std::string(name(b.counts)), "factors_divide"_a = b.divides,
                  "levels"_a = as_object(parts["levels"]), "compute"_a = as_object(parts["compute"]));
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
