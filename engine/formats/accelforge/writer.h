#pragma once
// Machines, workloads and mappings as AccelForge's files: what machine.h, workload.h and mapping.h read back.
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/mapping.h"
#include "workloads/network.h"

namespace heliolite::accelforge {

struct WrittenText {
  std::string text;
  Diagnostics notes;  // what the format does not say
};

// The machine. Errors: what AccelForge's files have no words for, and would change a number.
Result<WrittenText> write_machine(const Architecture& machine);

// What the fan-out below a level is called there; `unit`: on the way to a further compute unit.
std::string fanout_name(const std::string& level, const std::string& unit = "");

// The network, each layer an Einsum. `unstated`: bits of values whose layer states no size. Errors: names of layers
// that differ in other characters than letters and digits only, sizes that nobody states.
Result<WrittenText> write_workload(const Network& network, std::optional<WordLength> unstated);

// The mapping of one layer of the network that write_workload() wrote, on the chain of a compute unit. Errors: factors
// that do not divide.
Result<WrittenText> write_mapping(const Mapping& mapping, const Network& network, std::size_t layer,
                                  const Architecture& machine, std::size_t unit = 0);

}  // namespace heliolite::accelforge
