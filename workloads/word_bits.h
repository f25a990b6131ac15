#pragma once
// Sizes of the words of tensors (docs/formats_workload.md): how files and users state them, and where they go.
#include <span>
#include <string>
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

// An error if the workload states sizes: `who` cannot count them.
Diagnostics refuse_word_bits(const Workload& workload, std::string_view who);
Diagnostics refuse_word_bits(const Network& network, std::string_view who);

}  // namespace heliolite
