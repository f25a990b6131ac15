#pragma once
// A record of a proven optimum: one JSON object on a line (docs/formats_mapping.md, "Records of optima").
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
  std::string file;  // the file it is from and the line, for messages
  int line = 0;
  std::string set;       // "" when the record names none
  std::string machine;   // machines/<machine> beside the file
  std::string workload;  // workloads/<workload> beside the file
  Objective objective = Objective::Edp;
  // [level]: tensors that it keeps. A level without an entry is open: the machine's own rule decides, and the mapper
  // where that says nothing.
  std::map<std::string, std::vector<std::string>> keep;
  std::string keep_text;                       // instead of `keep`: "all levels keep all", "PsumSpad O, DRAM all"
  bool link_transfers = false;                 // whether the optimum counts them
  std::optional<bool> one_axis_per_dimension;  // absent: as the machine says (a Timeloop machine: yes)
  double optimum = 0;                          // in units of objective_number(): pJ, cycles or products of these
  std::optional<double> energy_pj, cycles;     // of the recorded mapping
  std::string mapping_yaml;                    // in Timeloop's format or ours; "" when the record has none

  std::string id() const;  // "edp of gemm_a on m1_flat2"
};

// Reads the record on one line. Required: machine, workload, objective, optimum. Unknown keys are ignored: such files
// carry statistics of those who made them. Errors name file and line, and the field that is missing or of the wrong
// type.
Result<OptimumRecord> parse_optimum_record(std::string_view text, const std::string& file, int line);

// The record's mapping; none when it has none. Errors: those of a mapping file.
Result<std::optional<Mapping>> recorded_mapping(const OptimumRecord& record, const Workload& workload,
                                                const Architecture& architecture);

// The keep choices of the mapspace in which a recorded optimum is optimal.

struct RecordedMachine {
  Architecture architecture;  // with the record's keep sets in place of its own
  std::string note;           // what had to be assumed; "" = nothing
};

// The machine with the keep sets of the record. It names them as lists of tensors by level, or in words: "all levels
// keep all", "open", or levels with what they keep, "GLB IO, DRAM all" (tensors, or the letters W, I and O for roles;
// all, none, open). A level that is not named is open. Words that mean nothing here are replaced by the keep sets of
// the recorded mapping: it is optimal there too, and the note says so. Errors: unknown levels and tensors in lists;
// words without a mapping to go by.
Result<RecordedMachine> with_recorded_keep(const OptimumRecord& record, const Workload& workload,
                                           const Architecture& architecture);

}  // namespace heliolite
