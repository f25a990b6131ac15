#pragma once
// Which Heliolite a program was linked with.
//
//   std::puts(to_string(heliolite::version_info()).c_str());    // version, commit, compiler, kind of build
#include "engine/base/version.h"  // IWYU pragma: export
