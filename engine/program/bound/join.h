#pragma once
// Statements that use the same words are bounded together: as one part, whose words count once.
#include <optional>

#include "engine/program/bound/walk_family.h"

namespace heliolite {

// Both parts as one, with the loops of `b` in such an order that no point is one of both and each family of `a` goes on
// in one of `b` with the same kernel. Nothing if there is none.
std::optional<ProgramPart> joined(const ProgramPart& a, const ProgramPart& b);

}  // namespace heliolite
