// Bounds: the least that crosses a machine's levels, and accesses of networks whose layers are fused by the size of the
// buffer.
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/mapped.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/fusion/cut.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/network/network_bound.h"
#include "python/bindings/library_calls.h"
#include "workloads/word_bits.h"

namespace heliolite::python {
namespace {

py::dict bound_as_dict(const LevelBound& level) {
  return py::dict("kind"_a = "nested", "level"_a = level.boundary.level,
                  "unit"_a = std::string(level.boundary.unit.name()),
                  "capacity_words"_a = level.boundary.capacity_words, "words"_a = level.least);
}

}  // namespace

std::vector<py::dict> distances_as_list(const std::vector<LevelDistance>& levels) {
  return mapped(levels, [](const LevelDistance& level) {
    py::dict one = bound_as_dict(level.bound);
    one["words_held"] = level.mapping.words;
    one["words_moved"] = level.mapping.accesses;
    one["least_for_words_held"] = level.least_for_held;
    one["distance"] = level.ratio();
    return one;
  });
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
  return mapped(boundaries(machine, workload, unit), [&](const Boundary& wall) {
    return Memory{wall.level, words_inside(wall, machine, workload)};
  });
}

// Rows of "bounds": every bound of every memory.
py::list rows_of(const std::vector<MemoryBounds>& all, const WordUnit& unit) {
  py::list out;
  for (const MemoryBounds& of : all) {
    for (const LowerBound& bound : of.bounds) {
      out.append(py::dict("kind"_a = std::string(name(bound.kind)), "level"_a = of.memory.level,
                          "unit"_a = std::string(unit.name()), "capacity_words"_a = of.memory.capacity,
                          "words"_a = bound.words, "because"_a = bound.why));
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
std::vector<py::dict> machine_bounds(const std::shared_ptr<Network>& network, std::size_t layer,
                                     const std::shared_ptr<Architecture>& machine) {
  const WordUnit unit = unit_of(*network, machine);
  const auto answer = [workload = network->layers.at(layer).workload, machine, unit](const std::atomic<bool>& stop) {
    OrojenesisOptions options;
    options.stop = &stop;
    options.word_size = unit.sizes(workload);
    const Result<NestedCurve> curve = nested_curve(workload, options);
    return curve ? Result<std::vector<LevelBound>>(level_bounds(*curve, workload, *machine, unit)) : curve.errors();
  };
  return mapped(value_of(interruptible(answer)), bound_as_dict);
}

}  // namespace

void add_bounds(py::module_& module) {
  module.def("layer_bounds", layer_bounds);
  module.def("network_bounds", network_bounds);
  module.def("machine_bounds", machine_bounds);
}

// Networks whose layers are fused: accesses by the size of the buffer, and the segments that reach them.

// Curves of the least accesses by the size of the buffer.

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
  CurveColumns out;
  for (const RaisedStep& step :
       raised(curve->steps(), schedule_bounds(workload, options), operand_words(workload, options))) {
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

namespace {

py::dict segment_as_dict(const Segment& segment, const Chain& chain) {
  py::list layers;
  for (std::size_t e = segment.first; e < segment.last; ++e) layers.append(chain.links[e].name);
  py::dict out("layers"_a = layers, "kind"_a = std::string(name(segment.kind)), "buffer_words"_a = segment.buffer,
               "accesses"_a = segment.accesses);
  if (segment.kind != SegmentKind::Tiled) return out;
  out["template"] = std::string(name(segment.tiles.how));
  out["templates"] = template_names(segment.tiles, segment.last - segment.first);
  out["rows"] = segment.tiles.rows;
  out["parts"] = segment.tiles.parts;
  return out;
}

// The network cut at a capacity: one row for each segment.
py::list segments_at(const SegmentedNetwork& network, u64 capacity) {
  py::list out;
  for (std::size_t c = 0; c < network.chains().size(); ++c)
    for (const Segment& segment : network.segmented(c).best(capacity).segments)
      out.append(segment_as_dict(segment, network.chains()[c]));
  return out;
}

struct FusedNetwork {
  SegmentedNetwork network;
  std::vector<FusedPoint> points;
};

FusedNetwork fuse(std::shared_ptr<Network> network, const std::vector<u64>& buffers) {
  return value_of(
      interruptible([network = std::move(network), buffers](const std::atomic<bool>& stop) -> Result<FusedNetwork> {
        SegmentOptions options;
        options.stop = &stop;
        Result<SegmentedNetwork> segmented = SegmentedNetwork::create(*network, options);
        if (!segmented) return segmented.errors();
        std::vector<FusedPoint> points = buffers.empty() ? segmented->points(&stop) : segmented->points(buffers, &stop);
        return FusedNetwork{*std::move(segmented), std::move(points)};
      }));
}

template <u64 FusedPoint::*member>
std::vector<u64> column(const FusedNetwork& fused) {
  return mapped(fused.points, [&](const FusedPoint& p) { return p.*member; });
}

// {"from", "to", "tensor", "because"} of the edges between layers that fusion cannot use.
std::vector<py::dict> not_fused(const Network& network) {
  return mapped(unfused_edges(network), [](const UnfusedEdge& e) {
    return py::dict("from"_a = e.from, "to"_a = e.to, "tensor"_a = e.tensor, "because"_a = e.because);
  });
}

}  // namespace

void add_fusion(py::module_& module) {
  py::class_<FusedNetwork, std::shared_ptr<FusedNetwork>>(module, "FusedNetwork")
      .def(py::init([](std::shared_ptr<Network> network, const std::vector<u64>& buffers) {
        return std::make_shared<FusedNetwork>(fuse(std::move(network), buffers));
      }))
      .def_property_readonly("unit", [](const FusedNetwork& fused) { return std::string(fused.network.unit().name()); })
      .def_property_readonly("buffer_words", column<&FusedPoint::buffer>)
      .def_property_readonly("unfused", column<&FusedPoint::unfused>)
      .def_property_readonly("fused", column<&FusedPoint::fused>)
      .def("segments", [](const FusedNetwork& fused, u64 capacity) { return segments_at(fused.network, capacity); });
  module.def("not_fused", not_fused);
}

}  // namespace heliolite::python
