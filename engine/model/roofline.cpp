#include "engine/model/roofline.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/named.h"

namespace heliolite {
namespace {

// Words a cycle of one instance, both ways together.
std::optional<double> ports_together(const Bandwidth& rate) {
  std::optional<double> both;
  if (rate.read && rate.write) both = *rate.read + *rate.write;
  if (rate.shared) both = both ? std::min(*both, *rate.shared) : *rate.shared;
  return both;
}

RooflineLevel roofline_level(const StorageLevel& machine, const LevelBreakdown& level) {
  const double word_bytes = static_cast<double>(machine.word_bits) / 8;
  RooflineLevel out{level.name, 0, std::nullopt, level.cycles};
  for (std::size_t v = 0; v < level.tensor.size(); ++v) {
    const Accesses<u64>& all = level.tensor[v].all;
    const double words =
        static_cast<double>(all.reads) + static_cast<double>(all.fills) + static_cast<double>(all.updates);
    out.bytes += level.level_words(v, words) * word_bytes;
  }
  if (const std::optional<double> words = ports_together(machine.bandwidth))
    out.bytes_per_cycle = *words * static_cast<double>(machine.instances) * word_bytes;
  return out;
}

}  // namespace

const RooflineLevel* Roofline::level(std::string_view name) const { return find_row(levels, name); }

double Roofline::reached() const { return cycles > 0 ? operations / static_cast<double>(cycles) : 0; }

std::optional<double> Roofline::intensity(const RooflineLevel& l) const {
  return l.bytes > 0 ? std::optional(operations / l.bytes) : std::nullopt;
}

std::optional<double> Roofline::roof(const RooflineLevel& l) const {
  return l.cycles > 0 ? std::optional(operations / static_cast<double>(l.cycles)) : std::nullopt;
}

std::string Roofline::limit() const {
  const auto slowest = std::ranges::max_element(levels, {}, &RooflineLevel::cycles);
  return slowest != levels.end() && slowest->cycles > compute_cycles ? slowest->name : "";
}

std::string Roofline::limit_text() const {
  if (const std::string level = limit(); !level.empty()) return level;
  return units_at_work == units ? "compute units"
                                : fmt::format("compute units ({} of {} at work)", units_at_work, units);
}

Roofline roofline(const Architecture& chain, const Breakdown& breakdown) {
  Roofline out;
  out.operations = static_cast<double>(breakdown.compute.computes);
  out.units = chain.compute.instances;
  out.units_at_work = breakdown.compute.utilized;
  out.operations_per_cycle = static_cast<double>(out.units);
  out.cycles = breakdown.cycles;
  out.compute_cycles = breakdown.cycles_of_units();
  for (std::size_t i = breakdown.level.size(); i-- > 0;)
    out.levels.push_back(roofline_level(chain.levels[i], breakdown.level[i]));
  return out;
}

}  // namespace heliolite
