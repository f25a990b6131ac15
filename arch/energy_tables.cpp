#include "arch/energy_tables.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <functional>
#include <map>

#include "engine/base/embedded.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite {

std::span<const EmbeddedFile> embedded_energy_tables();  // generated from arch/tables

namespace {

double number(std::string_view text) {
  const std::optional<double> value = parse_number<double>(text);
  assert(value);
  return *value;
}

std::vector<std::string_view> cells(std::string_view line) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    parts.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void for_each_row(std::string_view file, const std::function<void(const std::vector<std::string_view>&)>& use) {
  for (const EmbeddedFile& table : embedded_energy_tables()) {
    if (table.name != file) continue;
    bool header_seen = false;
    for (std::size_t begin = 0; begin < table.text.size();) {
      const std::size_t end = std::min(table.text.find('\n', begin), table.text.size());
      const std::string_view line = table.text.substr(begin, end - begin);
      begin = end + 1;
      if (line.empty() || line.front() == '#') continue;
      if (header_seen) use(cells(line));
      header_seen = true;
    }
    return;
  }
  assert(false && "no such table");
}

}  // namespace

std::vector<std::vector<double>> embedded_rows(std::string_view file) {
  std::vector<std::vector<double>> rows;
  for_each_row(file, [&](const std::vector<std::string_view>& row) {
    std::vector<double>& numbers = rows.emplace_back();
    for (const std::string_view cell : row) numbers.push_back(number(cell));
  });
  return rows;
}

namespace {

// The rows of an embedded table whose first column is a name.
std::map<std::string, std::vector<double>, std::less<>> embedded_named_rows(std::string_view file) {
  std::map<std::string, std::vector<double>, std::less<>> rows;
  for_each_row(file, [&](const std::vector<std::string_view>& row) {
    std::vector<double>& numbers = rows[std::string(row.front())];
    for (std::size_t i = 1; i < row.size(); ++i) numbers.push_back(number(row[i]));
  });
  return rows;
}

// Least-squares power laws over the 45 nm part of the grid, for memories above it (read, write, leakage, area).
constexpr std::array<double, 4> kCapacityExponent{0.544, 0.477, 0.944, 0.965};
constexpr std::array<double, 4> kWidthExponent{0.449, 0.605, 0, 0};

constexpr double kSmallestNode = 22;  // of the grid; the rules outside it are the Accelergy CACTI plug-in's
constexpr double kLargestNode = 90;
constexpr double kLeakageBelowSmallestNode = 0.79;

// Position of x between low and high on a logarithmic scale, 0 at low.
double share_of(double low, double high, double x) { return std::log(x / low) / std::log(high / low); }

// The last element whose key is at most x (the first one if none is).
template <class T>
std::size_t floor_index(const std::vector<T>& sorted, double T::*key, double x) {
  const auto above =
      std::upper_bound(sorted.begin(), sorted.end(), x, [&](double v, const T& t) { return v < t.*key; });
  return above == sorted.begin() ? 0 : at(above - sorted.begin()) - 1;
}

}  // namespace

const SramTable& SramTable::instance() {
  static const SramTable table;
  return table;
}

SramTable::SramTable() {
  constexpr double kUm2PerMm2 = 1e6;
  for (const std::vector<double>& row : embedded_rows("sram_cacti.csv")) {  // sorted by node, width, capacity
    if (nodes_.empty() || nodes_.back().nanometres != row[0]) nodes_.push_back({row[0], {}});
    std::vector<Width>& widths = nodes_.back().widths;
    if (widths.empty() || widths.back().bits != row[1]) widths.push_back({row[1], {}});
    widths.back().points.push_back({row[2], {row[3], row[4], row[5], row[6] * kUm2PerMm2}});
  }
}

SramTable::Values SramTable::between(const Values& low, const Values& high, double share) {
  Values result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = low[i] * std::pow(high[i] / low[i], share);
  return result;
}

SramTable::Values SramTable::at(const Width& width, double bytes) {
  const std::size_t i = floor_index(width.points, &Point::bytes, bytes);
  const Point& low = width.points[i];
  if (bytes >= low.bytes && i + 1 < width.points.size()) {
    const Point& high = width.points[i + 1];
    return between(low.values, high.values, share_of(low.bytes, high.bytes, bytes));
  }
  Values result = low.values;
  for (std::size_t k = 0; k < result.size(); ++k) result[k] *= std::pow(bytes / low.bytes, kCapacityExponent[k]);
  return result;
}

SramTable::Values SramTable::at(const Node& node, double bytes, double bits) {
  const std::size_t i = floor_index(node.widths, &Width::bits, bits);
  const Width& low = node.widths[i];
  Values result = at(low, bytes);
  if (bits == low.bits) return result;
  if (i + 1 < node.widths.size()) {
    const Width& high = node.widths[i + 1];
    return between(result, at(high, bytes), share_of(low.bits, high.bits, bits));
  }
  for (std::size_t k = 0; k < result.size(); ++k) result[k] *= std::pow(bits / low.bits, kWidthExponent[k]);
  return result;
}

SramTable::Values SramTable::at_node(double bytes, double bits, double nanometres) const {
  const std::size_t i = floor_index(nodes_, &Node::nanometres, nanometres);
  const Node& low = nodes_[i];
  if (nanometres == low.nanometres) return at(low, bytes, bits);
  const Node& high = nodes_[i + 1];
  return between(at(low, bytes, bits), at(high, bytes, bits), share_of(low.nanometres, high.nanometres, nanometres));
}

MemoryCost SramTable::cost(double capacity_bytes, double width_bits, double technology_nm) const {
  const auto [read, write, leakage, area] =
      at_node(capacity_bytes, width_bits, std::clamp(technology_nm, kSmallestNode, kLargestNode));
  MemoryCost cost{read, write, leakage, area};
  if (technology_nm < kSmallestNode) {
    const double shrink = technology_nm / kSmallestNode;
    cost.read_pj *= std::sqrt(shrink);
    cost.write_pj *= std::sqrt(shrink);
    cost.leakage_mw *= std::sqrt(shrink) * kLeakageBelowSmallestNode;
    cost.area_um2 *= shrink;
  } else if (technology_nm > kLargestNode) {
    const double growth = std::pow(technology_nm / kLargestNode, 2);
    cost = {cost.read_pj * growth, cost.write_pj * growth, cost.leakage_mw * growth, cost.area_um2 * growth};
  }
  return cost;
}

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
