#pragma once
// Where a machine's file has its levels, for complaints that only a workload brings up: constraints that name what it
// does not have.
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace heliolite {

// The field of a complaint about a part of a level: "level 'Buf', keep".
std::string level_field(std::string_view level, std::string_view part);

// Gives complaints with such a field and no file the place of the level. `machine`: what load_architecture() was given.
// Of a Timeloop machine only the file is known.
Diagnostics at_their_levels(Diagnostics errors, const std::string& machine);

}  // namespace heliolite
