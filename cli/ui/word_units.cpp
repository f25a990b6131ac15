#include "cli/ui/word_units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/base/text.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {

std::optional<double> parse_word_bytes(std::string_view text) {
  const std::optional<double> size = parse_number<double>(text);
  return size && *size >= kLeastWordBytes && *size <= kMostWordBytes ? size : std::nullopt;
}

Result<WordSizes> read_word_sizes(const std::vector<std::string>& texts) {
  WordSizes sizes;
  Diagnostics errors;
  for (const std::string& text : texts) {
    if (text.find('=') != std::string::npos) {
      sizes.of_tensor.push_back(text);
    } else if (const auto size = parse_word_bytes(text); size && !sizes.every) {
      sizes.every = size;
    } else {
      errors.push_back({"", 0, "--word-size",
                        size ? fmt::format("'{}' is a second size of every word", text)
                             : fmt::format("'{}' must be {}, or TENSOR=SIZE", text, kWordBytes)});
    }
  }
  if (sizes.every && !sizes.of_tensor.empty())
    errors.push_back({"", 0, "--word-size",
                      fmt::format("give one size of every word or sizes of tensors ({}), not both", texts.back())});
  if (!errors.empty()) return errors;
  return sizes;
}

Diagnostic second_word_size(const Workload& workload) {
  return {"", 0, "--word-size",
          fmt::format("{} states sizes of words ({}); leave out either --word-size or, with --word-bits none, these",
                      workload.name, word_bits_text(workload))};
}

std::optional<u64> parse_words(std::string_view text, double word_bytes) {
  if (const auto words = parse_number<u64>(text)) return *words <= kMaxCapacity ? words : std::nullopt;
  const std::optional<double> bytes = parse_bytes(text);
  const std::optional<double> number = bytes ? *bytes / word_bytes : parse_number<double>(text);
  if (!number || !(*number >= 0) || *number > static_cast<double>(kMaxCapacity)) return std::nullopt;
  if (!bytes && *number != std::floor(*number)) return std::nullopt;
  return static_cast<u64>(*number);
}

Result<std::vector<u64>> read_buffers(const std::vector<std::string>& texts, double word_bytes) {
  std::vector<u64> buffers;
  Diagnostics errors;
  for (const std::string& text : texts) {
    if (const auto words = parse_words(text, word_bytes)) {
      buffers.push_back(*words);
    } else {
      errors.push_back({"", 0, "--buffer",
                        fmt::format("'{}' must be {}, at most {} words", text, capacity_notation(), kMaxCapacity)});
    }
  }
  if (!errors.empty()) return errors;
  return buffers;
}

std::string capacity_notation() {
  return fmt::format("a whole number of words or bytes with their unit ({})", kByteUnits);
}

std::string bytes_text(u64 words, double word_bytes) {
  constexpr std::array<const char*, 4> kUnits{"B", "KiB", "MiB", "GiB"};
  double size = static_cast<double>(words) * word_bytes;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return fmt::format("{:.4g} {}", size, kUnits[unit]);
}

}  // namespace heliolite::cli
