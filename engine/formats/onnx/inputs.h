#pragma once
// The inputs of a model: their shapes, with the sizes that the user gives.
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/formats/onnx/call.h"
#include "engine/formats/onnx/proto.h"

namespace heliolite::onnx {

// What a user says about an ONNX file besides its name.

// Which equal layers become one with a count.
enum class Merge : u8 {
  None,    // a layer for each node, all edges
  Blocks,  // runs of equal blocks of layers become one block, with the edges in it
  Shapes,  // all equal layers, without edges
};

inline constexpr std::array<std::string_view, 3> kMergeNames{"none", "blocks", "shapes"};  // [Merge]

struct Options {
  std::map<std::string, i64> dims;    // ["batch" or "input:0"]: the size
  std::map<std::string, i64> values;  // [input]: what it holds, for small integer inputs that a shape depends on
  std::optional<Merge> merge;         // none given: whoever asks decides
  // Operators that pass the shape of their first input on: "my.domain::Op", or "Op" of whatever domain.
  std::set<std::string> elementwise{};
  bool types = false;         // tensors' words have the sizes of their elements
  bool skip_unknown = false;  // leave out nodes that are refused instead of failing
  // Keys of options that are meant for other models too: those that this one has no use for are added to `lacked`.
  std::set<std::string> optional{};
  std::set<std::string>* lacked = nullptr;
};

// What an option is about: "batch", "value:sr", "elementwise=my.domain::Op", "merge", "skip-unknown".
std::string option_key(std::string_view option);

// Adds what a comma-separated text says: "batch=1,seq=128,x:0=4" sizes, "merge=blocks", "value:sr=16000",
// "elementwise=my.domain::Op", "skip-unknown". `file` is for complaints.
Diagnostics add_options(std::string_view text, const std::string& file, Options& options);

// The inputs of the graph that are no constants. Complains about sizes that are missing (all of them, with an option to
// copy), that contradict the file, and about names in `options` that the file does not have.
Result<std::vector<TensorFacts>> model_inputs(const Graph& graph, const Options& options, const std::string& file);

// The size of the dimension that the file leaves open and calls N, or something with "batch"; 1 if there is none, or if
// several of different sizes are called so.
u64 batch_of(const Graph& graph, const Options& options);

// The shape that the file states for a tensor, where the options know its names; none if a size stays unknown.
std::optional<Shape> declared_shape(const ValueInfo& info, const Options& options);

}  // namespace heliolite::onnx
