// A mapping and its cost as tables: what `eval` and `explain` print.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "cli/map/cost_answer.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"
#include "cli/ui/units.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/model/keep.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {
namespace {

// "K 4, C 3 (last 2)", outermost first, of the mapping's loops [first, last) of this kind; "" without loops.
std::string loops_text(const Mapping& mapping, const Workload& workload, int first, int last, LoopKind kind) {
  std::vector<std::string> parts;
  for (int k = last; k-- > first;) {
    const Loop& loop = mapping.loop[k];
    if (loop.kind != kind) continue;
    const std::string& name = workload.dimensions[loop.dimension].name;
    parts.push_back(loop.is_perfect() ? fmt::format("{} {}", name, loop.end)
                                      : fmt::format("{} {} (last {})", name, loop.end, loop.residual));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

const char* counts_text(const Breakdown& b) {
  return b.counts == Counts::True ? "true: every word that moves (factors do not divide)"
                                  : "Timeloop's averages (factors do not divide; --counts true: every word that moves)";
}

Accesses<u64> one_instance(const TensorTraffic& t) {
  return {static_cast<u64>(t.reads), static_cast<u64>(t.fills), static_cast<u64>(t.updates)};
}

// Read from and written into one instance.
double words_moved(const LevelBreakdown& level) {
  double words = 0;
  for (std::size_t v = 0; v < level.tensor.size(); ++v) {
    const TensorTraffic& t = level.tensor[v];
    words += level.level_words(v, static_cast<double>(t.reads + t.fills + t.updates));
  }
  return words;
}

// "25.6", "" if the length of a cycle is not known.
std::string gigabytes_text(double words_per_cycle, const StorageLevel& level, const Architecture& architecture) {
  if (!architecture.cycle_ns) return "";
  return fmt::format(
      "{:.4g}", gigabytes_per_second(words_per_cycle, static_cast<double>(level.word_bits), *architecture.cycle_ns));
}

std::string share(double pj, double total) { return total > 0 ? percent(pj / total) : ""; }

}  // namespace

std::string summary_text(const Breakdown& b, const Workload& workload, const Architecture& architecture) {
  std::string text = fmt::format("{} on {}\n\n", workload.name, architecture.name);
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", name, value);
  };
  const double pj = b.energy.picojoules();
  line("energy", fmt::format("{}  ({:.10g} pJ)", energy(pj), pj));
  line("cycles", grouped(b.cycles));
  line("EDP", fmt::format("{:.6g} pJ x cycles", edp(b.energy, b.cycles)));
  line("utilization", fmt::format("{}  ({} of {} {} units in use)", percent(b.utilization), b.compute.utilized,
                                  b.compute.instances, b.compute.name));
  if (!b.divides) line("counts", counts_text(b));
  const auto cycles = static_cast<double>(b.cycles);
  line("rates", rates_text({pj, cycles, static_cast<double>(workload.macs())}, architecture));
  line("area", area_text(architecture));
  const bool product = workload.operation == Operation::Product && workload.operations == 1;
  const std::string each = fmt::format("({:.4g} pJ each)", pj / static_cast<double>(workload.macs()));
  if (product) line("MACs", fmt::format("{}  {}", grouped(workload.macs()), each));
  else
    line("points", fmt::format("{}  {}, of {} operation{} ({})", grouped(workload.macs()), each, workload.operations,
                               workload.operations == 1 ? "" : "s", name(workload.operation)));
  return text;
}

std::string nest_text(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  Table table({"<level", "<keeps", "<loops, outermost first", "<across X below", "<across Y below"});
  for (int i = mapping.level_count - 1; i >= 0; --i) {
    const std::vector<LevelPart> parts = parts_of(mapping, i);
    for (const LevelPart& part : parts) {
      std::vector<std::string> kept;
      for (const int v : bits(part.keep)) kept.push_back(workload.tensors[v].name);
      // The fan-out is below the innermost part.
      const int first = &part == &parts.back() ? first_loop(mapping, i) : part.first;
      table.row({architecture.levels[i].name, fmt::format("{}", fmt::join(kept, " ")),
                 loops_text(mapping, workload, first, part.last, LoopKind::Temporal),
                 loops_text(mapping, workload, first, part.last, LoopKind::SpatialX),
                 loops_text(mapping, workload, first, part.last, LoopKind::SpatialY)});
    }
  }
  return table.to_string();
}

namespace {

// Whether instances differ: tables then have the words of all, not of one.
bool counts_all_instances(const Breakdown& b) { return b.counts == Counts::True && !b.divides; }

// by level and tensor, with totals
std::string storage_table(const Breakdown& b, const Workload& workload) {
  const bool of_all = counts_all_instances(b);
  const double total = b.energy.picojoules();
  const EnergyUnit unit = energy_unit(total);
  Table table({"<level", "<tensor", "tile", "instances", "reads", "fills", "updates",
               fmt::format("energy [{}]", unit.name), "share"});
  Energy storage, network, leakage, addresses;
  for (auto level = b.level.rbegin(); level != b.level.rend(); ++level) {
    std::string name = level->name;
    network += level->network_energy();
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
      const TensorTraffic& t = level->tensor[v];
      addresses += t.address_generation_energy;
      if (!t.counted()) continue;
      storage += t.energy;
      const Accesses<u64> words = of_all ? t.all : one_instance(t);
      table.row({std::exchange(name, ""), workload.tensors[v].name, t.kept ? grouped(t.tile_words) : "",
                 grouped(t.instances), grouped(words.reads), t.kept ? grouped(words.fills) : "", grouped(words.updates),
                 unit(t.energy.picojoules()), share(t.energy.picojoules(), total)});
    }
    leakage += level->leakage;
  }
  table.rule();
  const auto part = [&](const char* what, Energy e, bool always) {
    if (always || e.units != 0)
      table.row({what, "", "", "", "", "", "", unit(e.picojoules()), share(e.picojoules(), total)});
  };
  part("storage", storage, true);
  part("address generation", addresses, false);
  part("networks", network, false);
  part("leakage", leakage, false);
  part(b.compute.name.c_str(), b.compute.energy, true);
  table.rule();
  part("total", b.energy, true);
  // What flows whether anything happens or not, and what it does not.
  part("dynamic", {b.energy.units - leakage.units}, leakage.units != 0);
  part("static (leakage)", leakage, false);
  if (!states_word_bits(workload)) return table.to_string();
  return table.to_string() + fmt::format("  Words of these bits: {}.\n", word_bits_text(workload));
}

// The words of levels with several instances, those of the instance that has most.
std::string busiest_table(const Breakdown& b, const Workload& workload) {
  Table table({"<level", "<tensor", "instances", "reads", "fills", "updates"});
  for (auto level = b.level.rbegin(); level != b.level.rend(); ++level) {
    std::string name = level->name;
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
      const TensorTraffic& t = level->tensor[v];
      if (!t.counted() || t.instances == 1) continue;
      const Accesses<u64> words = one_instance(t);
      table.row({std::exchange(name, ""), workload.tensors[v].name, grouped(t.instances), grouped(words.reads),
                 grouped(words.fills), grouped(words.updates)});
    }
  }
  return table.to_string();
}

