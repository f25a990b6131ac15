#pragma once
// What limits the speed of a layer: the operations that it makes of a byte at each level, against the bytes that the
// level's bandwidth carries and the operations that the compute units do (Williams, Waterman, Patterson: Roofline, CACM
// 52(4), 2009). An operation is a MAC. Bytes are those of the model: all words that a level's ports read and write.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "engine/model/cost.h"

namespace heliolite {

// One level, all instances together.
struct RooflineLevel {
  std::string name;
  double bytes = 0;                       // read and written in one run
  std::optional<double> bytes_per_cycle;  // at most, by the machine's bandwidths; none: unlimited
  u64 cycles = 0;                         // needed by its bandwidths

  bool operator==(const RooflineLevel&) const = default;
};

struct Roofline {
  double operations = 0;            // of one run
  double operations_per_cycle = 0;  // at most, by the compute units of the machine
  u64 cycles = 0;                   // that the run takes
  u64 compute_cycles = 0;           // needed by the units that work, with ramps (docs/cost_model.md, rule 46)
  u64 units = 1, units_at_work = 1;
  std::vector<RooflineLevel> levels;  // outermost first

  const RooflineLevel* level(std::string_view name) const;        // nullptr: not on the way to these units
  double reached() const;                                         // operations a cycle
  std::optional<double> intensity(const RooflineLevel& l) const;  // operations a byte; none: no byte moves there
  // Operations a cycle if this level alone limited the run; none: it does not limit it.
  std::optional<double> roof(const RooflineLevel& l) const;
  // Name of the level that the run waits for; "" if it waits for the compute units.
  std::string limit() const;
  // "DRAM", or "compute units", or "compute units (150 of 168 at work)".
  std::string limit_text() const;

  bool operator==(const Roofline&) const = default;
};

// `chain`: the levels and compute units that run the mapping, which fits; of a machine with further units,
// Architecture::chain() has them.
Roofline roofline(const Architecture& chain, const Breakdown& breakdown);

}  // namespace heliolite
