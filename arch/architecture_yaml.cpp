#include "arch/architecture_yaml.h"

#include <fmt/format.h>
#include <algorithm>

#include "arch/check.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/base/types.h"

namespace heliolite {
namespace {

// The keys of compute units, whatever else the map has.
ComputeSpec read_compute(FieldReader& reader, Diagnostics& errors) {
  ComputeSpec compute;
  compute.place = place_of(reader.node());
  compute.name = reader.string("name");
  compute.word_bits = reader.word_length("word_bits");
  if (const std::optional<i64> cycles = reader.integer("cycles_per_op"))
    compute.cycles_per_op = static_cast<u64>(*cycles);
  compute.energy = read_amount(reader.child("energy"), kMaxAccessPicojoules, {"pat", "table"}, errors);
  compute.area = read_amount(reader.child("area_um2"), kMaxAreaUm2, {"table"}, errors);
  if (const std::optional<std::vector<std::string>> words = reader.words("runs")) {
    OperationMask runs = 0;
    for (const std::string& word : *words) {
      const std::optional<Operation> operation = find_operation(word);
      if (word == "all") runs = kAllOperations;
      else if (operation) runs = static_cast<OperationMask>(runs | operation_bit(*operation));
      else
        errors.push_back(
            reader.child("runs")->error(fmt::format("runs = {}, must be all or some of {}{}", word,
                                                    join(operation_names()), did_you_mean(word, operation_names()))));
    }
    compute.runs = runs;
  }
  return compute;
}

// Outermost first in the file, innermost first inside.
std::vector<LevelSpec> read_levels(const YamlNode& node, Diagnostics& errors) {
  std::vector<LevelSpec> levels;
  if (!node.is_sequence() || node.size() == 0) {
    errors.push_back(node.error("levels must be a list of storage levels, outermost first"));
    return levels;
  }
  for (std::size_t i = node.size(); i-- > 0;) {
    for (LevelSpec& level : read_level(node.at(i), errors)) {
      if (levels.size() < kMaxLevels) levels.push_back(std::move(level));
      else if (i == 0) errors.push_back(node.error(fmt::format("at most {} storage levels are supported", kMaxLevels)));
    }
  }
  return levels;
}

std::vector<UnitSpec> read_units(const YamlNode& list, Diagnostics& errors) {
  std::vector<UnitSpec> units;
  for (const YamlNode& node : elements(list)) {
    FieldReader reader(node, unit_fields(), errors);
    if (!reader.valid()) continue;
    UnitSpec& unit = units.emplace_back();
    unit.place = place_of(node);
    unit.below = reader.string("below");
    unit.feed.place = unit.place;
    read_feed(reader, unit.feed, errors);
    if (const std::optional<YamlNode> levels = reader.child("levels")) unit.levels = read_levels(*levels, errors);
    unit.compute = read_compute(reader, errors);
    unit.name = unit.compute.name.value_or("");
    reader.finish();
  }
  return units;
}

void check_names(const std::vector<LevelSpec>& levels, Diagnostics& errors) {
  for (std::size_t i = 0; i < levels.size(); ++i)
    for (std::size_t outer = i + 1; outer < levels.size(); ++outer)
      if (!levels[i].name.empty() && levels[i].name == levels[outer].name)
        errors.push_back(levels[i].place.error(fmt::format("two levels are called {}", levels[i].name)));
}

}  // namespace

bool is_architecture_yaml(const YamlNode& document) {
  const std::optional<YamlNode> architecture = document.find("architecture");
  return architecture && (architecture->has("levels") || architecture->has("base"));
}

Result<ArchitectureSpec> read_architecture_yaml(const YamlNode& document) {
  Diagnostics errors;
  ArchitectureSpec spec;
  FieldReader root(document, machine_file_fields(), errors);
  const std::optional<YamlNode> node = root.child("architecture");
  root.finish();
  if (!node) return errors;

  FieldReader reader(*node, architecture_fields(), errors);
  spec.place = place_of(*node);
  spec.base = reader.string("base");
  spec.ert = reader.string("ert");
  spec.art = reader.string("art");
  spec.name = reader.string("name");
  spec.description = reader.string("description");
  spec.technology_nm = reader.number("technology_nm");
  spec.cycle_ns = reader.number("cycle_ns");
  spec.word_bits = reader.word_length("word_bits");
  if (const std::optional<YamlNode> energy = reader.child("energy")) spec.energy = read_energy_model(*energy, errors);
  spec.one_axis_per_dimension = reader.boolean("one_axis_per_dimension");
  spec.unit_loops_first = reader.boolean("unit_loops_first");
  if (const std::optional<std::string> whom = reader.choice("constraints_for"))
    spec.constraints_for_channels_only = *whom == "channels";
  spec.min_parallelism = reader.number("min_parallelism");
  if (const std::optional<std::string> word = reader.choice(kPeerChannel.field)) spec.peer_channel = *word == "on";
  if (const std::optional<std::string> word = reader.choice("drain_reads")) spec.drain_reads = *word == "on";
  if (const std::optional<std::string> word = reader.choice("leakage")) spec.all_leaks = *word == "all";
  if (const std::optional<std::string> word = reader.choice("latency")) spec.ramps = *word == "ramps";
  if (const std::optional<std::string> word = reader.choice("cycles")) spec.timeloop_cycles = *word == "timeloop";
  const std::optional<YamlNode> levels = spec.base ? reader.child("levels") : reader.needed("levels");
  if (levels) spec.levels = read_levels(*levels, errors);
  check_names(spec.levels, errors);
  spec.compute.place = spec.place;
  if (const std::optional<YamlNode> compute = reader.child("compute")) {
    FieldReader units(*compute, compute_fields(), errors);
    spec.compute = read_compute(units, errors);
    units.finish();
  }
  if (const std::optional<YamlNode> units = reader.child("units")) spec.units = read_units(*units, errors);
  reader.finish();
  std::ranges::stable_sort(errors, {}, &Diagnostic::line);
  if (!errors.empty()) return errors;
  return spec;
}

namespace {

std::string names_text(const std::vector<std::string>& words) {
  return fmt::format("[{}]", fmt::join(mapped(words, yaml_scalar), ", "));
}

// FlowMap that are there, as a map in one line.
class FlowMap {
 public:
  void add(std::string_view key, const std::string& value) { parts_.push_back(fmt::format("{}: {}", key, value)); }
  void add(std::string_view key, const std::optional<double>& value) {
    if (value) add(key, fmt::format("{}", *value));
  }
  void add(std::string_view key, const std::optional<u64>& value) {
    if (value) add(key, fmt::format("{}", *value));
  }
  void add(std::string_view key, const std::optional<std::vector<std::string>>& words) {
    if (words) add(key, names_text(*words));
  }
  void add_unless_empty(std::string_view key, const std::string& value) {
    if (value != "{}" && value != "[]") add(key, value);
  }
  std::string inside() const { return fmt::format("{}", fmt::join(parts_, ", ")); }
  std::string map() const { return fmt::format("{{{}}}", fmt::join(parts_, ", ")); }

