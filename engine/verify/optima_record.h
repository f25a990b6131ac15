#pragma once
// A proven optimum: one JSON object a line (docs/formats_mapping.md, "Records of optima").
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/mapping.h"
#include "engine/search/core/objective.h"
#include "workloads/workload.h"

namespace heliolite {

struct OptimumRecord {
  std::string file;  // where it stands, for messages
  int line = 0;
  std::string set;       // "" when the record names none
  std::string machine;   // machines/<machine> beside the file
  std::string workload;  // workloads/<workload>
  Objective objective = Objective::Edp;
  // What levels keep. A level without an entry is open: the machine's own rule, and the mapper where that says nothing.
  std::map<std::string, std::vector<std::string>> keep;
  std::string keep_text;                       // or in words: "all levels keep all", "PsumSpad O, GLB IO, DRAM all"
  std::optional<bool> one_axis_per_dimension;  // absent: as the machine says (a Timeloop machine: yes)
  double optimum = 0;                          // pJ, cycles, pJ x cycles, pJ x cycles^2
  std::optional<double> energy_pj, cycles;     // of the recorded mapping
  std::string mapping_yaml;                    // Timeloop's or ours; "" when the record has none

  std::string id() const;  // "edp of gemm_a on m1_flat2"
};

// Required: machine, workload, objective, optimum. Keys that are not known here are left alone: such files carry
// statistics of those who made them. Errors name file and line, and the field that is missing or of the wrong type.
Result<OptimumRecord> parse_optimum_record(std::string_view text, const std::string& file, int line);

// Absent when the record has none. Errors: of the mapping's text, as of a mapping file.
Result<std::optional<Mapping>> recorded_mapping(const OptimumRecord& record, const Workload& workload,
                                                const Architecture& architecture);

}  // namespace heliolite
