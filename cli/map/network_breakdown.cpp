#include "cli/map/network_breakdown.h"

#include <fmt/format.h>

#include <cmath>

#include "arch/bandwidth_units.h"
#include "cli/ui/figures.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"

namespace heliolite::cli {

void NetworkBreakdown::add(const Breakdown& layer, u64 count) {
  const std::size_t depth = layer.level.size();
  if (levels.empty()) levels.resize(depth);
  const auto runs = static_cast<double>(count);
  for (std::size_t i = 0; i < depth; ++i) {
    const LevelBreakdown& from = layer.level[depth - 1 - i];
    LevelTotal& to = levels[i];
    to.name = from.name;
    to.leakage += from.leakage * count;
    to.network += from.network_energy() * count;
    to.accesses += from.access_energy() * count;
    for (std::size_t v = 0; v < from.tensor.size(); ++v) {
      const TensorTraffic& t = from.tensor[v];
      to.read += runs * from.level_words(v, static_cast<double>(t.all.reads));
      to.written += runs * from.level_words(v, static_cast<double>(t.all.fills) + static_cast<double>(t.all.updates));
    }
  }
  compute += layer.compute.energy * count;
  cycles += layer.cycles * count;
}

std::string network_breakdown_table(const NetworkBreakdown& b, const Architecture& architecture) {
  Energy total = b.compute;
  for (const LevelTotal& level : b.levels) total += level.energy();
  const double all = total.picojoules();
  const EnergyUnit unit = energy_unit(all);
  const auto part = [&](Energy e) { return e.units == 0 ? "" : unit(e.picojoules()); };
  const auto share = [&](Energy e) { return all > 0 ? percent(e.picojoules() / all) : ""; };
  Table table({"<level", fmt::format("accesses [{}]", unit.name), "network below", "leakage", "share", "words read",
               "words written", "words/cycle", "GB/s"});
  for (std::size_t i = 0; i < b.levels.size(); ++i) {
    const LevelTotal& level = b.levels[i];
    const StorageLevel& machine = architecture.levels[b.levels.size() - 1 - i];
    const double rate = (level.read + level.written) / static_cast<double>(b.cycles);
    const auto bits = static_cast<double>(machine.word_bits);
    table.row(
        {level.name, unit(level.accesses.picojoules()), part(level.network), part(level.leakage), share(level.energy()),
         count(std::round(level.read)), count(std::round(level.written)), fmt::format("{:.4g}", rate),
         architecture.cycle_ns ? fmt::format("{:.4g}", gigabytes_per_second(rate, bits, *architecture.cycle_ns)) : ""});
  }
  table.row({architecture.compute.name, unit(b.compute.picojoules()), "", "", share(b.compute)});
  return table.to_string() + "  Of all instances and runs; words/cycle: on average.\n";
}

Json network_breakdown_json(const NetworkBreakdown& b) {
  Json levels = Json::array();
  for (const LevelTotal& level : b.levels)
    levels.push_back({{"level", level.name},
                      {"energy_pj", level.energy().picojoules()},
                      {"accesses_pj", level.accesses.picojoules()},
                      {"network_pj", level.network.picojoules()},
                      {"leakage_pj", level.leakage.picojoules()},
                      {"words_read", level.read},
                      {"words_written", level.written}});
  return levels;
}

}  // namespace heliolite::cli
