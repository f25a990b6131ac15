// Curves of the least accesses by the size of the buffer.
#include <heliolite/curve.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings/errors.h"
#include "python/bindings/register.h"
#include "python/bindings/watched.h"

namespace heliolite::python {
namespace {

// Columns of the points.
struct CurveColumns {
  std::vector<u64> buffers, accesses;
};

template <class How>
Result<CurveColumns> columns_of(const Result<Staircase<How>>& curve) {
  if (!curve) return curve.errors();
  CurveColumns out;
  for (const auto& point : curve->points()) {
    out.buffers.push_back(point.buffer);
    out.accesses.push_back(point.accesses);
  }
  return out;
}

// (buffer_words, accesses, minimum, operand_words, unit), where tensors state sizes of words all in bytes or bits;
// nested: on any number of levels, else with one buffer.
py::tuple curve(const std::shared_ptr<Workload>& workload, bool nested, bool imperfect) {
  OrojenesisOptions options;
  options.imperfect = imperfect;
  const WordUnit unit = value_of(word_unit(*workload));
  options.word_size = unit.sizes(*workload);
  const CurveColumns found = value_of(interruptible([workload, nested, options](const std::atomic<bool>& stop) {
    OrojenesisOptions until = options;
    until.stop = &stop;
    return nested ? columns_of(nested_curve(*workload, until)) : columns_of(one_buffer_curve(*workload, until));
  }));
  return py::make_tuple(found.buffers, found.accesses, algorithmic_minimum(*workload, options),
                        operand_words(*workload, options), std::string(unit.name()));
}

}  // namespace

void add_curves(py::module_& module) { module.def("curve", curve); }

}  // namespace heliolite::python
