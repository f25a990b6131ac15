// Curves of the least accesses by the size of the buffer.
#include <heliolite/curve.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/bounds/raised_curve.h"
#include "python/bindings/errors.h"
#include "python/bindings/register.h"
#include "python/bindings/watched.h"

namespace heliolite::python {
namespace {

// Columns of the points.
struct CurveColumns {
  std::vector<u64> buffers, accesses;
  std::vector<std::string> by;  // the bound that says most there
};

// The curve of mappings, raised to the bounds of all schedules.
template <class How>
Result<CurveColumns> columns_of(const Result<Staircase<How>>& curve, const char* kind, const Workload& workload,
                                const OrojenesisOptions& options) {
  if (!curve) return curve.errors();
  std::vector<CurveStep> steps;
  for (const auto& point : curve->points()) steps.push_back({point.buffer, point.accesses});
  CurveColumns out;
  for (const RaisedStep& step : raised(steps, schedule_bounds(workload, options), operand_words(workload, options))) {
    out.buffers.push_back(step.step.buffer);
    out.accesses.push_back(step.step.accesses);
    out.by.push_back(step.by ? std::string(name(*step.by)) : kind);
  }
  return out;
}

// (buffer_words, accesses, by, minimum, operand_words, unit), where tensors state sizes of words all in bytes or bits;
// nested: on any number of levels, else with one buffer.
py::tuple curve(const std::shared_ptr<Workload>& workload, bool nested, bool imperfect) {
  OrojenesisOptions options;
  options.imperfect = imperfect;
  const WordUnit unit = value_of(word_unit(*workload));
  options.word_size = unit.sizes(*workload);
  const CurveColumns found = value_of(interruptible([workload, nested, options](const std::atomic<bool>& stop) {
    OrojenesisOptions until = options;
    until.stop = &stop;
    return nested ? columns_of(nested_curve(*workload, until), "nested", *workload, options)
                  : columns_of(one_buffer_curve(*workload, until), "orojenesis", *workload, options);
  }));
  return py::make_tuple(found.buffers, found.accesses, found.by, algorithmic_minimum(*workload, options),
                        operand_words(*workload, options), std::string(unit.name()));
}

}  // namespace

void add_curves(py::module_& module) { module.def("curve", curve); }

}  // namespace heliolite::python
