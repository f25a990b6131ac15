#include "python/bindings/level_bounds.h"

#include <pybind11/stl.h>

#include "python/bindings/register.h"

namespace heliolite::python {
namespace {

py::dict bound_as_dict(const LevelBound& level) {
  py::dict out;
  out["kind"] = "nested";
  out["level"] = level.boundary.level;
  out["unit"] = std::string(level.boundary.unit.name());
  out["capacity_words"] = level.boundary.capacity_words;
  out["words"] = level.least;
  return out;
}

}  // namespace

py::list distances_as_list(const std::vector<LevelDistance>& levels) {
  py::list out;
  for (const LevelDistance& level : levels) {
    py::dict one = bound_as_dict(level.bound);
    one["words_held"] = level.mapping.words;
    one["words_moved"] = level.mapping.accesses;
    one["least_for_words_held"] = level.least_for_held;
    one["distance"] = level.ratio();
    out.append(one);
  }
  return out;
}

py::list bounds_as_list(const std::vector<LevelBound>& levels) {
  py::list out;
  for (const LevelBound& level : levels) out.append(bound_as_dict(level));
  return out;
}

}  // namespace heliolite::python
