#include "cli/bound/bound_unit.h"

#include <algorithm>

#include "cli/ui/units.h"
#include "engine/model/running_units.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {

std::optional<double> unit_bytes(const CapacityArguments& arguments, const WordUnit& unit) {
  return unit.counts_words() ? arguments.word_bytes : std::optional(unit.bytes(1));
}

std::vector<const Workload*> asked_about(const Network& network, const Workload* layer) {
  if (layer != nullptr) return {layer};
  std::vector<const Workload*> all;
  for (const Layer& each : network.layers) all.push_back(&each.workload);
  return all;
}

Diagnostics set_unit(CapacityArguments& arguments, std::span<const Workload* const> workloads,
                     const std::optional<Architecture>& architecture) {
  for (const Workload* workload : workloads)
    if (architecture)
      if (const auto chain = chain_that_runs(*workload, *architecture); !chain) return chain.errors();
  const Result<WordUnit> unit =
      word_unit(workloads, architecture ? std::optional(architecture->levels.back().word_bits) : std::nullopt);
  if (!unit) return unit.errors();
  arguments.unit = *unit;
  if (unit->counts_words()) return {};
  if (arguments.word_bytes || !arguments.word_sizes.empty()) {
    return {
        second_word_size(**std::ranges::find_if(workloads, [](const Workload* w) { return states_word_bits(*w); }))};
  }
  Result<std::vector<u64>> buffers = read_buffers(arguments.written, unit->bytes(1));
  if (!buffers) return buffers.errors();
  arguments.buffers = *std::move(buffers);
  return {};
}

}  // namespace heliolite::cli
