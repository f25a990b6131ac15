#pragma once
// The unit in which an answer counts tensors whose words have sizes (docs/formats_workload.md): one for all workloads
// of the answer.
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "workloads/network.h"

namespace heliolite {

// A whole number of units is in each word. By default words: where no tensor states a size, all have one unit.
struct WordUnit {
  u64 bits = 0;                   // of the unit; 0: a word, whatever its size
  std::optional<u64> unstated{};  // bits of the words of tensors that state none; without it every tensor states some

  bool counts_words() const { return bits == 0; }
  std::string_view name() const;  // "words", "bytes" or "bits"
  std::string_view one() const;   // "word", "byte" or "bit"

  // Bytes in a unit; `word_bytes` for words.
  double bytes(double word_bytes) const { return counts_words() ? word_bytes : static_cast<double>(bits) / 8; }

  // [tensor]: units in one of its words; 1 beyond the last tensor. The workload is one of those asked about.
  using Sizes = std::array<u32, kMaxTensors>;
  Sizes sizes(const Workload& workload) const;

  bool operator==(const WordUnit&) const = default;
};

// The unit of an answer about these workloads: words if no tensor states a size, bytes if every size is a whole number
// of bytes, else bits. `unstated` are the bits of tensors that state none, such as those of a machine's words. Errors:
// without it, some tensors state a size and others do not.
Result<WordUnit> word_unit(std::span<const Workload* const> workloads, std::optional<u64> unstated = {});
Result<WordUnit> word_unit(const Workload& workload, std::optional<u64> unstated = {});
Result<WordUnit> word_unit(const Network& network, std::optional<u64> unstated = {});

}  // namespace heliolite
