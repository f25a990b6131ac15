#include "engine/sweep/derived_values.h"

#include <cctype>
#include <limits>

namespace heliolite {
namespace {

constexpr double kUm2PerMm2 = 1e6;

// A name that expressions can hold.
std::string identifier(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(name.begin(), '_');
  return name;
}

double bytes(const StorageLevel& level, double words) { return words * static_cast<double>(level.word_bits) / 8; }

}  // namespace

std::vector<std::string> derived_names(const ArchitectureSpec& machine) {
  std::vector<std::string> names{"pes", "area_um2", "area_mm2", "total_bytes"};
  for (const LevelSpec& level : machine.levels)
    for (const char* quantity : {"_words", "_bytes", "_area_um2", "_instances"})
      names.push_back(identifier(level.name) + quantity);
  return names;
}

std::vector<double> derived_values(const Architecture& machine) {
  const double area = machine.area_um2();
  std::vector<double> values{static_cast<double>(machine.compute.instances), area, area / kUm2PerMm2,
                             total_capacity_bytes(machine)};
  for (const StorageLevel& level : machine.levels) {
    const double words = level.entries ? static_cast<double>(*level.entries) : std::numeric_limits<double>::infinity();
    values.insert(values.end(), {words, bytes(level, words), level.area_um2, static_cast<double>(level.instances)});
  }
  return values;
}

std::vector<std::string> constraint_names(const SweepSpec& spec) {
  std::vector<std::string> names;
  for (const SweepParameter& parameter : spec.parameters) names.push_back(parameter.name);
  const std::vector<std::string> derived = derived_names(spec.machine);
  names.insert(names.end(), derived.begin(), derived.end());
  return names;
}

double total_capacity_bytes(const Architecture& machine) {
  double sum = 0;
  for (const StorageLevel& level : machine.levels)
    if (level.entries) sum += bytes(level, static_cast<double>(*level.entries)) * static_cast<double>(level.instances);
  return sum;
}

}  // namespace heliolite
