#pragma once
// Link transfers of nests whose factors divide, in closed form (docs/link_transfers.md).
#include <vector>

#include "engine/model/collapse.h"
#include "engine/model/compiled.h"
#include "engine/model/nest.h"

namespace heliolite {

// What one sender sends over a fan-out, and what its receivers take from neighbours.
struct LinkedRecords {
  std::vector<NestRecord> records;  // of the sender, sorted
  u64 links = 0;                    // words taken from neighbours
};

// Whether some words of tensor v cross the fan-out below `level` by links; if so they are written, over the tile of
// all loops inside the level, before bypass.
bool linked_records(const Compiled& c, int v, const Nest& nest, int level, LinkedRecords& out);

// The tensors of which some words do.
TensorMask tensors_on_links(const Compiled& c, const Nest& nest);

}  // namespace heliolite
