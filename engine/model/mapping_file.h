#pragma once
// Loads what `-m` is given: a mapping file of ours or of Timeloop, or an answer of this program, told apart by content
// and checked to be legal on the machine.
#include <string>
#include <string_view>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/inputs/read_options.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// The mapping of a file that holds one of: the project's own format (mapping_yaml.h); an `eval --json` answer; a `map
// --json` answer, of which the layer named like the workload is taken, or the only one; Timeloop directives
// (timeloop_mapping.h). Errors: what those readers refuse, and tiles beyond a capacity or a fan-out (mapping_check.h).
Result<Mapping> load_mapping(const std::string& path, const Workload& workload, const Architecture& architecture,
                             const ReadOptions& options = {});

// The mapping of a text; `name` stands for the file in messages.
Result<Mapping> parse_mapping(std::string_view text, const std::string& name, const Workload& workload,
                              const Architecture& architecture);

}  // namespace heliolite
