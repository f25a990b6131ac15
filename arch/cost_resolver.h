#pragma once
// The costs of one machine, filled in: energies, leakage and areas as stated, from reference tables (ERT, ART), from
// Timeloop's built-in table (pat_energy.h) or from the tables of memories (energy_tables.h).
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture_spec.h"
#include "arch/cost_source.h"
#include "arch/energy_tables.h"
#include "arch/timeloop_ert.h"

namespace heliolite {

class CostResolver {
 public:
  // All must outlive it; complaints are added to `errors`.
  CostResolver(const ArchitectureSpec& spec, const ReferenceTables& tables, Diagnostics& errors)
      : spec_(spec), tables_(tables), errors_(errors) {}

  // The costs of a level by the sources of cost_source.h: pJ per access, pJ per cycle, um2. Its sizes must be known.
  void fill_in(const LevelSpec& spec, StorageLevel& level);
  // Of the compute units: pJ per operation, um2. Their name and word must be known.
  void fill_in(Compute& compute);

  // What an ERT has no action for.
  std::vector<std::string> notes() const { return dearest_.notes(); }

 private:
  AccessEnergy pat_energy(const LevelSpec& spec, const StorageLevel& level);
  std::optional<MemoryCost> table_cost(const LevelSpec& spec, const StorageLevel& level);
  bool node_known(const Place& place);
  double area(CostSource from, const std::optional<Amount>& stated, const std::string& name, double in_table) const;
  void complain(const Place& place, std::string message) { errors_.push_back(place.error(std::move(message))); }

  const ArchitectureSpec& spec_;
  const ReferenceTables& tables_;
  Diagnostics& errors_;
  DearestActions dearest_;
};

}  // namespace heliolite
