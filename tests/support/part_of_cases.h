#pragma once
// Tests of many cases that take a minute look at a part of them in the fast suite, and at all where HELIOLITE_ALL_CASES
// is set, as the tests *_all_cases_long do.
#include <cstdlib>

#include "engine/base/integers.h"

namespace heliolite::testing {

// One case in this many is looked at: `fast`, or all of them.
inline u64 one_case_in(u64 fast) { return std::getenv("HELIOLITE_ALL_CASES") != nullptr ? 1 : fast; }

}  // namespace heliolite::testing
