#include "cli/ui/units.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/model/keep.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {
std::string bandwidth_text(double words_per_cycle, const StorageLevel& level, const Architecture& architecture) {
  if (!architecture.cycle_ns) return "";
  const double rate =
      gigabytes_per_second(words_per_cycle, static_cast<double>(level.word_bits), *architecture.cycle_ns);
  return fmt::format("{:.4g} GB/s", rate);
}

std::optional<Rates> rates(const Work& work, const Architecture& architecture) {
  if (!architecture.cycle_ns || work.cycles <= 0 || work.picojoules <= 0) return std::nullopt;
  const double seconds = work.cycles * *architecture.cycle_ns * 1e-9, joules = work.picojoules * 1e-12;
  const double tera_operations = 2 * work.macs * 1e-12;
  return Rates{.seconds = seconds,
               .watts = joules / seconds,
               .tops = tera_operations / seconds,
               .tops_per_watt = tera_operations / joules,
               .per_second = 1 / seconds};
}

std::string rates_text(const Work& work, const Architecture& architecture) {
  const std::optional<Rates> r = rates(work, architecture);
  if (!r) return "seconds, W and TOPS are not known: the machine states no cycle_ns";
  return fmt::format("{}, {}, {:.4g} TOPS, {:.4g} TOPS/W", with_prefix(r->seconds, "s"), with_prefix(r->watts, "W"),
                     r->tops, r->tops_per_watt);
}

Json rates_json(const Work& work, const Architecture& architecture) {
  const std::optional<Rates> r = rates(work, architecture);
  if (!r) return nullptr;
  return {{"seconds", r->seconds},
          {"watts", r->watts},
          {"tops", r->tops},
          {"tops_per_watt", r->tops_per_watt},
          {"per_second", r->per_second}};
}

Json area_json(const Architecture& architecture) {
  const double area = architecture.area_um2();
  return area > 0 ? Json(area) : Json();
}

std::vector<std::string> parts_without_area(const Architecture& architecture) {
  std::vector<std::string> parts;
  for (auto level = architecture.levels.rbegin(); level != architecture.levels.rend(); ++level)
    if (!level->is_dram && level->area_um2 == 0 && !holds_nothing(*level)) parts.push_back(level->name);
  if (architecture.compute.area_um2 == 0) parts.push_back(architecture.compute.name);
  return parts;
}

std::string area_text(const Architecture& architecture) {
  const double um2 = architecture.area_um2();
  if (um2 == 0) return "unknown: its energies come without areas (energy: table has them)";
  const std::string known = fmt::format("{:.4g} mm2", um2 * 1e-6);
  const std::vector<std::string> without = parts_without_area(architecture);
  return without.empty() ? known : fmt::format("{} without {}, whose area is not stated", known, join(without));
}

std::string sizes_text(const Workload& workload) {
  std::vector<std::string> parts;
  for (const Dimension& d : workload.dimensions)
    if (d.size > 1) parts.push_back(fmt::format("{}{}", d.name, d.size));
  return fmt::format("{}", fmt::join(parts, " "));
}

std::optional<double> parse_word_bytes(std::string_view text) {
  const std::optional<double> size = parse_number<double>(text);
  return size && *size >= kLeastWordBytes && *size <= kMostWordBytes ? size : std::nullopt;
}

Result<WordSizes> read_word_sizes(const std::vector<std::string>& texts) {
  WordSizes sizes;
  Diagnostics errors;
  for (const std::string& text : texts) {
    if (text.find('=') != std::string::npos) sizes.of_tensor.push_back(text);
    else if (const auto size = parse_word_bytes(text); size && !sizes.every) sizes.every = size;
    else
      errors.push_back({"", 0, "--word-size",
                        size ? fmt::format("'{}' is a second size of every word", text)
                             : fmt::format("'{}' must be {}, or TENSOR=SIZE", text, kWordBytes)});
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
    if (const auto words = parse_words(text, word_bytes)) buffers.push_back(*words);
    else
      errors.push_back({"", 0, "--buffer",
                        fmt::format("'{}' must be {}, at most {} words", text, capacity_notation(), kMaxCapacity)});
  }
  if (!errors.empty()) return errors;
  return buffers;
}

std::string capacity_notation() {
  return fmt::format("a whole number of words or bytes with their unit ({})", kByteUnits);
}

}  // namespace heliolite::cli
