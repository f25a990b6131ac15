#include "arch/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "arch/architecture_spec.h"
#include "arch/architecture_yaml.h"
#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 3> kByteRates{{{"MB/s", 1e-3}, {"GB/s", 1}, {"TB/s", 1e3}}};
constexpr std::array<std::pair<std::string_view, double>, 2> kBitEnergies{{{"pJ/bit", 1}, {"fJ/bit", 1e-3}}};

// The number before one of the units, times what the unit is worth.
template <class Units>
std::optional<double> with_unit(std::string_view text, const Units& units) {
  text = trim(text);
  for (const auto& [unit, worth] : units) {
    if (!text.ends_with(unit)) continue;
    const std::optional<double> number = parse_number<double>(trim(text.substr(0, text.size() - unit.size())));
    return number ? std::optional(*number * worth) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_gigabytes_per_second(std::string_view text) {
  const std::optional<double> rate = with_unit(text, kByteRates);
  return rate && *rate > 0 ? rate : std::nullopt;
}

std::optional<double> parse_picojoules_per_bit(std::string_view text) {
  const std::optional<double> pj = with_unit(text, kBitEnergies);
  return pj && *pj >= 0 ? pj : std::nullopt;
}

std::optional<u64> StorageLevel::capacity_words() const {
  if (!entries) return std::nullopt;
  if (multiple_buffering == 1) return entries;
  return static_cast<u64>(std::floor(static_cast<double>(*entries) / multiple_buffering));
}

double Architecture::area_um2() const {
  double total = beside_um2 + compute.area_um2 * static_cast<double>(compute.instances);
  for (const StorageLevel& level : levels) total += level.area_um2 * static_cast<double>(level.instances);
  return total;
}

// Timeloop compares the share in doubles: 7 of 10 units are 0.7 of them.
u64 Architecture::least_units() const {
  const auto all = static_cast<double>(compute.instances);
  auto units = static_cast<u64>(std::max(1.0, std::floor(min_parallelism * all)));
  while (units > 1 && static_cast<double>(units - 1) / all >= min_parallelism) --units;
  while (static_cast<double>(units) / all < min_parallelism) ++units;
  return units;
}

std::optional<std::size_t> find_unit(const Architecture& architecture, std::string_view wanted) {
  for (std::size_t unit = 0; unit < architecture.chains(); ++unit)
    if (architecture.chain(unit).compute.name == wanted) return unit;
  return std::nullopt;
}

std::optional<int> Architecture::find_level(std::string_view wanted) const {
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (levels[i].name == wanted) return static_cast<int>(i);
  return std::nullopt;
}

// In what two machines differ, field by field.

namespace {

// A field's name and its value as text.
using Fields = std::vector<std::pair<std::string, std::string>>;

std::string words_text(const std::vector<std::string>& words) { return fmt::format("[{}]", fmt::join(words, ", ")); }

template <class T>
std::string optional_text(const std::optional<T>& value, std::string_view absent) {
  return value ? fmt::format("{}", *value) : std::string(absent);
}

std::string list_text(const std::optional<std::vector<std::string>>& words) {
  return words ? words_text(*words) : std::string("any");
}

std::string limits_text(const std::vector<FactorConstraint>& factors) {
  return words_text(mapped(factors, factor_text));
}

Fields fields_of(const StorageLevel& l) {
  Fields out{{"name", l.name},
             {"entries", optional_text(l.entries, "unbounded")},
             {"multiple_buffering", fmt::format("{}", l.multiple_buffering)},
             {"word_bits", fmt::format("{}", l.word_bits)},
             {"block_words", fmt::format("{}", l.block_words)},
             {"cluster_size", fmt::format("{}", l.cluster_size)},
             {"instances", fmt::format("{}", l.instances)},
             {"mesh_x", fmt::format("{}", l.mesh_x)},
             {"fanout", fmt::format("{}x{}", l.fanout_x, l.fanout_y)},
             {"energy.read", fmt::format("{} pJ", l.energy.read_pj)},
             {"energy.fill", fmt::format("{} pJ", l.energy.fill_pj)},
             {"energy.update", fmt::format("{} pJ", l.energy.update_pj)}};
  for (const LevelPrice& price : kLevelPrices) out.emplace_back(price.key, fmt::format("{}", l.*price.price));
  const Fields rest{{"leak_pj_per_cycle", fmt::format("{}", l.leak_pj_per_cycle)},
                    {"area_um2", fmt::format("{}", l.area_um2)},
                    {"bandwidth.read", optional_text(l.bandwidth.read, "unlimited")},
                    {"bandwidth.write", optional_text(l.bandwidth.write, "unlimited")},
                    {"bandwidth.shared", optional_text(l.bandwidth.shared, "unlimited")},
                    {"network.hop_pj", fmt::format("{}", l.network.hop_pj)},
                    {"network.router_pj", fmt::format("{}", l.network.router_pj)},
                    {"network.ingress_pj", fmt::format("{}", l.network.ingress_pj)},
                    {"dram", fmt::format("{}", l.is_dram)},
                    {"reduction", fmt::format("{}", l.reduces())},
                    {"interconnect", fmt::format("{}", l.is_interconnect)},
                    {"keep", words_text(l.keep.keep)},
                    {"bypass", words_text(l.keep.bypass)},
                    {"loops", fmt::format("{}", l.loops_allowed)},
                    {"temporal.factors", limits_text(l.constraints.temporal.factors)},
                    {"temporal.order", words_text(l.constraints.temporal.order)},
                    {"temporal.allowed", list_text(l.constraints.temporal.allowed)},
                    {"spatial.factors", limits_text(l.constraints.spatial.factors)},
                    {"spatial.order", words_text(l.constraints.spatial.order)},
                    {"spatial.allowed_x", list_text(l.constraints.spatial.allowed_x)},
                    {"spatial.allowed_y", list_text(l.constraints.spatial.allowed_y)},
                    {fmt::format("spatial.{}", kPeerChannel.excludes), words_text(l.constraints.spatial.no_peers)}};
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

Fields fields_of(const Compute& c) {
  return {{"name", c.name},
          {"instances", fmt::format("{}", c.instances)},
          {"mesh_x", fmt::format("{}", c.mesh_x)},
          {"word_bits", fmt::format("{}", c.word_bits)},
          {"energy", fmt::format("{} pJ", c.op_pj)},
          {"area_um2", fmt::format("{}", c.area_um2)},
          {"cycles_per_op", fmt::format("{}", c.cycles_per_op)},
          {"runs", fmt::format("{}", fmt::join(operation_names(c.runs), ", "))}};
}

Fields fields_of(const Architecture& m) {
  return {{kPeerChannel.field, m.peer_channel ? "on" : "off"},
          {"drain_reads", m.drain_reads ? "on" : "off"},
          {"leakage", m.all_leaks ? "all" : "used"},
          {"latency", m.ramps ? "ramps" : "steady"},
          {"cycles", m.timeloop_cycles ? "timeloop" : "exact"},
          {"one_axis_per_dimension", fmt::format("{}", m.one_axis_per_dimension)},
          {"constraints_for", m.constraints_for_channels_only ? "channels" : "all"},
          {"min_parallelism", fmt::format("{}", m.min_parallelism)}};
}

template <class T>
void compare(const std::string& where, const T& a, const T& b, FieldDifferences& out) {
  const Fields x = fields_of(a), y = fields_of(b);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i].second != y[i].second) out.push_back({where + x[i].first, x[i].second, y[i].second});
}

// The partner of every level of `a`: of the same name; else the level at the same place from outside, if its name is
// nowhere in `a`.
std::optional<std::size_t> partner(const Architecture& a, const Architecture& b, std::size_t level) {
  if (const auto same = b.find_level(a.levels[level].name)) return at(*same);
  const std::size_t from_outside = a.levels.size() - level;
  if (from_outside > b.levels.size()) return std::nullopt;
  const std::size_t there = b.levels.size() - from_outside;
  return a.find_level(b.levels[there].name) ? std::nullopt : std::optional(there);
}

// Units are matched by name; of their levels those that are their own, and the one that feeds them, are compared.
void compare_units(const Architecture& a, const Architecture& b, FieldDifferences& out) {
  for (const Architecture& unit : a.units) {
    const std::string& name = unit.compute.name;
    const std::optional<std::size_t> other = find_unit(b, name);
    if (!other || *other == 0) {
      out.push_back({name, "unit", ""});
      continue;
    }
    const Architecture& there = b.chain(*other);
    for (const FieldDifference& d : differences(unit, there)) {
      const std::string level = d.field.substr(0, d.field.find('.'));
      const bool outside = a.find_level(level) && level != unit.levels[own_levels(a, unit)].name;
      if (!outside) out.push_back({d.field.starts_with(name + ".") ? d.field : name + "." + d.field, d.a, d.b});
    }
  }
  for (const Architecture& unit : b.units)
    if (const auto here = find_unit(a, unit.compute.name); !here || *here == 0)
      out.push_back({unit.compute.name, "", "unit"});
}

}  // namespace

FieldDifferences differences(const Architecture& a, const Architecture& b) {
  FieldDifferences out;
  compare("", a, b, out);
  std::vector<bool> met(b.levels.size());
  std::vector<std::size_t> order;
  for (std::size_t i = a.levels.size(); i-- > 0;) {
    const StorageLevel& level = a.levels[i];
    const std::optional<std::size_t> other = partner(a, b, i);
    if (!other) {
      out.push_back({level.name, "level", ""});
      continue;
    }
    met[*other] = true;
    order.push_back(*other);
    compare(level.name + ".", level, b.levels[*other], out);
  }
  for (std::size_t i = b.levels.size(); i-- > 0;)
    if (!met[i]) out.push_back({b.levels[i].name, "", "level"});
  if (!std::ranges::is_sorted(order, std::greater<>())) out.push_back({"levels", "this order", "another order"});
  compare(a.compute.name + ".", a.compute, b.compute, out);
  compare_units(a, b, out);
  return out;
}

}  // namespace heliolite
