// A machine as tables and as JSON: every number that its file, or the tables it names, come to, with where it comes
// from.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "arch/architecture_spec.h"
#include "arch/cost_resolver.h"
#include "cli/show/show_parts.h"
#include "cli/ui/table.h"
#include "cli/ui/units.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/keep.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

struct ResolvedNumber {
  std::string of;    // the level or the compute units; "" = the machine
  std::string key;   // as in a file: "word_bits", "bandwidth.read"
  Json value;        // in the unit of the key; null: unbounded, unlimited or not known
  std::string text;  // the value for people
  std::string also;  // in another unit: "108 KiB", "25.6 GB/s"; mostly ""
  std::string from;  // "stated", "default", "tables, 45 nm", ..
};

constexpr double kBitsOfByte = 8;

std::string stated(bool is) { return is ? "stated" : "default"; }

// Collects the numbers of one machine. `spec_` is null for Timeloop's files, of which only the numbers are known.
class Numbers {
 public:
  explicit Numbers(const ArchitectureSource& machine)
      : source_(machine),
        machine_(machine.architecture),
        spec_(machine.spec ? &*machine.spec : nullptr),
        tables_(machine.tables) {}

  std::vector<ResolvedNumber> run() {
    whole();
    for (std::size_t i = machine_.levels.size(); i-- > 0;) level(i);
    compute();
    return std::move(numbers_);
  }

 private:
  void entry(std::string_view key, Json value, std::string text, const std::string& from, std::string also = "") {
    numbers_.push_back(
        {of_, std::string(key), std::move(value), std::move(text), std::move(also), spec_ ? from : "Timeloop's files"});
  }
  void amount(std::string_view key, double value, const char* unit, const std::string& from, std::string also = "") {
    entry(key, value, fmt::format("{:.6g} {}", value, unit), from, std::move(also));
  }
  // An energy, a leakage or an area, whose source is known of Timeloop's files, too.
  void cost(std::string_view key, double value, const char* unit, const std::string& from, std::string also = "") {
    amount(key, value, unit, from, std::move(also));
    numbers_.back().from = from;
  }
  void number(std::string_view key, u64 value, const char* unit, const std::string& from, std::string also = "") {
    entry(key, value, grouped(value) + unit, from, std::move(also));
  }
  void bits(WordLength length, const std::string& from) {
    entry("word_bits", length, fmt::format("{} bits", length), from);
  }
  void optional(std::string_view key, const std::optional<double>& value, const char* unit, const char* without,
                const std::string& from, std::string also = "") {
    if (value) amount(key, *value, unit, from, std::move(also));
    else entry(key, Json(), without, from);
  }

  std::string source(CostSource from, const LevelSpec* level = nullptr) const {
    switch (from) {
      case CostSource::None: return "not stated";
      case CostSource::Stated: return "stated";
      case CostSource::Reference: return "reference table (ERT, ART)";
      case CostSource::Pat: return spec_ ? "pat, Timeloop's table" : "Timeloop's built-in table";
      case CostSource::Table: break;
    }
    if (level && level->dram && level->dram->is_dram) return "tables, " + level->dram->type;
    const EnergyModel* const model = level && level->energy ? std::get_if<EnergyModel>(&*level->energy) : nullptr;
    const bool registers = model != nullptr && *model == EnergyModel::Registers;
    return fmt::format("{}, {:g} nm", registers ? "flip-flops" : "tables", spec_->technology_nm.value_or(0));
  }
  std::string word_bits_from(bool own) const {
    return own ? "stated" : spec_ && spec_->word_bits ? "the machine's" : "default";
  }
  std::string milliwatts(double pj_per_cycle) const {
    return machine_.cycle_ns ? with_prefix(pj_per_cycle / *machine_.cycle_ns * 1e-3, "W") : "";
  }

  void whole();
  void level(std::size_t i);
  void size(const StorageLevel& level, const LevelSpec& spec);
  void costs(const StorageLevel& level, const LevelSpec& spec, const CostSources& timeloop);
  void rates(const StorageLevel& level, const LevelSpec& spec);
  void compute();

  const ArchitectureSource& source_;
  const Architecture& machine_;
  const ArchitectureSpec* spec_;
  const ReferenceTables& tables_;
  std::string of_;
  std::vector<ResolvedNumber> numbers_;
};

void Numbers::whole() {
  optional("technology_nm", machine_.technology_nm, "nm", "not stated", "stated");
  const bool own = spec_ && spec_->cycle_ns;
  optional("cycle_ns", machine_.cycle_ns, "ns", "not stated", stated(own),
           machine_.cycle_ns ? fmt::format("{:.4g} GHz", 1 / *machine_.cycle_ns) : "");
}

