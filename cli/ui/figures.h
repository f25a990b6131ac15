#pragma once
// Numbers in the units that people use, as text.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// The bandwidth of one instance of the level, "25.6 GB/s"; "" if the length of a cycle is not known.
std::string bandwidth_text(double words_per_cycle, const StorageLevel& level, const Architecture& architecture);

// What energy and cycles come to where the machine states the length of a cycle. An operation is a multiplication or an
// addition: two are a MAC.
struct Rates {
  double seconds = 0;
  double watts = 0;
  double tops = 0;           // 10^12 operations a second
  double tops_per_watt = 0;  // 10^12 operations a joule
  double per_second = 0;     // how often what takes this long can be done
};
struct Work {
  double picojoules = 0, cycles = 0, macs = 0;
};
std::optional<Rates> rates(const Work& work, const Architecture& architecture);

// "10.9 ms, 1.18 W, 0.332 TOPS, 0.281 TOPS/W", or what is missing.
std::string rates_text(const Work& work, const Architecture& architecture);
Json rates_json(const Work& work, const Architecture& architecture);  // "rates" of docs/json.md

// The machine's area in JSON; null: not known.
Json area_json(const Architecture& architecture);

// What has a part in the machine's area but states none: "GLB", "MAC". Outermost first, compute last. A DRAM is outside
// the chip, and a level that holds nothing is only a place of loops or a fan-out.
std::vector<std::string> parts_without_area(const Architecture& architecture);

// "2.13 mm2", "2.13 mm2 without MAC", or that it is not known and why.
std::string area_text(const Architecture& architecture);

// The dimensions above 1, "K64 C64 P56".
std::string sizes_text(const Workload& workload);

}  // namespace heliolite::cli
