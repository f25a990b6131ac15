#pragma once
// The parts of the extension module: each file adds its own classes and functions to it.
#include <pybind11/pybind11.h>

namespace heliolite::python {

namespace py = pybind11;

// Classes come before the functions that take or return them.
void add_errors(py::module_& module);
void add_machines(py::module_& module);
void add_workloads(py::module_& module);
void add_mappings(py::module_& module);
void add_costs(py::module_& module);
void add_search(py::module_& module);
void add_bounds(py::module_& module);
void add_curves(py::module_& module);
void add_fusion(py::module_& module);
void add_sweeps(py::module_& module);

}  // namespace heliolite::python
