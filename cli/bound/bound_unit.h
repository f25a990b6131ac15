#pragma once
// In what an answer of heliolite bound counts: words, or bytes or bits where tensors state sizes of words.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "workloads/word_unit.h"

namespace heliolite::cli {

// --buffer and --word-size as they were given, for a question about a workload that may state sizes.
struct CapacityArguments {
  std::vector<std::string> written;     // the values of --buffer
  std::vector<u64> buffers;             // what they mean, in the answer's unit
  std::vector<std::string> word_sizes;  // "A=2"
  std::optional<double> word_bytes;     // bytes in a word of any tensor
  WordUnit unit{};                      // of the answer, where --word-size A=2 does not make it bytes

  CapacityArguments& capacities() { return *this; }
  const CapacityArguments& capacities() const { return *this; }
};

// Bytes in a unit, if they are known: words have those of --word-size.
std::optional<double> unit_bytes(const CapacityArguments& arguments, const WordUnit& unit);

// The workloads of an answer: `layer` if there is one, else those of all layers.
std::vector<const Workload*> asked_about(const Network& network, const Workload* layer);

// Finds the unit of an answer about these workloads and reads --buffer in it: plain numbers are units, "64KiB" bytes.
// Errors: those of word_unit(), where tensors without a size have words of the machine's outermost level; --word-size
// beside stated sizes; capacities that are too large.
Diagnostics set_unit(CapacityArguments& arguments, std::span<const Workload* const> workloads,
                     const std::optional<Architecture>& architecture);

}  // namespace heliolite::cli
