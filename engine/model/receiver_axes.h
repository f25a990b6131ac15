#pragma once
// Receiver groups without a list of all receivers: where the loops along X and those along Y move the tensor
// independently, a group is some columns' receivers times some rows'.
#include <vector>

#include "engine/model/multicast.h"

namespace heliolite {

// What receiver_groups() writes, in time proportional to the receivers at most, mostly to the sum of the axes. False,
// with `out` as it was: a rank is moved along both axes by different dimensions, so that the axes do not separate.
// The tensor must not be entangled.
bool groups_by_axes(const CompiledTensor& t, const Nest& nest, int level, const CompiledLevel& machine,
                    std::vector<ReceiverGroups>& out);

}  // namespace heliolite
