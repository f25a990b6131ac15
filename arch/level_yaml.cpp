// Reads one storage level, or one buffer of a split level, of our YAML.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arch/architecture.h"
#include "arch/architecture_spec.h"
#include "arch/architecture_yaml.h"
#include "arch/check.h"
#include "arch/energy_tables.h"
#include "engine/base/field_reader.h"
#include "engine/base/text.h"
#include "engine/base/types.h"

namespace heliolite {
namespace {

void read_capacity(FieldReader& reader, LevelSpec& level, Diagnostics& errors) {
  const std::optional<i64> entries = reader.integer("entries");
  if (entries) level.capacity = Words{static_cast<u64>(*entries)};
  const std::optional<YamlNode> capacity = reader.child("capacity");
  if (!capacity) return;
  if (reader.node().has("entries")) reader.error("give either 'entries' (words) or 'capacity' (bytes), not both");
  if (capacity->text() == "unbounded") {
    level.capacity = Unbounded{};
  } else if (const std::optional<double> bytes = parse_bytes(capacity->text())) {
    level.capacity = Bytes{*bytes};
  } else {
    level.capacity = Unbounded{};
    errors.push_back(capacity->error(
        fmt::format("capacity = {}, must be a size with its unit ({}) or 'unbounded'; words go to 'entries'",
                    shown(*capacity), kByteUnits)));
  }
}

std::optional<AccessEnergy> read_access_energy(const YamlNode& node, Diagnostics& errors) {
  if (const std::optional<double> pj = node.as_number(); pj && *pj >= 0 && *pj <= kMaxAccessPicojoules)
    return AccessEnergy{*pj, *pj, *pj};
  if (!node.is_map()) return std::nullopt;
  FieldReader reader(node, access_energy_fields(), errors);
  AccessEnergy energy;
  energy.read_pj = reader.number("read").value_or(0);
  const std::optional<double> write = reader.number("write");
  const std::optional<double> fill = reader.number("fill");
  const std::optional<double> update = reader.number("update");
  if (!node.has("write") && !(node.has("fill") && node.has("update")))
    reader.error("give 'write', or both 'fill' (from above) and 'update' (from below)");
  energy.fill_pj = fill.value_or(write.value_or(0));
  energy.update_pj = update.value_or(write.value_or(0));
  reader.finish();
  return energy;
}

void read_energy(FieldReader& reader, LevelSpec& level, Diagnostics& errors) {
  const std::optional<YamlNode> node = reader.child("energy");
  if (!node) return;
  if (const std::optional<AccessEnergy> energy = read_access_energy(*node, errors)) {
    level.energy = *energy;
    return;
  }
  if (const std::optional<double> pj = parse_picojoules_per_bit(node->text())) {
    level.energy = PicojoulesPerBit{*pj};
    return;
  }
  const std::vector<std::string> models{"pat", "table", "registers"};
  if (const auto model = std::ranges::find(models, node->text()); model != models.end()) {
    constexpr std::array kModels{EnergyModel::Pat, EnergyModel::Table, EnergyModel::Registers};
    level.energy = kModels[model - models.begin()];
    return;
  }
  level.energy = AccessEnergy{};
  errors.push_back(node->error(fmt::format(
      "energy = {}, must be pJ per access from 0 to {}, '1.2 pJ/bit', a map of read, write, fill and update, "
      "'pat', 'table' or 'registers'{}",
      shown(*node), kMaxAccessPicojoules, did_you_mean(node->text(), models))));
}

// One bandwidth: a number of words per cycle, or a text in GB/s.
void read_rate(FieldReader& reader, std::string_view key, std::optional<double> Bandwidth::*rate, LevelSpec& level,
               Diagnostics& errors) {
  const std::optional<YamlNode> node = reader.child(key);
  if (!node) return;
  const std::optional<double> words = node->as_number(), gigabytes = parse_gigabytes_per_second(node->text());
  if (words && *words >= kMinBandwidth && *words <= kMaxBandwidth) (*level.bandwidth).*rate = words;
  else if (gigabytes) (*level.gigabytes_per_second).*rate = gigabytes;
  else
    errors.push_back(node->error(fmt::format("{} = {}, must be words per cycle, from {} to {}, or have a unit ({})",
                                             key, shown(*node), kMinBandwidth, kMaxBandwidth, kByteRateUnits)));
}

void read_bandwidth(FieldReader& parent, LevelSpec& level, Diagnostics& errors) {
  const std::optional<YamlNode> node = parent.child("bandwidth");
  if (!node) return;
  level.bandwidth = level.gigabytes_per_second = Bandwidth{};
  if (node->is_scalar()) {
    if (const auto gigabytes = parse_gigabytes_per_second(node->text())) level.gigabytes_per_second->shared = gigabytes;
    else
      errors.push_back(node->error(fmt::format(
          "bandwidth = {}, must be a map of read, write or shared (of one instance; words per cycle, or '25.6 GB/s'), "
          "or one value with its unit ({}) for both together",
          shown(*node), kByteRateUnits)));
    return;
  }
  FieldReader reader(*node, bandwidth_fields(), errors);
  read_rate(reader, "read", &Bandwidth::read, level, errors);
  read_rate(reader, "write", &Bandwidth::write, level, errors);
  read_rate(reader, "shared", &Bandwidth::shared, level, errors);
  reader.finish();
}

std::optional<NetworkEnergy> read_network(FieldReader& parent, Diagnostics& errors) {
  const std::optional<YamlNode> node = parent.child("network");
  if (!node) return std::nullopt;
  FieldReader reader(*node, network_energy_fields(), errors);
  NetworkEnergy network;
  network.hop_pj = reader.number("hop_pj").value_or(0);
  network.router_pj = reader.number("router_pj").value_or(0);
  network.ingress_pj = reader.number("ingress_pj").value_or(0);
  reader.finish();
  return network;
}

std::optional<DramSpec> read_dram(FieldReader& reader, Diagnostics& errors) {
  const std::optional<YamlNode> node = reader.child("dram");
  if (!node) return std::nullopt;
  if (const std::optional<bool> is_dram = node->as_bool()) return DramSpec{*is_dram, ""};
  const std::vector<std::string> types = dram_types();
  if (dram_pj_per_bit(node->text())) return DramSpec{true, node->text()};
  errors.push_back(node->error(fmt::format("dram = {}, must be true, false or a type: {}{}", shown(*node),
                                           join(types, "or"), did_you_mean(node->text(), types))));
  return DramSpec{true, types.front()};
}

std::optional<u64> optional_size(FieldReader& reader, std::string_view key) {
  const std::optional<i64> value = reader.integer(key);
  if (!value) return std::nullopt;
  return static_cast<u64>(*value);
}

std::optional<u64> parse_size(std::string_view text) {
  const std::optional<u64> value = parse_number<u64>(text);
  return value && *value >= 1 && *value <= kMaxFanout ? value : std::nullopt;
}

// `16`, `14x12` or `{x: 14, y: 12}`: a fan-out that is given replaces both axes.
void read_fanout(FieldReader& parent, LevelSpec& level, Diagnostics& errors) {
  const std::optional<YamlNode> node = parent.child("fanout");
  if (!node) return;
  level.fanout_x = level.fanout_y = 1;
  if (node->is_map()) {
    FieldReader reader(*node, fanout_fields(), errors);
    level.fanout_x = optional_size(reader, "x").value_or(1);
    level.fanout_y = optional_size(reader, "y").value_or(1);
    reader.finish();
    return;
  }
  const std::vector<std::string> sides = split(node->text(), 'x');
  const std::optional<u64> x = sides.empty() ? std::nullopt : parse_size(sides[0]);
  const std::optional<u64> y = sides.size() == 2 ? parse_size(sides[1]) : std::optional<u64>(1);
  if (x && y && sides.size() <= 2) {
    level.fanout_x = x;
    level.fanout_y = y;
  } else {
    errors.push_back(node->error(fmt::format("fanout = {}, must be 16, 14x12 or {{x: 14, y: 12}}, each from 1 to {}",
                                             shown(*node), kMaxFanout)));
  }
}

// The keys of a physical buffer: those of a unified level without its loops and fan-out.
void read_buffer(FieldReader& reader, LevelSpec& level, Diagnostics& errors) {
  level.place = place_of(reader.node());
  level.name = reader.string("name").value_or("");
  read_capacity(reader, level, errors);
  level.multiple_buffering = reader.number("multiple_buffering");
  level.word_bits = reader.word_length("word_bits");
  level.block_words = optional_size(reader, "block_words");
  level.cluster_size = optional_size(reader, "cluster_size");
  read_energy(reader, level, errors);
  level.leakage = read_amount(reader.child("leak_pj_per_cycle"), kMaxAccessPicojoules, {"table"}, errors);
  level.area = read_amount(reader.child("area_um2"), kMaxAreaUm2, {"table"}, errors);
  for (const LevelPrice& price : kLevelPrices) level.*price.stated = reader.number(price.key);
  read_bandwidth(reader, level, errors);
  level.network = read_network(reader, errors);
  level.dram = read_dram(reader, errors);
  level.reduction = reader.boolean("reduction");
  level.interconnect = reader.boolean("interconnect");
  level.keep = read_keep(reader, errors);
}

// What belongs to the loops of a level: of a split one, to its innermost part.
void read_loops(FieldReader& reader, LevelSpec& level, Diagnostics& errors) {
  read_fanout(reader, level, errors);
  if (const auto node = reader.child("constraints")) level.constraints = read_constraints(*node, errors);
}

std::vector<LevelSpec> read_split_level(FieldReader& reader, const YamlNode& buffers, Diagnostics& errors) {
  std::vector<LevelSpec> parts;
  reader.string("name");  // for the reader's eye: each buffer has its own
  if (!buffers.is_sequence() || buffers.size() == 0) {
    errors.push_back(buffers.error("buffers must be a list of at least one buffer"));
    return parts;
  }
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    FieldReader buffer(buffers.at(i), buffer_fields(), errors);
    LevelSpec& part = parts.emplace_back();
    read_buffer(buffer, part, errors);
    if (buffer.valid() && (!buffer.node().has("keep") || buffer.node().has("bypass") || buffer.node().has("open")))
      buffer.error("a buffer of a split level needs 'keep' alone: the tensors it is for; the others pass by it");
    if (part.keep.keep && part.keep.keep->empty()) buffer.error("a buffer of a split level needs a tensor in 'keep'");
    if (part.keep.keep)
      for (const std::string& tensor : *part.keep.keep) {
        for (const std::string& other : kept)
          if (tensor == other || tensor == "all" || other == "all")
            buffer.error(fmt::format("keep = {}: another buffer of this level is for {}", tensor, other));
        kept.push_back(tensor);
      }
    buffer.finish();
    part.loops_allowed = i + 1 == buffers.size();
  }
  std::ranges::reverse(parts);
  read_loops(reader, parts.front(), errors);
  return parts;
}

}  // namespace

