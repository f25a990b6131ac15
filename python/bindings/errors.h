#pragma once
// Results of the library as values or as Python exceptions.
#include <pybind11/pybind11.h>
#include <exception>
#include <utility>

#include "engine/base/result.h"
#include "engine/base/word_length.h"

namespace heliolite::python {

// The parts of the extension module: each file adds its own classes and functions to it.

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
void add_schedules(py::module_& module);
void add_sweeps(py::module_& module);

// Becomes heliolite.Error, with all complaints.
class InputError : public std::exception {
 public:
  explicit InputError(Diagnostics diagnostics) : diagnostics_(std::move(diagnostics)) {}

  const Diagnostics& diagnostics() const { return diagnostics_; }
  const char* what() const noexcept override { return "heliolite.Error"; }

 private:
  Diagnostics diagnostics_;
};

// The value; throws InputError if there is none.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw InputError(result.errors());
  return *std::move(result);
}

// Bits of a word: an int where they are whole, else a float; None without a size.
inline py::object number_of(const std::optional<WordLength>& length) {
  if (!length) return py::none();
  if (length->is_whole()) return py::int_(length->parts());
  return py::float_(static_cast<double>(*length));
}

// Throws InputError if there are complaints.
inline void expect_none(Diagnostics complaints) {
  if (!complaints.empty()) throw InputError(std::move(complaints));
}

}  // namespace heliolite::python
