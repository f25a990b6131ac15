// What nothing can beat: words between a memory of some size and what is outside, of a layer and of a network.
#include "python/bindings/bounds.h"

#include <pybind11/stl.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/network/network_bound.h"
#include "python/bindings/errors.h"
#include "python/bindings/watched.h"
#include "workloads/word_bits.h"

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

namespace {

// A memory of a machine, or one of some size. No capacity: unbounded.
struct Memory {
  std::optional<std::string> level;
  std::optional<double> capacity;
};

struct MemoryBounds {
  Memory memory;
  std::vector<LowerBound> bounds;
};

// More words than any workload has.
constexpr double kUnboundedWords = 1e18;

std::vector<Memory> memories_of(const Workload& workload, const Architecture& machine, const WordUnit& unit) {
  std::vector<Memory> out;
  for (const Boundary& wall : boundaries(machine, workload, unit))
    out.push_back({wall.level, words_inside(wall, machine, workload)});
  return out;
}

// Rows of "bounds": every bound of every memory.
py::list rows_of(const std::vector<MemoryBounds>& all, const WordUnit& unit) {
  py::list out;
  for (const MemoryBounds& of : all) {
    for (const LowerBound& bound : of.bounds) {
      py::dict row;
      row["kind"] = std::string(name(bound.kind));
      row["level"] = of.memory.level;
      row["unit"] = std::string(unit.name());
      row["capacity_words"] = of.memory.capacity;
      row["words"] = bound.words;
      row["because"] = bound.why;
      out.append(row);
    }
  }
  return out;
}

// The unit of an answer about all layers.
WordUnit unit_of(const Network& network, const std::shared_ptr<Architecture>& machine) {
  return value_of(word_unit(network, machine ? std::optional(machine->levels.back().word_bits) : std::nullopt));
}

py::list layer_bounds(const std::shared_ptr<Network>& network, std::size_t layer, const std::vector<double>& capacities,
                      const std::shared_ptr<Architecture>& machine) {
  const Workload& workload = network->layers.at(layer).workload;
  const WordUnit unit = unit_of(*network, machine);
  std::vector<Memory> memories;
  if (machine != nullptr) memories = memories_of(workload, *machine, unit);
  for (const double capacity : capacities) memories.push_back({std::nullopt, capacity});
  const auto answer = [workload, memories, sizes = unit.sizes(workload)](const std::atomic<bool>& stop) {
    const LowerBounds bounds(workload, {}, std::vector<double>(sizes.begin(), sizes.end()));
    std::vector<MemoryBounds> out;
    for (const Memory& memory : memories) {
      if (stop) break;
      out.push_back({memory, bounds.at(memory.capacity.value_or(kUnboundedWords))});
    }
    return out;
  };
  return rows_of(interruptible(answer), unit);
}

// What all layers together move at each capacity, in the unit of the layers' bounds.
std::vector<u64> network_bounds(std::shared_ptr<Network> network, const std::vector<double>& capacities,
                                const std::shared_ptr<Architecture>& machine) {
  const WordUnit unit = unit_of(*network, machine);
  return interruptible([network = std::move(network), capacities, unit](const std::atomic<bool>& stop) {
    std::vector<u64> out;
    for (const double capacity : capacities) {
      if (stop) break;
      out.push_back(network_bound(*network, capacity, Unnamed::Apart, unit).words);
    }
    return out;
  });
}

// What no mapping of the layer moves less than, at each boundary of the machine.
py::list machine_bounds(const std::shared_ptr<Network>& network, std::size_t layer,
                        const std::shared_ptr<Architecture>& machine) {
  const WordUnit unit = unit_of(*network, machine);
  const auto answer = [workload = network->layers.at(layer).workload, machine, unit](const std::atomic<bool>& stop) {
    OrojenesisOptions options;
    options.stop = &stop;
    options.word_size = unit.sizes(workload);
    const Result<NestedCurve> curve = nested_curve(workload, options);
    return curve ? Result<std::vector<LevelBound>>(level_bounds(*curve, workload, *machine, unit)) : curve.errors();
  };
  return bounds_as_list(value_of(interruptible(answer)));
}

}  // namespace

void add_bounds(py::module_& module) {
  module.def("layer_bounds", layer_bounds);
  module.def("network_bounds", network_bounds);
  module.def("machine_bounds", machine_bounds);
}

}  // namespace heliolite::python
