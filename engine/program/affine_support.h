#pragma once
// Whether this program can read affine programs.
#include <string_view>

namespace heliolite {

// Whether this program was built with isl and GiNaC; without them, what works on affine programs answers with
// kWithoutIsl.
bool has_affine_programs();

inline constexpr std::string_view kWithoutIsl =
    "affine programs: built without isl; ./heliolite --packages affine installs it (Debian: libisl-dev, libginac-dev), "
    "and the program is built again";

}  // namespace heliolite
