#pragma once
// Models of a test as networks, and these as texts to compare.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/formats/onnx/import.h"
#include "tests/support/onnx_writer.h"
#include "workloads/workload_yaml.h"

namespace heliolite::onnx_models {

inline onnx::Options options(const std::string& text) {
  onnx::Options out;
  const Diagnostics errors = onnx::add_options(text, "options", out);
  EXPECT_EQ(to_string(errors), "");
  return out;
}

inline Result<onnx::Imported> import(const Model& model, const std::string& text = "",
                                     onnx::Merge merge = onnx::Merge::None) {
  return onnx::import_bytes(model.bytes(), "m.onnx", options(text), merge);
}

// "conv: {..} x4" of each layer.
inline std::vector<std::string> shapes(const Result<onnx::Imported>& imported) {
  if (!imported) return {to_string(imported.errors())};
  std::vector<std::string> out;
  for (const Layer& l : imported->network.layers)
    out.push_back(shape_text(l.workload) + (l.count == 1 ? "" : " x" + std::to_string(l.count)));
  return out;
}

inline std::string shape_of(const Model& model, const std::string& text = "") {
  const std::vector<std::string> all = shapes(import(model, text));
  return all.size() == 1 ? all[0] : std::to_string(all.size()) + " layers";
}

// "q>scores.B elementwise" of each edge.
inline std::vector<std::string> edges(const Network& network) {
  std::vector<std::string> out;
  for (const Edge& e : network.edges) {
    const Workload& to = network.layers[static_cast<std::size_t>(e.to)].workload;
    const std::size_t from = static_cast<std::size_t>(e.from);
    out.push_back((e.from_input ? "[" + network.inputs[from].name + "]" : network.layers[from].workload.name) + ">" +
                  to.name + "." + to.tensors[static_cast<std::size_t>(e.tensor)].name + " " +
                  std::string(name(e.through.op)) +
                  (e.combine == Combine::Alone ? "" : " " + std::string(name(e.combine))));
  }
  return out;
}

}  // namespace heliolite::onnx_models
