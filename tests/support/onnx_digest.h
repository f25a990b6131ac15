#pragma once
// What the mutation test and the fuzzer do with bytes that may be a model, and models to begin with.
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/onnx/import.h"
#include "tests/support/onnx_models.h"
#include "workloads/workload_yaml.h"

namespace heliolite::onnx_models {

// Models that use most of the reader's ways; the transformer's open sizes are batch and seq.
inline std::vector<std::string> fuzz_seeds() {
  return {transformer(2, 8).bytes(),
          mixed().bytes(),
          conv({"1", "4", "6", "6", "6"}, {4, 2, 3, 3, 3}, {{"group", 2}, {"auto_pad", "SAME_LOWER"}}).bytes(),
          conv({"1", "4", "6", "6"}, {4, 2, 3, 3}, {{"strides", Sizes{2, 3}}}, "ConvTranspose").bytes(),
          attention("GroupQueryAttention", {{1, 2, 8}, {1, 2, 4}, {1, 2, 4}}, {{"num_heads", 4}, {"kv_num_heads", 2}})
              .bytes(),
          attention("MultiHeadAttention", {{1, 2, 8}, {1, 3, 2, 2, 4}}, {{"num_heads", 2}}).bytes(),
          attention("Attention", {{1, 2, 8}, {8, 24}, {}, {}, {2, 1, 2, 3, 4}}, {{"num_heads", 2}}).bytes(),
          attention("Attention", {{1, 4, 2, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}, {}, "").bytes(),
          product("Einsum", "a", {2, 3, 4}, "b", {4, 5}, {{"equation", "...ij,jk"}}).bytes()};
}

// Reads the bytes and does with the answer what commands do. What is wrong with a complaint; "": nothing.
inline std::string digest(std::string_view bytes) {
  onnx::Options options;
  options.dims = {{"batch", 2}, {"seq", 4}};
  options.skip_unknown = true;
  for (const bool sized : {true, false}) {
    if (!sized) options.dims.clear();
    const auto imported = onnx::import_bytes(bytes, "m.onnx", options, onnx::Merge::Blocks);
    if (imported && !imported->network.layers.empty()) write_network(imported->network, imported->sources);
    if (imported) continue;
    if (imported.errors().empty()) return "refused without a word";
    if (to_string(imported.errors()).size() >= 20'000) return "a complaint of 20,000 characters";
  }
  return "";
}

}  // namespace heliolite::onnx_models
