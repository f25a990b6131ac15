#pragma once
// Words of a fan-out that its receivers take from peers (arch/architecture.h), and what the sender has to send then:
// all that counters and tables ask of the channel, whichever it is. Its words are counts of a level like others
// (LevelNest::peer_words), which collapse.h carries and cost_of_counts.h prices.
#include "engine/model/collapse.h"
#include "engine/model/compiled.h"
#include "engine/model/imperfect_nest.h"
#include "engine/model/nest.h"

namespace heliolite {

// The tensors of which receivers of the fan-out below level i may take words from peers.
TensorMask tensors_of_peers(const Compiled& c, const StorageLevel& level, int i, const Workload& workload);

// Nests whose factors divide.

// Whether some words of tensor v come from peers at the fan-out below `level`; if so what one sender sends and what its
// receivers take from each other are written to `out`, over the tile of all loops inside the level, before bypass.
bool take_from_peers(const Compiled& c, int v, const Nest& nest, int level, LevelNest& out);

// The tensors of which some words do.
TensorMask tensors_from_peers(const Compiled& c, const Nest& nest);

// What take_from_peers() says where factors need not divide and something may come from peers: added to `out`.
void take_from_peers(const Compiled& c, const CompiledTensor& t, const ImperfectNest& nest, int level, LevelNest& out);

}  // namespace heliolite
