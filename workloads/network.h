#pragma once
// A network is a list of workloads with repeat counts, and which arrays their operands are: what one layer makes for
// another, and arrays from outside that several layers read. docs/formats_workload.md describes the file.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/named.h"
#include "engine/base/result.h"
#include "workloads/workload.h"

namespace heliolite {

// A workload with its repeat count.
struct Layer {
  Workload workload;  // its name is the layer's name
  u64 count = 1;      // how often the network executes it
};

// An array from outside that operands are known to read. An operand without an edge is an array of its own.
struct Input {
  std::string name;
  u64 words = 0;                 // that its smallest reader takes
  bool same_in_repeats = false;  // one array however often its readers are executed; else one for each repetition
};

// What happens to a tensor on an edge. It moves no words of its own: it is merged with its neighbours.
enum class Operator : u8 {
  None,
  Elementwise,  // activation, normalisation by known factors
  Softmax,      // needs the whole row, unless it is computed incrementally
  Norm,         // needs the whole row, once (layer normalisation)
  Pool,         // one word of a window of lines and columns
  Resize,       // lines and columns repeated, or interpolated
};

constexpr ValueNames<6> value_names(Operator) { return {"none", "elementwise", "softmax", "norm", "pool", "resize"}; }

// The operator on an edge.
struct Through {
  Operator op = Operator::None;
  u32 ranks = 0;               // Pool, Resize: mask of the ranks that they work on, of what the edge comes from
  u64 window = 1, stride = 1;  // Pool: in each of these ranks
  std::optional<u64> pad{};    // Pool: border on either side, below `window`; unknown if absent
  u64 factor = 1;              // Resize: in each of these ranks
};

// How the edges into one operand make it together.
enum class Combine : u8 {
  Alone,     // there is only one edge
  Add,       // residual
  Multiply,  // gate
  Concat,    // each is a part of it
};

constexpr ValueNames<4> value_names(Combine) { return {"alone", "add", "multiply", "concat"}; }

// The part of an output with `words` positions of one rank, from `from` on.
struct Slice {
  int rank = 0;
  u64 from = 0, words = 0;

  bool operator==(const Slice&) const = default;
};

// Dimensions of the maker and of the reader that correspond; a list is flattened, the outermost first. Of an input the
// maker is its first reader (workloads/edge_ranks.h).
struct RankPair {
  std::vector<int> maker, reader;

  auto operator<=>(const RankPair&) const = default;
};

// Which ranks of an edge correspond, as far as it is stated: all of them or, without a pair, that they do not.
struct StatedRanks {
  bool stated = false;  // else by their sizes
  std::vector<RankPair> pairs{};

  auto operator<=>(const StatedRanks&) const = default;
};

// The tensor `tensor` of layer `to` is, or is made of, the output of layer `from` or an input.
struct Edge {
  int from = 0;  // a layer; with from_input an index into Network::inputs
  int to = 0;
  int tensor = 0;
  Through through{};
  Combine combine = Combine::Alone;
  int along = 0;                 // Concat: the rank of the tensor along which the parts lie
  std::optional<Slice> slice{};  // of the layer's output
  bool from_input = false;
  // Where one layer is executed a multiple as often as the other, by the words of both ends (Repeats).
  u64 outputs = 1;  // how many outputs of consecutive repetitions, one after the other, the operand is
  u64 shares = 1;   // among how many consecutive repetitions of the reader an output is divided
  StatedRanks ranks{};
};

// Whether the operand takes what the edge brings as it is, position by position, alone or with others.
bool reads_whole(const Edge& edge);

// The whole network; layers and inputs are named by their indices.
struct Network {
  std::string name;
  std::vector<Layer> layers;
  // No cycles. Edges into one tensor have the same `combine`. Of the counts of an edge's layers one is a multiple of
  // the other (equal, unless the edge alone and unsliced is the operand), and all readers of an input have equal counts
  // unless it is the same in all repeats.
  std::vector<Edge> edges{};
  std::vector<Input> inputs{};
  u64 batch = 1;  // inputs that one run works on, as far as the file or its options say so
  // What one run is, if it is no inference for each input of the batch: "one of the 32 blocks of Llama 3 8B". Empty: an
  // inference, as far as the file says.
  std::string one_run{};
  std::optional<u64> tokens{};       // of a language model: those that it makes or reads for one input of the batch
  std::vector<std::string> notes{};  // what of its file was read otherwise than it is written

  u64 macs() const;  // of all layers, repeats included
  u64 runs() const;  // of all layers, repeats included
  // In one run of all its layers; none of a single layer, or where a run is none, or the file does not say.
  std::optional<u64> inferences() const;
  std::optional<double> run_tokens() const;
};

// What every answer about the mappings of a network's layers has to say, in one line, with the name of the machine's
// outermost memory; empty for a single layer.
std::string layers_alone_note(const Network& network, std::string_view outermost);
std::string layers_alone_note(std::string_view outermost);

// How the repetitions of an edge's two layers belong together (docs/formats_workload.md).
enum class Repeats : u8 {
  Each,    // repetition i feeds repetition i; also what comes from an input
  Last,    // the last of some repetitions feeds one of the reader's
  Joined,  // all outputs of some repetitions together are the operand of one
  Shared,  // one repetition feeds several, each with its whole output
  Divided  // one repetition feeds several, each with its share
};

Repeats repeats(const Network& network, const Edge& edge);

// "", or how many: "last of 4", "4 joined", "1 for 4", "shared out to 4".
std::string repeats_text(const Network& network, const Edge& edge);

// Other names for the dimensions of a network's layers.

struct Rename;  // engine/inputs/read_options.h

// "K=M,C=K": K becomes M and C becomes K, all at once.
Result<std::vector<Rename>> parse_renames(const std::string& text);

// Renames the dimensions of a layer. Error, without a place, if two would have one name; then nothing is changed.
Diagnostics rename_dimensions(Workload& workload, std::span<const Rename> renames);

// Renames dimensions of all layers that have them; a name that no layer has is an error.
Diagnostics rename_dimensions(Network& network, std::span<const Rename> renames);

}  // namespace heliolite
