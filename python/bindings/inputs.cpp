// What is asked about, as Python sees it: machines, workloads and networks.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture_yaml.h"
#include "engine/base/mapped.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/fingerprint.h"
#include "python/bindings/library_calls.h"
#include "workloads/word_bits.h"
#include "workloads/workload_yaml.h"

namespace heliolite::python {
namespace {

py::dict storage_level_as_dict(const StorageLevel& level) {
  return py::dict("name"_a = level.name, "entries"_a = level.entries, "capacity_words"_a = level.capacity_words(),
                  "word_bits"_a = number_of(level.word_bits), "block_words"_a = level.block_words,
                  "instances"_a = level.instances, "fanout_x"_a = level.fanout_x, "fanout_y"_a = level.fanout_y,
                  "read_pj"_a = level.energy.read_pj, "fill_pj"_a = level.energy.fill_pj,
                  "update_pj"_a = level.energy.update_pj, "leak_pj_per_cycle"_a = level.leak_pj_per_cycle,
                  "area_um2"_a = level.area_um2, "read_bandwidth"_a = level.bandwidth.read,
                  "write_bandwidth"_a = level.bandwidth.write, "shared_bandwidth"_a = level.bandwidth.shared,
                  "is_dram"_a = level.is_dram, "reduction"_a = level.reduces(),
                  "is_interconnect"_a = level.is_interconnect);
}

std::vector<py::dict> levels_as_dicts(const Architecture& machine) {
  std::vector<py::dict> innermost_first = mapped(machine.levels, storage_level_as_dict);
  return {innermost_first.rbegin(), innermost_first.rend()};
}

py::dict compute_units_as_dict(const Compute& compute) {
  return py::dict("name"_a = compute.name, "instances"_a = compute.instances,
                  "word_bits"_a = number_of(compute.word_bits), "op_pj"_a = compute.op_pj,
                  "area_um2"_a = compute.area_um2);
}

}  // namespace

void add_machines(py::module_& module) {
  py::class_<Architecture, std::shared_ptr<Architecture>>(module, "Architecture")
      .def_readonly("name", &Architecture::name)
      .def_readonly("description", &Architecture::description)
      .def_readonly("technology_nm", &Architecture::technology_nm)
      .def_readonly("cycle_ns", &Architecture::cycle_ns)
      .def_property_readonly("level_dicts", levels_as_dicts)
      .def_property_readonly("compute_dict", [](const Architecture& a) { return compute_units_as_dict(a.compute); })
      .def_property_readonly("area_um2", &Architecture::area_um2)
      .def_property_readonly("hash", [](const Architecture& a) { return to_hex(fingerprint(a)); })
      .def_readonly("notes", &Architecture::notes)
      .def("to_yaml", write_architecture);
  module.def("load_architecture", [](const std::string& what) { return value_of(load_architecture(what)); });
  module.def("parse_architecture",
             [](const std::string& text, const std::string& name) { return value_of(parse_architecture(text, name)); });
  module.def("architecture_preset_names", architecture_preset_names);
}

// Workloads and networks, as Python sees them.

namespace {

py::dict dimensions_of(const Workload& workload) {
  py::dict out;
  for (const Dimension& d : workload.dimensions) out[py::str(d.name)] = d.size;
  return out;
}

py::list tensors_of(const Workload& workload) {
  py::list out;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    out.append(py::dict("name"_a = workload.tensors[v].name, "role"_a = std::string(name(workload.tensors[v].role)),
                        "words"_a = workload.tensor_words(static_cast<int>(v)),
                        "word_bits"_a = number_of(workload.tensors[v].word_bits)));
  }
  return out;
}

// Bits by tensor, of those that state a size.
py::dict word_bits_of(const Workload& workload) {
  py::dict out;
  for (const Tensor& t : workload.tensors)
    if (t.word_bits) out[py::str(t.name)] = number_of(t.word_bits);
  return out;
}

// `word_bits` as on the command line; none: as the workload says.
WordBits sizes_of(const std::optional<std::string>& word_bits) {
  return word_bits ? value_of(parse_word_bits(*word_bits)) : WordBits{};
}

// `models`: options of ONNX models; `edges`: their layers one by one with what flows between them, not each shape once.
Network network_of_file(const std::string& what, const std::optional<std::string>& word_bits,
                        const std::vector<std::string>& models, bool edges) {
  ReadOptions reading;
  reading.word_bits = sizes_of(word_bits);
  reading.models = models;
  return value_of(load_network(what, reading, edges ? Wanted::Edges : Wanted::Shapes));
}

// The network with these sizes.
Network with_word_bits(Network network, const std::optional<std::string>& word_bits) {
  const WordBits sizes = sizes_of(word_bits);
  if (sizes.source == WordBitsSource::Types)
    throw InputError({{"", 0, "word_bits",
                       fmt::format("types are read with an ONNX model's file; {} is no such file, say sizes by tensor",
                                   network.name)}});
  expect_none(set_word_bits(network, sizes));
  return network;
}

// Edges between layers, and from inputs.
std::vector<py::dict> edges_of(const Network& network) {
  return mapped(network.edges, [&](const Edge& e) {
    const Workload& to = network.layers[e.to].workload;
    return py::dict("from"_a = e.from_input ? network.inputs[e.from].name : network.layers[e.from].workload.name,
                    "to"_a = to.name, "tensor"_a = to.tensors[e.tensor].name,
                    "through"_a = std::string(name(e.through.op)), "combine"_a = std::string(name(e.combine)),
                    "from_input"_a = e.from_input, "repetitions"_a = repeats_text(network, e));
  });
}

std::shared_ptr<Network> network_of(const std::vector<std::shared_ptr<Workload>>& workloads) {
  auto network = std::make_shared<Network>();
  for (const auto& workload : workloads) network->layers.push_back({*workload, 1});
  network->name = workloads.empty() ? "" : workloads.front()->name;
  return network;
}

// The network with this layer alone, as often as it runs it.
std::shared_ptr<Network> only(const Network& network, const std::string& layer) {
  auto out = std::make_shared<Network>(Network{network.name, {}});
  out->batch = network.batch;
  out->notes = network.notes;
  for (const Layer& one : network.layers)
    if (one.workload.name == layer) out->layers.push_back(one);
  return out;
}

}  // namespace

