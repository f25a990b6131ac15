#pragma once
// Where a layer's energy goes: LayerRecord::breakdown read back.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heliolite {

// A level, the compute units, leakage, ...
struct EnergyPart {
  std::string name;
  std::vector<std::pair<std::string, double>> tensors;  // pJ; the tensor "" stands for what belongs to none

  double energy_pj() const;
  void add(std::string_view tensor, double energy_pj);

  bool operator==(const EnergyPart&) const = default;
};

// The parts in the order written, outermost level first; none if `breakdown` is no such JSON.
std::vector<EnergyPart> energy_parts(std::string_view breakdown);

// The part called `name`, appended if there is none.
EnergyPart& part_named(std::vector<EnergyPart>& parts, std::string_view name);

}  // namespace heliolite
