#include "engine/program/affine_support.h"

namespace heliolite {

bool has_affine_programs() { return false; }

}  // namespace heliolite