void Numbers::size(const StorageLevel& level, const LevelSpec& spec) {
  if (level.is_interconnect) {
    entry("entries", Json(), "none", "interconnect");
    bits(level.word_bits, word_bits_from(spec.word_bits.has_value()));
    number("block_words", level.block_words, " words", stated(spec.block_words.has_value()));
    return;
  }
  if (level.entries)
    number("entries", *level.entries, " words", "stated",
           bytes_text(*level.entries, static_cast<double>(level.word_bits) / kBitsOfByte));
  else entry("entries", Json(), "unbounded", spec.capacity ? "stated" : "default of a DRAM");
  amount("multiple_buffering", level.multiple_buffering, "", stated(spec.multiple_buffering.has_value()),
         level.multiple_buffering != 1 && level.entries
             ? fmt::format("{} words usable", grouped(*level.capacity_words()))
             : "");
  bits(level.word_bits, word_bits_from(spec.word_bits.has_value()));
  number("block_words", level.block_words, " words", stated(spec.block_words.has_value()));
  number("cluster_size", level.cluster_size, "", stated(spec.cluster_size.has_value()));
}

// `timeloop`: where the costs are from if the machine is of Timeloop's files.
void Numbers::costs(const StorageLevel& level, const LevelSpec& spec, const CostSources& timeloop) {
  const CostSources from = spec_ ? cost_sources(spec, *spec_, tables_) : timeloop;
  const std::string energy = source(from.energy, &spec);
  const auto access = [&](const char* key, double pj) {
    const double bits = static_cast<double>(level.word_bits * level.block_words);
    cost(key, pj, "pJ", energy, level.is_interconnect ? fmt::format("{:.4g} pJ/bit", pj / bits) : "");
  };
  access("energy.read", level.energy.read_pj);
  if (!level.is_interconnect) access("energy.fill", level.energy.fill_pj);
  access("energy.update", level.energy.update_pj);
  cost("leak_pj_per_cycle", level.leak_pj_per_cycle, "pJ/cycle", source(from.leakage, &spec),
       level.leak_pj_per_cycle > 0 ? milliwatts(level.leak_pj_per_cycle) : "");
  cost("area_um2", level.area_um2, "um2", source(from.area, &spec));
  for (const LevelPrice& price : kLevelPrices)
    if (!level.is_interconnect) amount(price.key, level.*price.price, "pJ", stated((spec.*price.stated).has_value()));
}

void Numbers::rates(const StorageLevel& level, const LevelSpec& spec) {
  const Bandwidth bytes = spec.gigabytes_per_second.value_or(Bandwidth{});
  const auto rate = [&](const char* key, std::optional<double> Bandwidth::*which) {
    const std::optional<double>& words = level.bandwidth.*which;
    optional(key, words, "words/cycle", "unlimited", bytes.*which ? "stated in GB/s" : stated(words.has_value()),
             words ? bandwidth_text(*words, level, machine_) : "");
  };
  rate("bandwidth.read", &Bandwidth::read);
  rate("bandwidth.write", &Bandwidth::write);
  rate("bandwidth.shared", &Bandwidth::shared);
  const std::string network = stated(spec.network.has_value());
  amount("network.hop_pj", level.network.hop_pj, "pJ", network);
  amount("network.router_pj", level.network.router_pj, "pJ", network);
  amount("network.ingress_pj", level.network.ingress_pj, "pJ", network);
  if (level.is_interconnect) return;
  entry("reduction", level.reduces(), level.reduces() ? "yes" : "no",
        level.is_dram && !spec.reduction ? "default of a DRAM" : stated(spec.reduction.has_value()));
}

void Numbers::level(std::size_t i) {
  const StorageLevel& level = machine_.levels[i];
  const LevelSpec none, &spec = spec_ ? spec_->levels[i] : none;
  of_ = level.name;
  number("instances", level.instances, "", "fan-outs",
         fmt::format("{} x {}", level.mesh_x, level.instances / level.mesh_x));
  size(level, spec);
  costs(level, spec, spec_ ? CostSources{} : source_.level_costs[i]);
  rates(level, spec);
  number("fanout", level.fanout(), "", stated(spec.fanout_x.has_value()),
         fmt::format("{} x {}", level.fanout_x, level.fanout_y));
}

