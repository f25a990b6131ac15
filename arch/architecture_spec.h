#pragma once
// An architecture as its file states it, before energies, areas, instances and meshes are worked out. What is absent is
// decided by the machine's defaults, or by the base it varies. A sweep changes a capacity here and resolves again, and
// the energies follow.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arch/architecture.h"
#include "arch/reference_tables.h"
#include "engine/base/result.h"

namespace heliolite {

// Where something was written (a diagnostic without its message).
struct Place {
  std::string file;
  int line = 0;
  std::string field;

  Diagnostic error(std::string message) const { return {file, line, field, std::move(message)}; }
};

// Where energies come from that the file does not state.
enum class EnergyModel : u8 {
  Pat,        // Timeloop's built-in table (arch/cost_resolver.h); no leakage, no area
  Table,      // arch/energy_tables.h, at the machine's node
  Registers,  // flip-flops of the tables, whatever the size; of a level only
};
// A level's capacity: it holds everything, a number of bytes, or a number of words.
struct Unbounded {};
struct Bytes {
  double count = 0;
};
struct Words {
  u64 count = 0;
};

// pJ of a bit, whatever is done with it: times word_bits and block_words that of an access.
struct PicojoulesPerBit {
  double pj = 0;
};

// A number as given (pJ, pJ per cycle or um2), or from the tables.
using Amount = std::variant<double, EnergyModel>;

struct DramSpec {
  bool is_dram = true;
  std::string type;  // one of dram_types(); needed by EnergyModel::Table only
};

// What a level states of the tensors that it holds, each key by itself: a variant may state one of them.
struct KeepSpec {
  std::optional<std::vector<std::string>> keep, bypass, open;  // selectors; roles in the plural

  bool states_any() const { return keep || bypass || open; }
};

// One storage level; the fields are those of StorageLevel.
struct LevelSpec {
  std::string name;
  Place place;  // in the file, for complaints
  std::optional<std::variant<Unbounded, Bytes, Words>> capacity;
  std::optional<double> multiple_buffering;
  std::optional<WordLength> word_bits;
  std::optional<u64> block_words, cluster_size;
  std::optional<u64> fanout_x, fanout_y;
  std::optional<std::variant<EnergyModel, AccessEnergy, PicojoulesPerBit>> energy;
  std::optional<Amount> leakage, area;
  std::optional<double> address_generation_pj;
  std::optional<Bandwidth> bandwidth;
  std::optional<Bandwidth> gigabytes_per_second;  // bandwidths stated so, those that `bandwidth` does not state
  std::optional<NetworkEnergy> network;
  std::optional<DramSpec> dram;
  std::optional<bool> reduction, interconnect;
  KeepSpec keep;
  std::optional<bool> loops_allowed;
  std::optional<LevelConstraints> constraints;
};

struct ComputeSpec {
  Place place;  // in the file, for complaints
  std::optional<std::string> name;
  std::optional<WordLength> word_bits;
  std::optional<u64> cycles_per_op;
  std::optional<Amount> energy, area;
  std::optional<OperationMask> runs;
};

// A further compute unit, fed by a level of the machine (docs/formats_architecture.md).
struct UnitSpec {
  Place place;                       // in the file, for complaints
  std::string name;                  // that of its compute
  std::optional<std::string> below;  // the level that feeds it
  LevelSpec feed;                    // fan-out, network and constraints of that level, as the unit has them
  std::vector<LevelSpec> levels;     // its own, innermost first
  ComputeSpec compute;
};

// What a machine has that states neither words nor bits.
inline constexpr WordLength kDefaultWordBits = 16;
inline constexpr double kDefaultCycleNs = 1;

struct ArchitectureSpec {
  Place place;                          // in the file, for complaints
  std::optional<std::string> base;      // the machine this one varies: a preset's name or a file
  std::optional<std::string> ert, art;  // files of Accelergy's tables
  std::optional<std::string> name, description;
  std::optional<double> technology_nm, cycle_ns;
  std::optional<WordLength> word_bits;  // for levels and compute units that state none
  std::optional<EnergyModel> energy;    // for levels and compute units that state none
  std::optional<bool> one_axis_per_dimension;
  std::optional<bool> unit_loops_first;
  std::optional<bool> constraints_for_channels_only;
  std::optional<double> min_parallelism;
  std::optional<bool> peer_channel;
  std::optional<bool> drain_reads;
  std::optional<bool> all_leaks;
  std::optional<bool> ramps;
  std::optional<bool> timeloop_cycles;
  std::vector<LevelSpec> levels;  // innermost first
  ComputeSpec compute;
  std::vector<UnitSpec> units;
  std::vector<std::string> notes;  // what of files of Timeloop was read otherwise than it is written
};

// `base` with what `variant` states in place of what it states itself; levels are matched by name. What the variant
// says of a tensor in one of `keep`, `bypass` and `open` takes it out of the base's others. An `energy` of the
// whole variant replaces every energy, leakage and area of the base, but those of interconnects, which no model knows.
// Complains about levels the base does not have.
ArchitectureSpec vary(ArchitectureSpec base, const ArchitectureSpec& variant, Diagnostics& errors);

// Accelergy's tables, where a machine names them.
struct ReferenceTables {
  std::optional<EnergyReferenceTable> ert;
  std::optional<AreaReferenceTable> art;
};

// The architecture with energies, areas, instances and meshes worked out, and everything checked (arch/check.h). What a
// level states itself comes first, then the reference tables, then the machine's energy model.
Result<Architecture> resolve(const ArchitectureSpec& spec, const ReferenceTables& tables = {});

// Energies of a level that a file states as one number and that are nothing if it does not: their key, what they are,
// and where they stand in what was read and in the machine. Reading, inheritance, checks, fingerprints and families of
// machines go through this table.

struct LevelPrice {
  std::string_view key;   // in files; ends with its unit
  std::string_view help;  // a sentence
  std::optional<double> LevelSpec::*stated;
  double StorageLevel::*price;
};

inline constexpr std::array<LevelPrice, 1> kLevelPrices{{
    {"address_generation_pj", "Energy of generating an address.", &LevelSpec::address_generation_pj,
     &StorageLevel::address_generation_pj},
}};

// A machine with several compute units: a matrix array and a vector unit beside it, say. Each unit has a path of levels
// of its own from a level that all share. So each is a machine, a chain of levels over one kind of compute units
// (Architecture::chain), and whatever knows machines knows units. What stands beside a chain, the levels and compute
// units of the others, has area, and leaks while the chain works.

// Works out the chains of `spec.units`, and what stands beside each chain, into the machine, which is resolved
// otherwise.
Diagnostics resolve_units(const ArchitectureSpec& spec, const ReferenceTables& tables, Architecture& machine);

// What the chain of a unit states: the levels from the one that feeds it outwards, and its own.
Result<ArchitectureSpec> chain_spec(const ArchitectureSpec& machine, const UnitSpec& unit);

// Levels of a unit's chain that are the unit's own: the innermost ones.
std::size_t own_levels(const Architecture& machine, const Architecture& unit);

// All levels of all chains, each once: the machine's own, outermost first, then each unit's.
std::vector<const StorageLevel*> all_levels(const Architecture& machine);

// An error if the machine has several units: `who` knows one.
Diagnostics refuse_units(const Architecture& machine, std::string_view who);

}  // namespace heliolite
