#pragma once
// Words and bytes in options and experiment files: --word-size and --buffer, for every command that takes them.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// The values of --word-size: bytes in every word ("2"), or bytes in the words of one tensor each ("A=2").
struct WordSizes {
  std::optional<double> every;         // bytes in a word of any tensor; counts stay words
  std::vector<std::string> of_tensor;  // "A=2": counts are then in the unit of these sizes
};
// Errors: no such size, both forms together.
Result<WordSizes> read_word_sizes(const std::vector<std::string>& texts);

// The error of --word-size for a workload that states sizes of words itself.
Diagnostic second_word_size(const Workload& workload);

// The text as bytes in a word, from 1/8 to 64; nothing for anything else.
std::optional<double> parse_word_bytes(std::string_view text);
inline constexpr double kLeastWordBytes = 0.125, kMostWordBytes = 64;
inline constexpr std::string_view kWordBytes = "bytes in a word, from 0.125 to 64";  // for messages

// A capacity in words: "4096" and "50e6" are words, "50 MiB" bytes, of which `word_bytes` make a word (rounded down).
// Nothing for anything else, or more than kMaxCapacity.
std::optional<u64> parse_words(std::string_view text, double word_bytes);
inline constexpr u64 kMaxCapacity = u64{1} << 53;
std::string capacity_notation();  // for messages

// All values of --buffer as capacities in words. Errors: what parse_words() does not take.
Result<std::vector<u64>> read_buffers(const std::vector<std::string>& texts, double word_bytes);

// The bytes of `words` words of this size as text: "50 MiB", "1.5 KiB", "100 B".
std::string bytes_text(u64 words, double word_bytes);

}  // namespace heliolite::cli
