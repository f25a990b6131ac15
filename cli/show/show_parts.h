#pragma once
// What heliolite show says of a machine and of a network: tables, JSON, a picture, every number with its source.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/formats/load_architecture.h"
#include "workloads/network.h"

namespace heliolite::cli {

std::string machine_svg(const Architecture& architecture);

struct ResolvedNumber {
  std::string of;    // the level or the compute units; "" = the machine
  std::string key;   // as in a file: "word_bits", "bandwidth.read"
  Json value;        // in the unit of the key; null: unbounded, unlimited or not known
  std::string text;  // the value for people
  std::string also;  // in another unit: "108 KiB", "25.6 GB/s"; mostly ""
  std::string from;  // "stated", "default", "tables, 45 nm", ..
};

// The machine's own, then level by level, outermost first, then those of compute.
std::vector<ResolvedNumber> resolved_numbers(const ArchitectureSource& machine);

// The presets of machines and of workloads, a line each.

std::string preset_tables();
void add_preset_lists(Json& answer);  // "machines" and "workloads" of docs/json.md

// "name", "description", "units", "technology_nm", "cycle_ns", "area_um2" (null: not known), "without_area".
Json machine_head_json(const Architecture& architecture);

std::string machine_summary(const Architecture& architecture);      // a row for each level
std::string machine_text(const ArchitectureSource& machine);        // every number, with where it is from
void add_machine(Json& answer, const ArchitectureSource& machine);  // "machine" and "numbers" of docs/json.md

std::string network_text(const Network& network);

// The names of its layers, one a line.
std::string layer_names(const Network& network);
void add_network(Json& answer, const Network& network);  // "macs", "layers", "inputs" and "edges" of docs/json.md

// Shows the instance of a layer on a machine (docs/proofs.md), and returns the exit code.
int show_instance(const std::string& architecture, const std::string& workload, const std::string& layer,
                  const ReadOptions& reading, const Output& output);

}  // namespace heliolite::cli