std::string time_table(const Breakdown& b, const Architecture& architecture) {
  const EnergyUnit unit = energy_unit(b.energy.picojoules());
  Table table({"<level", "words used", "capacity", "room used", "words/cycle", "GB/s", "cycles", "<",
               fmt::format("leakage [{}]", unit.name)});
  // A level waits for the compute units unless its bandwidth asks for more cycles.
  const auto limit = [&](u64 cycles) {
    return cycles == b.cycles && cycles > b.cycles_of_units() ? "sets the pace" : "";
  };
  for (auto level = b.level.rbegin(); level != b.level.rend(); ++level) {
    const bool bounded = level->capacity_words != 0;
    const StorageLevel& machine = architecture.levels[b.level.rend() - level - 1];
    const double rate = words_moved(*level) / static_cast<double>(b.cycles);
    const bool holds = !machine.is_interconnect;
    table.row(
        {level->name, holds ? grouped(level->used_words) : "",
         !holds    ? ""
         : bounded ? grouped(level->capacity_words)
                   : "unbounded",
         bounded ? percent(static_cast<double>(level->used_words) / static_cast<double>(level->capacity_words)) : "",
         fmt::format("{:.4g}", rate), gigabytes_text(rate, machine, architecture), grouped(level->cycles),
         limit(level->cycles), level->leakage.units != 0 ? unit(level->leakage.picojoules()) : ""});
  }
  table.row({b.compute.name, "", "", "", "", "", grouped(b.compute.cycles),
             b.cycles_of_units() == b.cycles ? "sets the pace" : "", ""});
  if (!b.ramps) return table.to_string();
  return table.to_string() + fmt::format(
                                 "  Ramps: {} cycles until the first tiles are in, {} until the last outputs are "
                                 "out, before and after those of {}.\n",
                                 grouped(b.ramps->fill), grouped(b.ramps->drain), b.compute.name);
}

