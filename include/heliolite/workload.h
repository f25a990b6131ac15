#pragma once
// What is to be computed: Einsums, and networks of them.
//
//   auto resnet = heliolite::load_network("resnet18");           // a preset, a file of ours, of Timeloop, of ONNX, ..
//   auto gemm = heliolite::load_network("gemm:512x512x512");     // .. or text
//   auto einsum = heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=128");
//   if (!resnet) std::puts(to_string(resnet.errors()).c_str());  // file, line, field, what is allowed
//   else std::printf("%zu layers, %llu MACs\n", resnet->layers().size(), (unsigned long long)resnet->macs());
#include <heliolite/read_options.h>  // IWYU pragma: export
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heliolite::api {

struct WorkloadState;
struct NetworkState;

struct Dimension {
  std::string name;
  std::uint64_t size = 1;  // iterations
};

// coefficient * dimension, a summand of a rank.
struct Term {
  std::string dimension;
  std::uint64_t coefficient = 1;
};

// A coordinate of a tensor: the sum of its terms, as in 2*p + r.
using Rank = std::vector<Term>;

// One operand or the output of an Einsum.
struct Tensor {
  std::string name;
  std::vector<Rank> ranks;
  // What it is to a machine whose buffers keep "weights": "input", "weight" or "output". Exactly one is the output;
  // empty: an operand, of which one becomes the weight if none is.
  std::string role{};
  // Bits of one value, a fraction (4.25) where blocks of values share a scale; none: each is a word of the level that
  // holds it.
  std::optional<double> word_bits{};
};

// A sum of products over all iterations of the dimensions. A dimension that does not index the output is reduced.
// Operands of equal names are several accesses of one tensor.
struct Einsum {
  std::string name;
  std::vector<Dimension> dimensions;
  std::vector<Tensor> tensors;
};

// An Einsum that was checked. Copies share it; it never changes.
class Workload {
 public:
  // Errors: names that no dimension has, roles that there are not, sizes out of range, a dimension that indexes no
  // tensor, no output or several.
  static Result<Workload> create(const Einsum& einsum);

  const std::string& name() const;
  Einsum einsum() const;                          // with all roles
  std::uint64_t macs() const;                     // multiply-accumulates of one execution
  std::uint64_t words(std::size_t tensor) const;  // of a tensor of einsum(): the box that its ranks span
  std::string yaml() const;                       // the text of a file of ours

 private:
  friend struct Inside;
  explicit Workload(std::shared_ptr<const WorkloadState> state) : state_(std::move(state)) {}
  std::shared_ptr<const WorkloadState> state_;
};

// An Einsum, which gives the layer its name, and how often its network executes it.
struct Layer {
  Workload workload;
  std::uint64_t count = 1;
};

// Layers, and which of their tensors are one array, as far as the file says so. Copies share it; it never changes.
class Network {
 public:
  // Layers that pass nothing to each other. Errors: no layer, two of one name, a count that is 0 or too large.
  static Result<Network> create(const std::string& name, const std::vector<Layer>& layers);

  const std::string& name() const;
  std::vector<Layer> layers() const;
  std::optional<Layer> find(std::string_view layer) const;  // by its name
  std::uint64_t macs() const;                               // of all layers, repeats included
  std::uint64_t batch() const;                              // inputs that one run works on
  std::optional<std::uint64_t> inferences() const;          // in one run of all layers; none: the file does not say
  std::optional<double> tokens() const;                     // of a language model, made or read in one run
  const std::vector<std::string>& notes() const;            // what of its file was read otherwise than it is written
  std::string yaml() const;                                 // the text of a file of ours

 private:
  friend struct Inside;
  explicit Network(std::shared_ptr<const NetworkState> state) : state_(std::move(state)) {}
  std::shared_ptr<const NetworkState> state_;
};

// The network that -w of the program would name: a file, text ("gemm:512x512x512", "conv:..", an Einsum with sizes) or
// a preset. A single Einsum becomes a network of one layer. Errors have file and line; all of a file come at once.
Result<Network> load_network(const std::string& what, const ReadOptions& options = {});
// The network of a text that a file could hold. `file` stands for the file in errors; without a key `name` the network
// has its name.
Result<Network> parse_network(std::string_view text, const std::string& file);
// An Einsum as text. Errors name the column.
Result<Workload> parse_einsum(std::string_view text);
// The names of the presets, sorted.
std::vector<std::string> workload_presets();

}  // namespace heliolite::api
