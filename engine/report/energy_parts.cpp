#include "engine/report/energy_parts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace heliolite {

double EnergyPart::energy_pj() const {
  double sum = 0;
  for (const auto& [tensor, energy] : tensors) sum += energy;
  return sum;
}

void EnergyPart::add(std::string_view tensor, double energy_pj) {
  const auto found =
      std::ranges::find(tensors, tensor, [](const auto& entry) { return std::string_view(entry.first); });
  if (found != tensors.end()) found->second += energy_pj;
  else tensors.emplace_back(tensor, energy_pj);
}

std::vector<EnergyPart> energy_parts(std::string_view breakdown) {
  std::vector<EnergyPart> parts;
  const auto json = nlohmann::ordered_json::parse(breakdown, nullptr, false);
  if (!json.is_object()) return parts;
  for (const auto& [name, value] : json.items()) {
    EnergyPart part{name, {}};
    if (value.is_number()) part.add("", value.get<double>());
    if (value.is_object()) {
      for (const auto& [tensor, energy] : value.items())
        if (energy.is_number()) part.add(tensor, energy.get<double>());
    }
    if (!part.tensors.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

EnergyPart& part_named(std::vector<EnergyPart>& parts, std::string_view name) {
  const auto found = std::ranges::find(parts, name, [](const EnergyPart& part) { return std::string_view(part.name); });
  if (found != parts.end()) return *found;
  return parts.emplace_back(EnergyPart{std::string(name), {}});
}

}  // namespace heliolite
