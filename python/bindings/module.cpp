// The extension module heliolite._core. People import the package heliolite, which is written on top of it.
#include <heliolite/version.h>

#include <string>

#include "python/bindings/library_calls.h"

PYBIND11_MODULE(_core, module) {
  namespace bound = heliolite::python;
  module.doc() = "Heliolite's engine; the package heliolite is its documented face.";
  bound::add_errors(module);
  bound::add_machines(module);
  bound::add_workloads(module);
  bound::add_mappings(module);
  bound::add_costs(module);
  bound::add_search(module);
  bound::add_bounds(module);
  bound::add_curves(module);
  bound::add_fusion(module);
  bound::add_schedules(module);
  bound::add_sweeps(module);
  module.def("version", [] {
    const heliolite::VersionInfo info = heliolite::version_info();
    bound::py::dict out;
    out["version"] = std::string(info.version);
    out["commit"] = std::string(info.commit);
    out["compiler"] = std::string(info.compiler);
    out["build_type"] = std::string(info.build_type);
    return out;
  });
}
