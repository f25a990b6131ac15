#include "arch/energy_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "arch/sram_table.h"

namespace heliolite {
namespace {

constexpr u64 kSmallestSramWords = 64;     // from here on CACTI's numbers are used
constexpr u64 kLargestFlipFlopWords = 32;  // up to here flip-flops are cheaper
constexpr u64 kSmallestSramBits = 8;       // CACTI's narrowest word
constexpr std::string_view kDramPrefix = "dram_";
constexpr double kTableBits = 32;  // width of the comparator, adder and multiplier in the table

using NamedRows = std::map<std::string, std::vector<double>, std::less<>>;

const NamedRows& components() {
  static const NamedRows rows = embedded_named_rows("components.csv");
  return rows;
}

LogicCost component(std::string_view name) {
  const std::vector<double>& row = components().find(name)->second;
  return {row[0], row[1], row[2]};
}

struct Scaling {
  double energy;
  double area;
};

// From 45 nm to `technology_nm`, log-log linear between the tabulated nodes.
Scaling logic_scaling(double technology_nm) {
  static const std::vector<std::vector<double>> rows = embedded_rows("tech_scaling.csv");
  std::size_t i = 0;
  while (i + 2 < rows.size() && technology_nm >= rows[i + 1][0]) ++i;
  const std::vector<double>& low = rows[i];
  const std::vector<double>& high = rows[i + 1];
  const double share = std::log(technology_nm / low[0]) / std::log(high[0] / low[0]);
  return {low[1] * std::pow(high[1] / low[1], share), low[2] * std::pow(high[2] / low[2], share)};
}

// Leakage scales like energy (the rule of the Accelergy library plug-in).
LogicCost scaled(const LogicCost& cost, double factor, double technology_nm) {
  const Scaling scaling = logic_scaling(technology_nm);
  return {cost.energy_pj * factor * scaling.energy, cost.leakage_mw * factor * scaling.energy,
          cost.area_um2 * factor * scaling.area};
}

}  // namespace

double flip_flop_access_pj(u64 words, u64 width_bits, double technology_nm) {
  static const double bit = component("register_bit").energy_pj;
  static const double comparator = component("comparator_32").energy_pj;
  if (words == 0) return 0;
  const double address_bits = static_cast<double>(std::bit_width(words - 1));
  const double at_45nm =
      static_cast<double>(width_bits) * bit + static_cast<double>(words) * comparator * address_bits / kTableBits;
  return at_45nm * logic_scaling(technology_nm).energy;
}

MemoryCost register_cost(u64 words, u64 width_bits, double technology_nm) {
  if (words == 0) return {};
  const double access = flip_flop_access_pj(words, width_bits, technology_nm);
  const double bits = static_cast<double>(words) * static_cast<double>(width_bits);
  const double comparators = static_cast<double>(words) * static_cast<double>(std::bit_width(words - 1)) / kTableBits;
  const LogicCost flip_flops = scaled(component("register_bit"), bits, technology_nm);
  const LogicCost addresses = scaled(component("comparator_32"), comparators, technology_nm);
  return {access, access, flip_flops.leakage_mw + addresses.leakage_mw, flip_flops.area_um2 + addresses.area_um2};
}

MemoryCost memory_cost(u64 words, u64 width_bits, double technology_nm) {
  if (words == 0) return {};
  const double sram_bits = static_cast<double>(std::max(width_bits, kSmallestSramBits));
  const auto sram = [&](u64 n) {
    return SramTable::instance().cost(static_cast<double>(n) * sram_bits / 8, sram_bits, technology_nm);
  };
  if (words >= kSmallestSramWords) return sram(words);

  const MemoryCost smallest = sram(kSmallestSramWords);
  const double flip_flops = flip_flop_access_pj(std::min(words, kLargestFlipFlopWords), width_bits, technology_nm);
  // 0 up to 32 words, 1 at 64 words.
  const double share =
      std::max(0.0, std::log2(static_cast<double>(words) / static_cast<double>(kLargestFlipFlopWords)));
  const auto blend = [&](double sram_pj) {
    const double low = std::min(flip_flops, sram_pj);
    return low * std::pow(sram_pj / low, share);
  };
  const double part = static_cast<double>(words) / static_cast<double>(kSmallestSramWords);
  return {blend(smallest.read_pj), blend(smallest.write_pj), smallest.leakage_mw * part, smallest.area_um2 * part};
}

LogicCost adder_cost(u64 bits, double technology_nm) {
  return scaled(component("adder_32"), static_cast<double>(bits) / kTableBits, technology_nm);
}

LogicCost multiplier_cost(u64 bits, double technology_nm) {
  const double ratio = static_cast<double>(bits) / kTableBits;
  return scaled(component("multiplier_32"), ratio * ratio, technology_nm);
}

LogicCost mac_cost(u64 bits, double technology_nm) {
  const LogicCost multiplier = multiplier_cost(bits, technology_nm);
  const LogicCost adder = adder_cost(2 * bits, technology_nm);
  return {multiplier.energy_pj + adder.energy_pj, multiplier.leakage_mw + adder.leakage_mw,
          multiplier.area_um2 + adder.area_um2};
}

std::optional<double> dram_pj_per_bit(std::string_view type) {
  const auto found = components().find(std::string(kDramPrefix) + std::string(type));
  if (found == components().end()) return std::nullopt;
  return found->second.front();
}

std::vector<std::string> dram_types() {
  std::vector<std::string> types;
  for (const auto& [name, values] : components())
    if (name.starts_with(kDramPrefix)) types.push_back(name.substr(kDramPrefix.size()));
  return types;
}

}  // namespace heliolite
