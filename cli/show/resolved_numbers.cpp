// Every number of a machine, with where it comes from.
#include "cli/show/show_parts.h"

#include <fmt/format.h>

#include <utility>

#include "arch/architecture_spec.h"
#include "arch/compute_units.h"
#include "arch/cost_resolver.h"
#include "cli/ui/figures.h"
#include "cli/ui/table.h"
#include "cli/ui/word_units.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

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

}  // namespace

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

}  // namespace heliolite::cli
