// Machines, as Python sees them: load and look, outermost level first as in files.
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "arch/architecture_yaml.h"
#include "engine/formats/load_architecture.h"
#include "engine/model/fingerprint.h"
#include "python/bindings/errors.h"

namespace heliolite::python {
namespace {

py::dict storage_level_as_dict(const StorageLevel& level) {
  py::dict out;
  out["name"] = level.name;
  out["entries"] = level.entries;
  out["capacity_words"] = level.capacity_words();
  out["word_bits"] = number_of(level.word_bits);
  out["block_words"] = level.block_words;
  out["instances"] = level.instances;
  out["fanout_x"] = level.fanout_x;
  out["fanout_y"] = level.fanout_y;
  out["read_pj"] = level.energy.read_pj;
  out["fill_pj"] = level.energy.fill_pj;
  out["update_pj"] = level.energy.update_pj;
  out["leak_pj_per_cycle"] = level.leak_pj_per_cycle;
  out["area_um2"] = level.area_um2;
  out["read_bandwidth"] = level.bandwidth.read;
  out["write_bandwidth"] = level.bandwidth.write;
  out["shared_bandwidth"] = level.bandwidth.shared;
  out["is_dram"] = level.is_dram;
  out["reduction"] = level.reduces();
  out["is_interconnect"] = level.is_interconnect;
  return out;
}

py::list levels_as_dicts(const Architecture& machine) {
  py::list out;
  for (auto level = machine.levels.rbegin(); level != machine.levels.rend(); ++level)
    out.append(storage_level_as_dict(*level));
  return out;
}

py::dict compute_units_as_dict(const Compute& compute) {
  py::dict out;
  out["name"] = compute.name;
  out["instances"] = compute.instances;
  out["word_bits"] = number_of(compute.word_bits);
  out["op_pj"] = compute.op_pj;
  out["area_um2"] = compute.area_um2;
  return out;
}

}  // namespace

void add_machines(py::module_& module) {
  py::class_<Architecture, std::shared_ptr<Architecture>>(module, "Architecture")
      .def_readonly("name", &Architecture::name)
      .def_readonly("description", &Architecture::description)
      .def_readonly("technology_nm", &Architecture::technology_nm)
      .def_readonly("cycle_ns", &Architecture::cycle_ns)
      .def_property_readonly("level_dicts", levels_as_dicts)
      .def_property_readonly("compute_dict", [](const Architecture& a) { return compute_units_as_dict(a.compute); })
      .def_property_readonly("area_um2", &Architecture::area_um2)
      .def_property_readonly("hash", [](const Architecture& a) { return to_hex(fingerprint(a)); })
      .def_readonly("notes", &Architecture::notes)
      .def("to_yaml", write_architecture);
  module.def("load_architecture", [](const std::string& what) { return value_of(load_architecture(what)); });
  module.def("parse_architecture",
             [](const std::string& text, const std::string& name) { return value_of(parse_architecture(text, name)); });
  module.def("architecture_preset_names", architecture_preset_names);
}

}  // namespace heliolite::python
