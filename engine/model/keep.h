#pragma once
// What a level's keep rule says about a tensor of a workload (arch/architecture.h, KeepRule).
#include "arch/architecture.h"
#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite {

// The level must keep the tensor, must pass it by, or leaves that to the mapping.
enum class KeepChoice : u8 { Keep, Bypass, Open };

// What the rule says of the tensor. A rule's selectors are "all", a role (singular or plural, case ignored), or a
// tensor's name. The most specific one that selects the tensor decides (name > role > all); `keep` wins a tie.
KeepChoice keep_choice(const KeepRule& rule, const Workload& workload, int tensor);

// The tensors a level keeps unless a mapping says otherwise: all but those the machine makes it bypass. The
// outermost level holds every tensor.
TensorMask default_keep(const Architecture& architecture, int level, const Workload& workload);

// Whether the machine makes every tensor pass by the level: it is a place of loops or of a fan-out.
bool holds_nothing(const StorageLevel& level);

// Whether the level is a buffer of a split level, and not the innermost of them, which has its loops and fan-out.
bool is_outer_part(const StorageLevel& level);

// Whether the level could hold other tensors than its rule says: it is inside the outermost, holds any at all, and is
// no part of a split level, whose buffers are for their tensors.
bool can_be_opened(const Architecture& architecture, int level);

}  // namespace heliolite
