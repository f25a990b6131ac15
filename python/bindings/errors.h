#pragma once
// Results of the library as values or as Python exceptions.
#include <exception>
#include <utility>

#include "engine/base/result.h"

namespace heliolite::python {

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

// Throws InputError if there are complaints.
inline void expect_none(Diagnostics complaints) {
  if (!complaints.empty()) throw InputError(std::move(complaints));
}

}  // namespace heliolite::python
