#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace heliolite::cli {
namespace {

// Columns a UTF-8 string takes on a terminal: code points, good enough for names.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

constexpr std::array<EnergyUnit, 5> kEnergyUnits{{{1, "pJ"}, {1e3, "nJ"}, {1e6, "uJ"}, {1e9, "mJ"}, {1e12, "J"}}};

}  // namespace

Table::Table(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (std::string& heading : headings_) {
    left_.push_back(heading.starts_with('<'));
    if (left_.back()) heading.erase(0, 1);
  }
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(headings_.size());
  rows_.push_back(std::move(cells));
}

void Table::rule() { rows_.emplace_back(); }

std::string Table::to_string(int indent) const {
  std::vector<std::size_t> widths(headings_.size(), 0);
  for (const auto& cells : rows_)
    for (std::size_t c = 0; c < cells.size(); ++c) widths[c] = std::max(widths[c], width(cells[c]));
  std::size_t total = 0;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    if (widths[c] == 0) continue;
    widths[c] = std::max(widths[c], width(headings_[c]));
    total += widths[c] + 2;
  }
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = margin;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (widths[c] == 0) continue;
      const std::string pad(widths[c] - width(cells[c]), ' ');
      text += (left_[c] ? cells[c] + pad : pad + cells[c]) + "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  const std::string rule_line = margin + std::string(total > 2 ? total - 2 : 0, '-') + "\n";
  std::string text = line(headings_) + rule_line;
  for (const auto& cells : rows_) text += cells.empty() ? rule_line : line(cells);
  return text;
}

std::string count(double n) {
  if (std::abs(n) >= 1e10) return scientific(n);
  return n == std::floor(n) && n >= 0 ? grouped(static_cast<u64>(n)) : fmt::format("{:.2f}", n);
}

std::string grouped(u64 n) {
  std::string digits = fmt::format("{}", n);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

std::string scientific(double x) { return fmt::format("{:.4g}", x); }

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

std::string energy(double picojoules) {
  const EnergyUnit unit = energy_unit(picojoules);
  return fmt::format("{:.4g} {}", picojoules / unit.picojoules, unit.name);
}

std::string seconds(double s) {
  if (s < 1e-3) return fmt::format("{:.0f} us", s * 1e6);
  if (s < 1) return fmt::format("{:.1f} ms", s * 1e3);
  if (s < 120) return fmt::format("{:.2f} s", s);
  return fmt::format("{:.1f} min", s / 60);
}

std::string EnergyUnit::operator()(double pj) const {
  const double value = pj / picojoules;
  return value == 0 ? "0" : fmt::format("{:.{}f}", value, value >= 1000 ? 1 : value >= 10 ? 2 : 4);
}

EnergyUnit energy_unit(double largest_pj) {
  EnergyUnit unit = kEnergyUnits[0];
  for (const EnergyUnit& u : kEnergyUnits)
    if (largest_pj >= u.picojoules) unit = u;
  return unit;
}

}  // namespace heliolite::cli
