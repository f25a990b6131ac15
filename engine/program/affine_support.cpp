#include "engine/program/affine_support.h"

namespace heliolite {

bool has_affine_programs() { return true; }

}  // namespace heliolite
