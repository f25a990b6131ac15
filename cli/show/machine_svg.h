#pragma once
// A machine as a picture: its levels from the outermost down, and the fan-outs between them.
#include <string>

#include "arch/architecture.h"

namespace heliolite::cli {

std::string machine_svg(const Architecture& architecture);

}  // namespace heliolite::cli