// Cycles, room and mean bandwidth by level.
std::string network_table(const Breakdown& b, const Workload& workload) {
  const EnergyUnit unit = energy_unit(b.energy.picojoules());
  bool any_peers = false;
  for (const LevelBreakdown& level : b.level)
    for (const NetworkTraffic& n : level.network) any_peers |= n.peer_words > 0;
  std::vector<std::string> header{"<from -> to", "<tensor", "fan-out", "words in", "<multicast", "reductions", "hops"};
  if (any_peers) header.emplace_back(kPeerChannel.column);
  header.push_back(fmt::format("energy [{}]", unit.name));
  Table table(header);
  const bool of_all = counts_all_instances(b);
  for (std::size_t i = b.level.size(); i-- > 0;) {
    const LevelBreakdown& level = b.level[i];
    std::string name = fmt::format("{} -> {}", level.name, i == 0 ? b.compute.name : b.level[i - 1].name);
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
      const NetworkTraffic& n = level.network[v];
      if (n.ingresses == 0 && n.energy.units == 0 && n.peer_words == 0) continue;
      std::vector<std::string> groups;
      for (const MulticastRecord& m : n.multicast)
        groups.push_back(of_all ? fmt::format("to {}", m.multicast) : fmt::format("{} to {}", m.groups, m.multicast));
      std::vector<std::string> row{std::exchange(name, ""),
                                   workload.tensors[v].name,
                                   grouped(n.fanout),
                                   count(of_all ? n.all_ingresses : n.ingresses),
                                   n.fanout > 1 ? fmt::format("{}", fmt::join(groups, ", ")) : "",
                                   n.spatial_reductions != 0 ? grouped(n.spatial_reductions) : "",
                                   n.hops > 0 ? fmt::format("{:.4g}", n.hops) : ""};
      if (any_peers) row.push_back(n.peer_words > 0 ? count(n.peer_words) : "");
      row.push_back(n.energy.units != 0 ? unit(n.energy.picojoules()) : "");
      table.row(row);
    }
  }
  return table.to_string();
}

}  // namespace

std::string traffic_tables(const Breakdown& b, const Workload& workload, const Architecture& architecture) {
  const bool of_all = counts_all_instances(b);
  std::string text =
      of_all ? "\nStorage: words and energy of all instances\n" : "\nStorage: words of one instance, energy of all\n";
  text += storage_table(b, workload);
  if (of_all) text += "\nBusiest instances: words of the one with most of each\n" + busiest_table(b, workload);
  text += "\nTime and room, one instance\n" + time_table(b, architecture);
  text += of_all ? "\nNetworks: words of all senders\n" : "\nNetworks: words of one sender\n";
  return text + network_table(b, workload);
}

}  // namespace heliolite::cli
