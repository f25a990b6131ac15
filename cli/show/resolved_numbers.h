#pragma once
// Every number of a machine, with where it comes from.
#include <string>
#include <vector>

#include "cli/ui/json.h"
#include "engine/formats/load_architecture.h"

namespace heliolite::cli {

struct ResolvedNumber {
  std::string of;    // the level or the compute units; "" = the machine
  std::string key;   // as in a file: "word_bits", "bandwidth.read"
  Json value;        // in the unit of the key; null: unbounded, unlimited or not known
  std::string text;  // the same for people
  std::string also;  // in another unit: "108 KiB", "25.6 GB/s"; mostly ""
  std::string from;  // "stated", "default", "tables, 45 nm", ..
};

// The machine's own, then level by level, outermost first, then those of compute.
std::vector<ResolvedNumber> resolved_numbers(const ArchitectureSource& machine);

}  // namespace heliolite::cli
