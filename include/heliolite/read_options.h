#pragma once
// How files of machines and workloads are read: what the options --define, --sparse, --rename, --link-transfers,
// --word-bits and those of ONNX models say on the command line (docs/commands.md).
//
//   heliolite::ReadOptions options;
//   options.word_bits = "weights=4,inputs=8";
//   options.model = {"batch=1"};                // for load_network("model.onnx", options)
#include <heliolite/result.h>  // IWYU pragma: export
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heliolite::api {

// What is not set is as the files say. A text that is not allowed is an error of the function that reads.
struct ReadOptions {
  std::map<std::string, std::string> defines{};  // values of names in templates, {{NAME}}
  bool ignore_sparse = false;                    // sparse machines and problems are read as dense ones, with notes
  std::string rename{};                          // other names for dimensions of workloads: "P=OX,K=M"
  std::optional<bool> link_transfers{};          // whether units of a machine take words from neighbours
  std::string
      word_bits{};  // bits of the words of tensors: "8", "weights=mxfp4,A=8", "types" (of an ONNX model) or "none"
  // ONNX models: options, each as it stands behind '@' of a workload's name: "batch=1", "value:sr=16000",
  // "skip-unknown".
  std::vector<std::string> model{};
  bool edges =
      false;  // of ONNX models: each layer with its edges, which map_fused() needs, in place of each shape once
};

}  // namespace heliolite::api
