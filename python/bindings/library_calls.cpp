#include "python/bindings/library_calls.h"

#include <heliolite/version.h>
#include <algorithm>
#include <string>

namespace heliolite::python {
namespace {

// What the command line calls --word-bits is the argument word_bits.
std::string in_python(const std::string& field) {
  if (!field.starts_with("--")) return field;
  std::string argument = field.substr(2);
  std::ranges::replace(argument, '-', '_');
  return argument;
}

// (file, line, field, message) of each.
py::list as_tuples(const Diagnostics& diagnostics) {
  py::list out;
  for (const Diagnostic& d : diagnostics) out.append(py::make_tuple(d.file, d.line, in_python(d.field), d.message));
  return out;
}

// Work that was given up. The list waits for it when the module is unloaded at the end of the program.
std::vector<std::future<void>>& abandoned() {
  static std::vector<std::future<void>> work;
  return work;
}

}  // namespace

void add_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const InputError& error) {
      const py::object type = py::module_::import("heliolite._errors").attr("Error");
      const py::object instance = type(as_tuples(error.diagnostics()));
      PyErr_SetObject(type.ptr(), instance.ptr());
    }
  });
}

void abandon(std::future<void> work) {
  std::erase_if(abandoned(), [](const auto& old) { return old.wait_for(kLook * 0) == std::future_status::ready; });
  abandoned().push_back(std::move(work));
}

}  // namespace heliolite::python

// The extension module heliolite._core. People import the package heliolite, which is written on top of it.
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
    using namespace bound::py::literals;
    const heliolite::VersionInfo info = heliolite::version_info();
    return bound::py::dict("version"_a = std::string(info.version), "commit"_a = std::string(info.commit),
                           "compiler"_a = std::string(info.compiler), "build_type"_a = std::string(info.build_type));
  });
}
