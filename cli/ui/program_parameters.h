#pragma once
// The values of --param, and what -w names a C program.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite::cli {

// Whether -w names a C program.
bool is_program(std::string_view workload);

// "N=1000" and its like as names and values; errors name --param.
Result<std::vector<std::pair<std::string, i64>>> read_parameters(const std::vector<std::string>& texts);

}  // namespace heliolite::cli
