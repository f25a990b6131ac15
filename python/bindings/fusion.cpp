// Networks whose layers are fused: accesses by the size of the buffer, and the segments that reach them.
#include <pybind11/stl.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/fusion/cut.h"
#include "engine/bounds/lower_bounds.h"
#include "python/bindings/errors.h"
#include "python/bindings/watched.h"

namespace heliolite::python {

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

namespace {

py::dict segment_as_dict(const Segment& segment, const Chain& chain) {
  py::list layers;
  for (std::size_t e = segment.first; e < segment.last; ++e) layers.append(chain.links[e].name);
  py::dict out;
  out["layers"] = layers;
  out["kind"] = std::string(name(segment.kind));
  out["buffer_words"] = segment.buffer;
  out["accesses"] = segment.accesses;
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
  std::vector<u64> out;
  for (const FusedPoint& p : fused.points) out.push_back(p.*member);
  return out;
}

// {"from", "to", "tensor", "because"} of the edges between layers that fusion cannot use.
py::list not_fused(const Network& network) {
  py::list out;
  for (const Edge& e : network.edges) {
    const std::string why = e.from_input ? "" : why_not_fused(network, e);
    if (why.empty()) continue;
    const Workload& to = network.layers[e.to].workload;
    py::dict edge;
    edge["from"] = network.layers[e.from].workload.name;
    edge["to"] = to.name;
    edge["tensor"] = to.tensors[e.tensor].name;
    edge["because"] = why;
    out.append(edge);
  }
  return out;
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
