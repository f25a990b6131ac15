#pragma once
// The bound of a plan as a formula in the program's parameters and the capacity S, for all parameters of at least
// kLeastParameter and all S.
#include <string>

#include "engine/base/result.h"
#include "engine/program/bound/program_answer.h"
#include "engine/program/bound/program_bound.h"

namespace heliolite {

// Complains where a count is no polynomial in the parameters.
Result<ProgramFormula> program_formula(const ProgramPlan& plan);

}  // namespace heliolite
