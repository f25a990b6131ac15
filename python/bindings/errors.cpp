#include "python/bindings/errors.h"

#include <utility>

#include "python/bindings/register.h"

namespace heliolite::python {
namespace {

// (file, line, field, message) of each.
py::list as_tuples(const Diagnostics& diagnostics) {
  py::list out;
  for (const Diagnostic& d : diagnostics) out.append(py::make_tuple(d.file, d.line, d.field, d.message));
  return out;
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

}  // namespace heliolite::python
