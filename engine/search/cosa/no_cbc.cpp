// What answers where CBC was not found while configuring.
#include <cassert>

#include "engine/search/cosa/mip_solver.h"

namespace heliolite {

bool has_mip_solver() { return false; }

MipAnswer solve(const Mip&, const MipLimits&) {
  assert(!"has_mip_solver() is to be asked first");
  return {};
}

}  // namespace heliolite