void add_workloads(py::module_& module) {
  py::class_<Workload, std::shared_ptr<Workload>>(module, "Workload")
      .def_readonly("name", &Workload::name)
      .def_property_readonly("dimensions", dimensions_of)
      .def_property_readonly("tensor_dicts", tensors_of)
      .def_property_readonly("macs", &Workload::macs)
      .def_property_readonly("word_bits", word_bits_of)
      .def_property_readonly("hash", [](const Workload& w) { return to_hex(fingerprint(w)); })
      .def("to_yaml", write_workload);
  py::class_<Network, std::shared_ptr<Network>>(module, "Network")
      .def_readonly("name", &Network::name)
      .def_property_readonly("workloads",
                             [](const Network& network) {
                               return mapped(network.layers, [&](const Layer& layer) {
                                 return std::make_shared<Workload>(layer.workload);
                               });
                             })
      .def_property_readonly("counts", [](const Network& network) { return mapped(network.layers, &Layer::count); })
      .def_readonly("notes", &Network::notes)
      .def_readonly("batch", &Network::batch)
      .def_readonly("tokens", &Network::tokens)
      .def_readonly("one_run", &Network::one_run)
      .def_property_readonly("inferences", &Network::inferences)
      .def_property_readonly("run_tokens", &Network::run_tokens)
      .def("only", only)
      .def_property_readonly("edges", edges_of)
      .def_property_readonly("macs", &Network::macs);
  module.def("load_network", network_of_file);
  module.def("parse_network",
             [](const std::string& text, const std::string& name) { return value_of(parse_network(text, name)); });
  module.def("with_word_bits", with_word_bits);
  module.def("network_of", network_of);
  module.def("workload_preset_names", workload_preset_names);
}

}  // namespace heliolite::python
