#pragma once
// Where the energies, leakages and areas of a machine come from (docs/energy.md), and how they are filled in.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture_spec.h"
#include "arch/energy_tables.h"
#include "arch/reference_tables.h"
#include "engine/base/types.h"

namespace heliolite {

// Timeloop's built-in energies (its "pat" table, docs/cost_model.md, rule 21), used where a machine states none.
// They are relative to a 16-bit MAC of Eyeriss (= 1) though printed as pJ, and know neither area nor leakage.

// One access to `block_words` words of an SRAM or register file of `words` words, in pJ: linear in the capacity
// through 0.5 KB = 1 and 100 KB = 6 for 16 bits, in proportion to the width. `cluster_size` instances share one
// physical memory of that many times the width and its energy. No words cost nothing.
double pat_sram_pj(u64 words, WordLength word_bits, u64 block_words = 1, u64 cluster_size = 1);

// One access to a block of DRAM, in pJ.
double pat_dram_pj(WordLength word_bits, u64 block_words = 1);

// One multiply-accumulate, in pJ.
double pat_mac_pj(WordLength word_bits);

// Where the energies, leakages and areas of a machine come from (docs/energy.md): what a file states itself comes
// first, then the reference tables, then the machine's energy model.

enum class CostSource : u8 {
  None,       // nothing states it: it counts as 0
  Stated,     // a number in the file, or in the base it varies
  Reference,  // Accelergy's ERT or ART
  Pat,        // Timeloop's built-in table
  Table,      // arch/energy_tables.h
};

struct CostSources {
  CostSource energy = CostSource::None, leakage = CostSource::None, area = CostSource::None;
};

// Where the costs of a storage level of `machine` come from. What a word costs in an interconnect no model knows.
// Leakage comes with the energy unless it is stated; so does the area, unless the ART has it.
CostSources cost_sources(const LevelSpec& level, const ArchitectureSpec& machine, const ReferenceTables& tables);

// Where the costs of the compute units come from; their leakage is not counted.
CostSources compute_cost_sources(const ArchitectureSpec& machine, const ReferenceTables& tables);

// The costs of one machine, filled in: energies, leakage and areas as stated, from reference tables (ERT, ART), from
// Timeloop's built-in table (cost_resolver.h) or from the tables of memories (energy_tables.h).

class CostResolver {
 public:
  // All must outlive it; complaints are added to `errors`.
  CostResolver(const ArchitectureSpec& spec, const ReferenceTables& tables, Diagnostics& errors)
      : spec_(spec), tables_(tables), errors_(errors) {}

  // The costs of a level by the sources of cost_resolver.h: pJ per access, pJ per cycle, um2. Its sizes must be known.
  void fill_in(const LevelSpec& spec, StorageLevel& level);
  // Fills in pJ per operation and um2 of the compute units, whose name and word must be known.
  void fill_in(Compute& compute);

  // What an ERT has no action for.
  std::vector<std::string> notes() const { return dearest_.notes(); }

 private:
  AccessEnergy pat_energy(const LevelSpec& spec, const StorageLevel& level);
  std::optional<MemoryCost> table_cost(const LevelSpec& spec, const StorageLevel& level);
  bool node_known(const Place& place);
  bool whole(WordLength length, const Place& place, std::string_view what);
  double area(CostSource from, const std::optional<Amount>& stated, const std::string& name, double in_table) const;
  void complain(const Place& place, std::string message) { errors_.push_back(place.error(std::move(message))); }

  const ArchitectureSpec& spec_;
  const ReferenceTables& tables_;
  Diagnostics& errors_;
  DearestActions dearest_;
};

}  // namespace heliolite