 private:
  std::vector<std::string> parts_;
};

std::string factors_text(const std::vector<FactorConstraint>& constraints) {
  return names_text(mapped(constraints, factor_text));
}

std::string constraints_text(const LevelConstraints& level) {
  FlowMap temporal, spatial, out;
  temporal.add_unless_empty("factors", factors_text(level.temporal.factors));
  temporal.add_unless_empty("order", names_text(level.temporal.order));
  temporal.add("allowed", level.temporal.allowed);
  spatial.add_unless_empty("factors", factors_text(level.spatial.factors));
  spatial.add_unless_empty("order", names_text(level.spatial.order));
  spatial.add("allowed_x", level.spatial.allowed_x);
  spatial.add("allowed_y", level.spatial.allowed_y);
  spatial.add("split", level.spatial.split);
  spatial.add_unless_empty(kPeerChannel.excludes, names_text(level.spatial.no_peers));
  out.add_unless_empty("temporal", temporal.map());
  out.add_unless_empty("spatial", spatial.map());
  return out.map();
}

std::string bandwidth_text(const Bandwidth& words_per_cycle) {
  FlowMap out;
  out.add("read", words_per_cycle.read);
  out.add("write", words_per_cycle.write);
  out.add("shared", words_per_cycle.shared);
  return out.map();
}

// What only a level that holds something has; of tensors that neither keep nor bypass names it is open.
void storage_lines(const StorageLevel& level, const auto& line) {
  if (level.entries) line("entries", *level.entries);
  else line("capacity", "unbounded");
  line("multiple_buffering", level.multiple_buffering);
  line("cluster_size", level.cluster_size);
  line("dram", level.is_dram);
  if (level.reduces() == level.is_dram) line("reduction", level.reduces());
  for (const LevelPrice& price : kLevelPrices) line(price.key, level.*price.price);
  line("keep", names_text(level.keep.keep));
  line("bypass", names_text(level.keep.bypass));
  line("loops", level.loops_allowed);
}

// The network and the fan-out below a level, and its constraints.
void feed_lines(const StorageLevel& level, const auto& line) {
  line("network", fmt::format("{{hop_pj: {}, router_pj: {}, ingress_pj: {}}}", level.network.hop_pj,
                              level.network.router_pj, level.network.ingress_pj));
  line("fanout", fmt::format("{{x: {}, y: {}}}", level.fanout_x, level.fanout_y));
  if (const std::string rules = constraints_text(level.constraints); rules != "{}") line("constraints", rules);
}

std::string level_text(const StorageLevel& level, const std::string& margin) {
  std::string out = fmt::format("{}- name: {}\n", margin, yaml_scalar(level.name));
  const auto line = [&](std::string_view key, const auto& value) {
    out += fmt::format("{}  {}: {}\n", margin, key, value);
  };
  line("word_bits", level.word_bits);
  line("block_words", level.block_words);
  if (level.is_interconnect) line("interconnect", true);
  else storage_lines(level, line);
  line("energy", fmt::format("{{read: {}, fill: {}, update: {}}}", level.energy.read_pj, level.energy.fill_pj,
                             level.energy.update_pj));
  line("leak_pj_per_cycle", level.leak_pj_per_cycle);
  line("area_um2", level.area_um2);
  if (const std::string words = bandwidth_text(level.bandwidth); words != "{}") line("bandwidth", words);
  feed_lines(level, line);
  return out;
}

// `all_usual`: units that do not say what they run run everything.
std::string compute_text(const Compute& compute, bool all_usual) {
  FlowMap out;
  out.add("name", yaml_scalar(compute.name));
  out.add("word_bits", fmt::format("{}", compute.word_bits));
  out.add("energy", fmt::format("{}", compute.op_pj));
  out.add("area_um2", fmt::format("{}", compute.area_um2));
  if (compute.cycles_per_op != 1) out.add("cycles_per_op", fmt::format("{}", compute.cycles_per_op));
  if (!all_usual || compute.runs != kAllOperations) out.add("runs", names_text(operation_names(compute.runs)));
  return out.inside();
}

std::string unit_text(const Architecture& machine, const Architecture& unit) {
  const std::size_t own = own_levels(machine, unit);
  const StorageLevel& feed = unit.levels[own];
  std::string out =
      fmt::format("  - name: {}\n    below: {}\n", yaml_scalar(unit.compute.name), yaml_scalar(feed.name));
  const auto line = [&](std::string_view key, const auto& value) { out += fmt::format("    {}: {}\n", key, value); };
  line("word_bits", unit.compute.word_bits);
  line("energy", unit.compute.op_pj);
  line("area_um2", unit.compute.area_um2);
  line("cycles_per_op", unit.compute.cycles_per_op);
  line("runs", names_text(operation_names(unit.compute.runs)));
  feed_lines(feed, line);
  if (own > 0) out += "    levels:\n";
  for (std::size_t i = own; i-- > 0;) out += level_text(unit.levels[i], "    ");
  return out;
}

}  // namespace

std::string write_architecture(const Architecture& architecture) {
  std::string out = fmt::format("architecture:\n  name: {}\n", yaml_scalar(architecture.name));
  if (!architecture.description.empty())
    out += fmt::format("  description: {}\n", yaml_scalar(architecture.description));
  if (architecture.technology_nm) out += fmt::format("  technology_nm: {}\n", *architecture.technology_nm);
  if (architecture.cycle_ns) out += fmt::format("  cycle_ns: {}\n", *architecture.cycle_ns);
  if (architecture.unit_loops_first) out += "  unit_loops_first: true\n";
  out +=
      fmt::format("  one_axis_per_dimension: {}\n  constraints_for: {}\n  levels:  # outermost first\n",
                  architecture.one_axis_per_dimension, architecture.constraints_for_channels_only ? "channels" : "all");
  if (architecture.min_parallelism > 0)
    out.insert(out.find("  levels:"), fmt::format("  min_parallelism: {}\n", architecture.min_parallelism));
  if (architecture.peer_channel) out.insert(out.find("  levels:"), fmt::format("  {}: on\n", kPeerChannel.field));
  if (architecture.drain_reads) out.insert(out.find("  levels:"), "  drain_reads: on\n");
  if (architecture.all_leaks) out.insert(out.find("  levels:"), "  leakage: all\n");
  if (architecture.ramps) out.insert(out.find("  levels:"), "  latency: ramps\n");
  if (architecture.timeloop_cycles) out.insert(out.find("  levels:"), "  cycles: timeloop\n");
  for (std::size_t i = architecture.levels.size(); i-- > 0;) out += level_text(architecture.levels[i], "  ");
  out += fmt::format("  compute: {{{}}}\n", compute_text(architecture.compute, architecture.units.empty()));
  if (!architecture.units.empty()) out += "  units:\n";
  for (const Architecture& unit : architecture.units) out += unit_text(architecture, unit);
  return out;
}

}  // namespace heliolite