void Numbers::compute() {
  const Compute& c = machine_.compute;
  of_ = c.name;
  const CostSources from = spec_ ? compute_cost_sources(*spec_, tables_) : source_.compute_costs;
  number("instances", c.instances, "", "fan-outs", fmt::format("{} x {}", c.mesh_x, c.instances / c.mesh_x));
  bits(c.word_bits, word_bits_from(spec_ && spec_->compute.word_bits));
  cost("energy", c.op_pj, "pJ", source(from.energy));
  cost("area_um2", c.area_um2, "um2", source(from.area));
  if (c.cycles_per_op != 1) number("cycles_per_op", c.cycles_per_op, "", "stated");
  if (c.runs == kAllOperations) return;
  const std::string runs = join(operation_names(c.runs));
  entry("runs", runs, runs, stated(spec_ && spec_->compute.runs));
}

// The machine's numbers; of further units those of their own: of their levels and of themselves.
std::vector<ResolvedNumber> resolved_numbers(const ArchitectureSource& machine) {
  std::vector<ResolvedNumber> out = Numbers(machine).run();
  const Architecture& whole = machine.architecture;
  for (std::size_t k = 0; k < whole.units.size(); ++k) {
    ArchitectureSource chain{whole.units[k], std::nullopt, machine.tables, {}, {}};
    if (machine.spec) chain.spec = *chain_spec(*machine.spec, machine.spec->units[k]);
    else chain.level_costs.resize(whole.units[k].levels.size());
    for (ResolvedNumber& n : Numbers(chain).run())
      if (!n.of.empty() && !whole.find_level(n.of)) out.push_back(std::move(n));
  }
  return out;
}

// Words of all bounded memories, all instances together.
double words_on_chip(const Architecture& architecture) {
  double words = 0;
  for (const StorageLevel& level : architecture.levels)
    if (!level.is_dram && level.entries)
      words += static_cast<double>(*level.entries) * static_cast<double>(level.instances);
  return words;
}

// A preset is compiled in and read by a test: that it cannot be read is a mistake of ours.
template <class T>
T preset(Result<T> loaded) {
  if (!loaded) throw std::logic_error(loaded.errors().front().to_string());
  return *std::move(loaded);
}

}  // namespace

std::string preset_tables() {
  Table machines({"<machine", "levels", "units", "words", "<"});
  for (const std::string& name : architecture_preset_names()) {
    const Architecture a = preset(load_architecture(name));
    machines.row({name, fmt::format("{}", a.levels.size()), grouped(a.compute.instances), count(words_on_chip(a)),
                  a.description});
  }
  Table workloads({"<workload", "layers", "runs", "MACs", "edges", "<one run, if no inference"});
  for (const std::string& name : workload_preset_names()) {
    const Network n = preset(load_network(name));
    workloads.row({name, fmt::format("{}", n.layers.size()), grouped(n.runs()), count(static_cast<double>(n.macs())),
                   n.edges.empty() ? "" : fmt::format("{}", n.edges.size()),
                   n.one_run.substr(0, n.one_run.find(" ("))});
  }
  return machines.to_string() + "  words: of all memories on the chip\n\n" + workloads.to_string() +
         "  runs: of all layers, repeats included; MACs: of all runs\n\n"
         "  heliolite show NAME shows one of them.\n";
}

void add_preset_lists(Json& answer) {
  answer["machines"] = Json::array();
  for (const std::string& name : architecture_preset_names()) {
    const Architecture a = preset(load_architecture(name));
    Json machine = machine_head_json(a);
    machine["name"] = name;
    machine["levels"] = a.levels.size();
    machine["words_on_chip"] = words_on_chip(a);
    answer["machines"].push_back(machine);
  }
  answer["workloads"] = Json::array();
  for (const std::string& name : workload_preset_names()) {
    const Network n = preset(load_network(name));
    answer["workloads"].push_back({{"name", name},
                                   {"layers", n.layers.size()},
                                   {"runs", n.runs()},
                                   {"macs", n.macs()},
                                   {"edges", n.edges.size()},
                                   {"one_run", n.one_run.empty() ? Json() : Json(n.one_run)}});
  }
}

