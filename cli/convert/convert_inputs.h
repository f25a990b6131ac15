#pragma once
// Loads what FILE.. names: files told apart by their content, presets and texts as -a and -w take them.
#include <string>
#include <vector>

#include "cli/convert/written_files.h"
#include "engine/base/result.h"
#include "engine/inputs/read_options.h"

namespace heliolite::cli {

// At most one machine, whose tables and constraints may be files of their own, one workload or network, and mappings of
// its layers. `layer`: only this one.
Result<Convertible> load_convertible(const std::vector<std::string>& given, const std::string& layer,
                                     const ReadOptions& reading);

}  // namespace heliolite::cli
