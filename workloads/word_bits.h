#pragma once
// Sizes of the words of tensors (docs/formats_workload.md): how files and users state them, and where they go.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/yaml_node.h"
#include "engine/inputs/word_bits.h"
#include "workloads/network.h"

namespace heliolite {

// Reads `word_bits: 8` or `word_bits: {weights: 4, A: 8}`.
std::vector<TensorBits> read_word_bits(const YamlNode& node, Diagnostics& errors);

// Reads the value of --word-bits: "8", "weights=4,inputs=8", "types" or "none".
Result<WordBits> parse_word_bits(const std::string& text);

// Gives each tensor the size of the most specific selector that names it, the last of several; tensors that none names
// keep theirs. All accesses of a tensor have the size of its first. Complaints of selectors that name no tensor of any
// workload, each with its place in `sizes` as Diagnostic::line.
void set_word_bits(Workload& workload, std::span<const TensorBits> sizes);
Diagnostics unknown_tensors(std::span<const Workload* const> workloads, std::span<const TensorBits> sizes);

// The same for a network as it was read, by what the user says. Errors: selectors of no tensor, sizes of tensors that
// are too large for them.
Diagnostics set_word_bits(Network& network, const WordBits& sizes);

bool states_word_bits(const Workload& workload);
bool states_word_bits(const Network& network);

// "A: 8, B: 4", tensors that state a size; empty if none does.
std::string word_bits_text(const Workload& workload);

// What one answer counts of words that have sizes, so that its numbers stay whole.
struct WordUnit {
  u64 bits = 0;       // in a unit: 8, or 1 where a size is no whole number of bytes; 0: words, no tensor states a size
  u64 otherwise = 0;  // bits of the words of a tensor that states no size; 0: there is none

  bool sized() const { return bits != 0; }
  std::string_view name() const;  // "bytes", "bits" or "words"

  // [tensor]: units in one of its words; 1 each if the unit is words.
  std::vector<u32> sizes(const Workload& workload) const;
};

// The unit of an answer about all of these workloads. `otherwise`: bits of the words of tensors that state no size, as
// a machine's levels have them. Error: some tensors state a size and one does not, with none in `otherwise`.
Result<WordUnit> word_unit(std::span<const Workload* const> workloads, u64 otherwise = 0);
Result<WordUnit> word_unit(const Workload& workload, u64 otherwise = 0);
Result<WordUnit> word_unit(const Network& network, u64 otherwise = 0);

// An error if the workload states sizes: `who` cannot count them.
Diagnostics refuse_word_bits(const Workload& workload, std::string_view who);
Diagnostics refuse_word_bits(const Network& network, std::string_view who);

}  // namespace heliolite
