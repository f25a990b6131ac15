#pragma once
// Where a layer's energy goes, read from LayerRecord::breakdown.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heliolite {

// The energy of a level, of the compute units, of leakage, ...
struct EnergyPart {
  std::string name;
  std::vector<std::pair<std::string, double>> tensors;  // pJ by tensor; "" stands for energy that belongs to none

  double energy_pj() const;                             // of all tensors
  void add(std::string_view tensor, double energy_pj);  // to that of the tensor

  bool operator==(const EnergyPart&) const = default;
};

// The parts in the order written, outermost level first; none if `breakdown` is no such JSON.
std::vector<EnergyPart> energy_parts(std::string_view breakdown);

// The part called `name`, appended if there is none.
EnergyPart& part_named(std::vector<EnergyPart>& parts, std::string_view name);

}  // namespace heliolite