Place place_of(const YamlNode& node) { return {node.file(), node.line(), node.field()}; }

std::optional<EnergyModel> read_energy_model(const YamlNode& node, Diagnostics& errors) {
  if (node.text() == "pat") return EnergyModel::Pat;
  if (node.text() == "table") return EnergyModel::Table;
  const std::vector<std::string> models{"pat", "table"};
  errors.push_back(node.error(
      fmt::format("energy = {}, must be 'pat' or 'table'{}", shown(node), did_you_mean(node.text(), models))));
  return std::nullopt;
}

std::optional<Amount> read_amount(const std::optional<YamlNode>& node, double most,
                                  const std::vector<std::string>& models, Diagnostics& errors) {
  if (!node) return std::nullopt;
  if (std::ranges::find(models, node->text()) != models.end())
    return Amount(node->text() == "table" ? EnergyModel::Table : EnergyModel::Pat);
  if (const std::optional<double> value = node->as_number(); value && *value >= 0 && *value <= most)
    return Amount(*value);
  errors.push_back(node->error(fmt::format("{} must be a number from 0 to {}, or {}{}",
                                           node->is_scalar() ? "'" + node->text() + "'" : shown(*node), most,
                                           join(models, "or"), did_you_mean(node->text(), models))));
  return Amount(0.0);
}

void read_feed(FieldReader& reader, LevelSpec& level, Diagnostics& errors) {
  read_loops(reader, level, errors);
  level.network = read_network(reader, errors);
}

std::vector<LevelSpec> read_level(const YamlNode& node, Diagnostics& errors) {
  const bool split = node.has("buffers");
  FieldReader reader(node, split ? split_level_fields() : level_fields(), errors);
  if (!reader.valid()) return {};
  std::vector<LevelSpec> parts;
  if (split) {
    parts = read_split_level(reader, *reader.child("buffers"), errors);
  } else {
    LevelSpec& level = parts.emplace_back();
    read_buffer(reader, level, errors);
    level.loops_allowed = reader.boolean("loops");
    read_loops(reader, level, errors);
  }
  reader.finish();
  return parts;
}

}  // namespace heliolite
