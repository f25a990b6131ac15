#pragma once
// Numbers in the units that people use, read and written: rates, bandwidths and areas of machines; words and bytes of
// --word-size and --buffer, in options and in experiment files.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// The bandwidth of one instance of the level, "25.6 GB/s"; "" if the length of a cycle is not known.
std::string bandwidth_text(double words_per_cycle, const StorageLevel& level, const Architecture& architecture);

// What energy and cycles come to where the machine states the length of a cycle. An operation is a multiplication or an
// addition: two are a MAC.
struct Rates {
  double seconds = 0;
  double watts = 0;
  double tops = 0;           // 10^12 operations a second
  double tops_per_watt = 0;  // 10^12 operations a joule
  double per_second = 0;     // how often what takes this long can be done
};
struct Work {
  double picojoules = 0, cycles = 0, macs = 0;
};
std::optional<Rates> rates(const Work& work, const Architecture& architecture);

// "10.9 ms, 1.18 W, 0.332 TOPS, 0.281 TOPS/W", or what is missing.
std::string rates_text(const Work& work, const Architecture& architecture);
Json rates_json(const Work& work, const Architecture& architecture);  // "rates" of docs/json.md

// The machine's area in JSON; null: not known.
Json area_json(const Architecture& architecture);

// What has a part in the machine's area but states none: "GLB", "MAC". Outermost first, compute last. A DRAM is outside
// the chip, and a level that holds nothing is only a place of loops or a fan-out.
std::vector<std::string> parts_without_area(const Architecture& architecture);

// "2.13 mm2", "2.13 mm2 without MAC", or that it is not known and why.
std::string area_text(const Architecture& architecture);

// The dimensions above 1, "K64 C64 P56".
std::string sizes_text(const Workload& workload);

// Words and bytes in options and experiment files: --word-size and --buffer, for every command that takes them.

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
inline std::string bytes_text(u64 words, double word_bytes) {
  return heliolite::bytes_text(static_cast<double>(words) * word_bytes);
}

}  // namespace heliolite::cli
