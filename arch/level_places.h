#pragma once
// The lines of a machine's file at which its levels stand, for complaints that appear only with a workload: constraints
// that name what it does not have.
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace heliolite {

// The text for Diagnostic::field of a complaint about a part of a level: "level 'Buf', keep".
std::string level_field(std::string_view level, std::string_view part);

// Fills in file and line of the level in complaints that have such a field and no file. `machine`: what
// load_architecture() was given. Of a Timeloop machine only the file is known.
Diagnostics at_their_levels(Diagnostics errors, const std::string& machine);

}  // namespace heliolite
