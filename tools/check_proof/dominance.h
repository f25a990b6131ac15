#pragma once
// Rule listed: a state that stands for another, over the same tile with the same servers.
#include "check_proof/state.h"

namespace check_proof {

// Whether each completion costs with `a` inside at most what it costs with `b` inside.
bool stands_for(const Machine& machine, const State& a, const State& b);

}  // namespace check_proof
