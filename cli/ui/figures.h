#pragma once
// Numbers in the units that people use, as text.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// A number with the prefix of its unit that makes it easy to read: "1.2 mW", "345 GB/s", "0 W".
std::string with_prefix(double value, std::string_view unit);

// Of one instance of the level, "25.6 GB/s"; "" if the length of a cycle is not known.
std::string bandwidth_text(double words_per_cycle, const StorageLevel& level, const Architecture& architecture);

// What has a part in the machine's area but states none: "GLB", "MAC". Outermost first, compute last. A DRAM is outside
// the chip, and a level that holds nothing is only a place of loops or a fan-out.
std::vector<std::string> parts_without_area(const Architecture& architecture);

// "2.13 mm2", "2.13 mm2 without MAC", or that it is not known and why.
std::string area_text(const Architecture& architecture);

// The dimensions above 1, "K64 C64 P56".
std::string sizes_text(const Workload& workload);

}  // namespace heliolite::cli
