// What is asked about, as Python sees it: machines, workloads and networks.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture_yaml.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/fingerprint.h"
#include "python/bindings/library_calls.h"
#include "workloads/word_bits.h"
#include "workloads/workload_yaml.h"

namespace heliolite::python {
namespace {

py::dict storage_level_as_dict(const StorageLevel& level) {
  py::dict out;
  out["name"] = level.name;
  out["entries"] = level.entries;
  out["capacity_words"] = level.capacity_words();
  out["word_bits"] = number_of(level.word_bits);
  out["block_words"] = level.block_words;
  out["instances"] = level.instances;
  out["fanout_x"] = level.fanout_x;
  out["fanout_y"] = level.fanout_y;
  out["read_pj"] = level.energy.read_pj;
  out["fill_pj"] = level.energy.fill_pj;
  out["update_pj"] = level.energy.update_pj;
  out["leak_pj_per_cycle"] = level.leak_pj_per_cycle;
  out["area_um2"] = level.area_um2;
  out["read_bandwidth"] = level.bandwidth.read;
  out["write_bandwidth"] = level.bandwidth.write;
  out["shared_bandwidth"] = level.bandwidth.shared;
  out["is_dram"] = level.is_dram;
  out["reduction"] = level.reduces();
  out["is_interconnect"] = level.is_interconnect;
  return out;
}

py::list levels_as_dicts(const Architecture& machine) {
  py::list out;
  for (auto level = machine.levels.rbegin(); level != machine.levels.rend(); ++level)
    out.append(storage_level_as_dict(*level));
  return out;
}

py::dict compute_units_as_dict(const Compute& compute) {
  py::dict out;
  out["name"] = compute.name;
  out["instances"] = compute.instances;
  out["word_bits"] = number_of(compute.word_bits);
  out["op_pj"] = compute.op_pj;
  out["area_um2"] = compute.area_um2;
  return out;
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
    py::dict tensor;
    tensor["name"] = workload.tensors[v].name;
    tensor["role"] = std::string(name(workload.tensors[v].role));
    tensor["words"] = workload.tensor_words(static_cast<int>(v));
    tensor["word_bits"] = number_of(workload.tensors[v].word_bits);
    out.append(tensor);
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
py::list edges_of(const Network& network) {
  py::list out;
  for (const Edge& e : network.edges) {
    const Workload& to = network.layers[e.to].workload;
    py::dict edge;
    edge["from"] = e.from_input ? network.inputs[e.from].name : network.layers[e.from].workload.name;
    edge["to"] = to.name;
    edge["tensor"] = to.tensors[e.tensor].name;
    edge["through"] = std::string(name(e.through.op));
    edge["combine"] = std::string(name(e.combine));
    edge["from_input"] = e.from_input;
    edge["repetitions"] = repeats_text(network, e);
    out.append(edge);
  }
  return out;
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
                               std::vector<std::shared_ptr<Workload>> out;
                               for (const Layer& layer : network.layers)
                                 out.push_back(std::make_shared<Workload>(layer.workload));
                               return out;
                             })
      .def_property_readonly("counts",
                             [](const Network& network) {
                               std::vector<u64> out;
                               for (const Layer& layer : network.layers) out.push_back(layer.count);
                               return out;
                             })
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