namespace {

// Name, description, units and area: what stands above the tables of a machine.
std::string heading_text(const Architecture& a) {
  std::string text = a.name + (a.description.empty() ? "" : ": " + a.description) + "\n\n";
  text += fmt::format("  {:<12} {} {} units\n", "compute", grouped(a.compute.instances), a.compute.name);
  if (a.cycle_ns) text += fmt::format("  {:<12} {:.4g} ns\n", "cycle", *a.cycle_ns);
  return text + fmt::format("  {:<12} {}\n\n", "area", area_text(a));
}

// "weights, outputs; inputs open": what a level keeps, by role, and what the mapper decides.
std::string keeps_text(const StorageLevel& level, bool outermost) {
  constexpr std::array<std::pair<const char*, Role>, 3> kRoles{
      {{"inputs", Role::Input}, {"weights", Role::Weight}, {"outputs", Role::Output}}};
  Workload roles;
  for (const auto& [name, role] : kRoles) roles.tensors.push_back({name, {}, role, {}});
  std::vector<std::string> kept, open;
  for (std::size_t v = 0; v < kRoles.size(); ++v) {
    const KeepChoice choice = outermost ? KeepChoice::Keep : keep_choice(level.keep, roles, static_cast<int>(v));
    if (choice != KeepChoice::Bypass) (choice == KeepChoice::Open ? open : kept).push_back(kRoles[v].first);
  }
  if (open.empty()) return kept.size() == kRoles.size() ? "all" : kept.empty() ? "nothing" : join(kept);
  return (kept.empty() ? "" : join(kept) + "; ") + (open.size() == kRoles.size() ? "all" : join(open)) + " open";
}

std::string rate_text(const Bandwidth& rate) {
  std::vector<std::string> parts;
  const auto add = [&](const std::optional<double>& words, const char* what) {
    if (words) parts.push_back(fmt::format("{:.4g}{}", *words, what));
  };
  add(rate.shared, "");
  add(rate.read, " read");
  add(rate.write, " write");
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The levels that are a unit's own, and the unit.
void add_chain(Table& table, const Architecture& machine, const Architecture& chain) {
  const bool further = &machine != &chain;
  for (std::size_t i = further ? own_levels(machine, chain) : chain.levels.size(); i-- > 0;) {
    const StorageLevel& level = chain.levels[i];
    const std::string size =
        level.entries ? bytes_text(*level.entries, static_cast<double>(level.word_bits) / 8) : "no limit";
    table.row({level.name, level.is_interconnect ? "" : size, fmt::format("{}", level.word_bits),
               grouped(level.instances),
               level.fanout() > 1 ? fmt::format("{} x {}", level.fanout_x, level.fanout_y) : "",
               fmt::format("{:.4g}", level.energy.read_pj),
               fmt::format("{:.4g}", std::max(level.energy.fill_pj, level.energy.update_pj)),
               rate_text(level.bandwidth), keeps_text(level, i + 1 == chain.levels.size())});
  }
  table.row({chain.compute.name, "", fmt::format("{}", chain.compute.word_bits), grouped(chain.compute.instances), "",
             "", fmt::format("{:.4g}", chain.compute.op_pj), "",
             further ? fmt::format("fed by {}; runs {}", chain.levels[own_levels(machine, chain)].name,
                                   join(operation_names(chain.compute.runs)))
                     : ""});
}

}  // namespace

Json machine_head_json(const Architecture& a) {
  Json units = Json::array();
  for (std::size_t unit = 0; unit < a.chains(); ++unit) {
    const Compute& c = a.chain(unit).compute;
    units.push_back({{"name", c.name}, {"instances", c.instances}, {"runs", operation_names(c.runs)}});
  }
  return {{"name", a.name},
          {"description", a.description},
          {"units", a.compute.instances},
          {"compute_units", std::move(units)},
          {"technology_nm", a.technology_nm ? Json(*a.technology_nm) : Json()},
          {"cycle_ns", a.cycle_ns ? Json(*a.cycle_ns) : Json()},
          {"area_um2", area_json(a)},
          {"without_area", parts_without_area(a)}};
}

std::string machine_summary(const Architecture& a) {
  Table table({"<level", "size", "word [bits]", "instances", "fan-out below", "read [pJ]", "write [pJ]", "words/cycle",
               "<keeps"});
  for (std::size_t unit = 0; unit < a.chains(); ++unit) add_chain(table, a, a.chain(unit));
  return heading_text(a) + table.to_string() +
         "\n  Energies: of one access to a block of words, of one operation. --resolved: every number and where it is "
         "from.\n";
}

std::string machine_text(const ArchitectureSource& machine) {
  std::string text = heading_text(machine.architecture);
  Table table({"<level", "<number", "value", "", "<from"});
  std::string last;
  for (const ResolvedNumber& n : resolved_numbers(machine)) {
    if (n.of != last) table.rule();
    table.row({n.of == last ? "" : n.of, n.key, n.text, n.also, n.from});
    last = n.of;
  }
  return text + table.to_string();
}

void add_machine(Json& answer, const ArchitectureSource& machine) {
  answer["machine"] = machine_head_json(machine.architecture);
  answer["machine"]["hash"] = question(machine.architecture)["hash"];
  answer["numbers"] = Json::array();
  for (const ResolvedNumber& n : resolved_numbers(machine))
    answer["numbers"].push_back(
        {{"of", n.of.empty() ? Json() : Json(n.of)}, {"key", n.key}, {"value", n.value}, {"from", n.from}});
}

}  // namespace heliolite::cli
