#pragma once
// What the levels keep: what a keep rule says about a tensor of a workload (arch/architecture.h, KeepRule), the parts
// of a level in an uneven mapping, each with a place of its own in a stack of levels, and how much of a level's words
// the tensors' take.
#include <array>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "engine/model/cost.h"
#include "engine/model/mapping.h"
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

// The parts of a level in an uneven mapping: the tensors whose tiles end at the same place, and the loops from there to
// the next place inside. In an even mapping every level has one part.

// Tensors that a level keeps with tiles of the same loops, and its temporal loops [first, last) of Mapping::loop which
// are inside these tiles but not inside those of the next part.
struct LevelPart {
  TensorMask keep = 0;
  int first = 0, last = 0;
};

// The parts of a level of a well-formed mapping, outermost first; at least one.
std::vector<LevelPart> parts_of(const Mapping& mapping, int level);

// Index in Mapping::loop of the level's innermost loop, spatial ones included; that of the next level out if it has
// none.
int first_loop(const Mapping& mapping, int level);

// How much of a level's word a word of each tensor takes (docs/cost_model.md, rule 44): the one place where the sizes
// that a workload states meet those of a machine.

// [tensor]: bits of its words; 0: they are words of the level that holds them.
using ValueBits = std::array<WordLength, kMaxTensors>;

ValueBits value_bits(const Workload& workload);

// The parts of a level's words for values of these sizes.
ValueParts value_parts(const ValueBits& bits, const StorageLevel& level);

// An uneven mapping as an even one: a stack of levels, one for each part of a level, in the level's place. Its
// capacity, bandwidths and leakage are those of all parts together, which the stacked machine does not know.

// [level]: the tensors of each of its parts, innermost first. A level with one part stays as it is.
using StackedParts = std::vector<std::vector<TensorMask>>;

struct StoreStack {
  Architecture machine;      // the levels of `stacked` are parts of its levels
  Architecture stacked;      // at most kMaxLevels levels
  std::vector<u8> level_of;  // [level of `stacked`]: its level of `machine`

  // Whether a level of `stacked` shares the room of the level inside it.
  bool shares_inside(int i) const { return i > 0 && level_of[i] == level_of[i - 1]; }
};

// The machine with a level for each part. Parts of a level that is split have no fan-out between them; the network and
// the fan-out below the level are below its innermost part, which also leaks for all.
StoreStack stack_stores(const Architecture& machine, const StackedParts& parts, const Workload& workload);

// A mapping of the machine, whose parts are those of the stack, as one of the stacked machine, and the way back.
Mapping stacked(const Mapping& mapping, const StoreStack& stack);
Mapping unstacked(const Mapping& mapping, const StoreStack& stack);

}  // namespace heliolite
