#pragma once
// Sizes of the words of tensors (docs/formats_workload.md): how files and users state them, and where they go.
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/base/yaml_node.h"
#include "engine/inputs/read_options.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace heliolite {

// How files name tensors: "all", a role (singular or plural, case ignored), or a tensor's name.

// How specifically a selector names the tensor: 0 not at all, 1 "all", 2 its role, 3 its name.
int specificity(const std::string& selector, const Tensor& tensor);

// Reads `word_bits: 8` or `word_bits: {weights: mxfp4, A: 8}`.
std::vector<TensorBits> read_word_bits(const YamlNode& node, Diagnostics& errors);

// Reads the value of --word-bits: "8", "weights=mxfp4,inputs=8", "types" or "none".
Result<WordBits> parse_word_bits(const std::string& text);

// Gives each tensor the size of the most specific selector that names it, the last of several; tensors that none names
// keep theirs. All accesses of a tensor have the size of its first. Complaints of selectors that name no tensor of any
// workload, each with its place in `sizes` as Diagnostic::line.
void set_word_bits(Workload& workload, std::span<const TensorBits> sizes);
Diagnostics unknown_tensors(std::span<const Workload* const> workloads, std::span<const TensorBits> sizes);

// Sets the sizes of words of a network as it was read, by what the user says. Errors: selectors of no tensor, sizes of
// tensors that are too large for them.
Diagnostics set_word_bits(Network& network, const WordBits& sizes);

bool states_word_bits(const Workload& workload);

// "A: 8, B: 4", tensors that state a size; empty if none does.
std::string word_bits_text(const Workload& workload);

// An error if the workload states sizes: `who` cannot count them.
Diagnostics refuse_word_bits(const Workload& workload, std::string_view who);
Diagnostics refuse_word_bits(const Network& network, std::string_view who);

// The unit in which an answer counts tensors whose words have sizes (docs/formats_workload.md): one for all workloads
// of the answer.

// A whole number of units is in each word. By default words: where no tensor states a size, all have one unit.
struct WordUnit {
  WordLength bits;                       // of the unit; 0: a word, whatever its size
  std::optional<WordLength> unstated{};  // of tensors that state no size; without it every tensor states one

  bool counts_words() const { return bits == WordLength(0); }
  std::string name() const;  // "words", "bytes", "bits", or parts of a bit: "0.25 bits"
  std::string one() const;   // "word", "byte", "bit", "0.25 bit"

  // Bytes in a unit; `word_bytes` for words.
  double bytes(double word_bytes) const { return counts_words() ? word_bytes : static_cast<double>(bits) / 8; }

  // [tensor]: units in one of its words; 1 beyond the last tensor. The workload is one of those asked about.
  using Sizes = std::array<u32, kMaxTensors>;
  Sizes sizes(const Workload& workload) const;

  bool operator==(const WordUnit&) const = default;
};

// The unit of an answer about these workloads: words if no tensor states a size, bytes if every size is a whole number
// of bytes, bits if it is one of bits, else the largest part of a bit of which it is. `unstated` are the bits of
// tensors that state none, such as those of a machine's words. Errors: without it, some tensors state a size and others
// do not.
Result<WordUnit> word_unit(std::span<const Workload* const> workloads, std::optional<WordLength> unstated = {});
Result<WordUnit> word_unit(const Workload& workload, std::optional<WordLength> unstated = {});
Result<WordUnit> word_unit(const Network& network, std::optional<WordLength> unstated = {});

}  // namespace heliolite
